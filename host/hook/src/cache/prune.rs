//! Removes files that calls no longer need: old prepared chains, artifacts that no chain uses, and temporary files of
//! processes that died.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::folders;
use super::prepared::Prepared;
use super::snapshot::is_snapshot;
use crate::embedded;
use guard_state::{AppDirs, Seal};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The age after which a chain is removed. If it is still in use, it is prepared again, which takes a few milliseconds.
const CHAIN_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Prunes a cache folder. `most` is `max-bytes` in `[cache]`.
pub fn prune(dirs: &AppDirs, most: u64) {
    if let Ok(seal) = Seal::open(&dirs.state) {
        all(dirs, &seal, most);
    }
}

/// Like `prune`, with the chains' seal.
pub(super) fn all(dirs: &AppDirs, seal: &Seal, most: u64) {
    let folder = folders::chains(&dirs.cache);
    chains(&folder);
    let chains = fs::read_dir(&folder).into_iter().flatten().flatten();
    let kept = chains.filter_map(|entry| Prepared::read(seal, &entry.path()));
    let kept = kept.flat_map(|prepared| prepared.files().collect::<Vec<_>>());
    // Files that belong together differ in their extension, and are kept with the artifact.
    let kept = kept.chain(embedded::files_in(&dirs.cache).map(|path| path.with_extension("cwasm")));
    artifacts(&folders::artifacts(&dirs.cache), &kept.collect(), most);
}

/// Removes chains older than [`CHAIN_AGE`] and temporary files older than a day from the folder of chains.
pub(super) fn chains(folder: &Path) {
    for (entry, age) in files(folder) {
        if age > CHAIN_AGE || (is_leftover(&entry) && age > DAY) {
            remove(&entry);
        }
    }
}

/// Removes temporary files, and files of artifacts that aren't in `kept`, such as those of `guard-host test`: the ones
/// older than [`CHAIN_AGE`], and the least recently used while the folder is larger than `most` bytes.
fn artifacts(folder: &Path, kept: &BTreeSet<PathBuf>, most: u64) {
    let (leftovers, files): (Vec<_>, Vec<_>) = files(folder).partition(|(entry, _)| is_leftover(entry));
    leftovers.iter().filter(|(_, age)| *age > DAY).for_each(|(entry, _)| remove(entry));
    let is_kept = |(entry, _): &(DirEntry, Duration)| kept.contains(&entry.path().with_extension("cwasm"));
    let size = |entry: &DirEntry| entry.metadata().map_or(0, |data| data.len());
    let (named, mut spare): (Vec<_>, Vec<_>) = files.into_iter().partition(is_kept);
    spare.sort_by_key(|(entry, age)| unused_for(entry).unwrap_or(*age));
    let mut bytes: u64 = named.iter().map(|(entry, _)| size(entry)).sum();
    for (entry, age) in spare {
        bytes += size(&entry);
        if age > CHAIN_AGE || bytes > most {
            remove(&entry);
        }
    }
}

/// Returns the time since a file was read, if the file system records it, or written.
fn unused_for(entry: &DirEntry) -> Option<Duration> {
    let data = entry.metadata().ok()?;
    let written = data.modified().ok()?;
    data.accessed().map_or(written, |read| read.max(written)).elapsed().ok()
}

/// Removes the snapshots that aren't in `kept`, regardless of age. Records of why there is no snapshot contain no
/// settings and stay.
pub(super) fn snapshots(folder: &Path, kept: &BTreeSet<PathBuf>) {
    for (entry, _) in files(folder) {
        let path = entry.path();
        let is_snapshot = path.file_stem().is_some_and(|stem| is_snapshot(&stem.to_string_lossy()));
        if is_snapshot && path.extension().is_some_and(|extension| extension == "cwasm") && !kept.contains(&path) {
            let _ = fs::remove_file(path.with_extension("json"));
            remove(&entry);
        }
    }
}

/// Lists the regular files of a folder, and the time since each was written.
fn files(folder: &Path) -> impl Iterator<Item = (DirEntry, Duration)> {
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| {
        let data = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((entry, data.modified().ok()?.elapsed().ok()?))
    })
}

/// Returns whether the file is a temporary file that was never renamed.
fn is_leftover(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

fn remove(entry: &DirEntry) {
    // Another process may have removed it, or the next one can.
    let _ = fs::remove_file(entry.path());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_no_chain_names_the_last_used_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let start = std::time::SystemTime::now() - Duration::from_secs(100);
        let at = |seconds| start + Duration::from_secs(seconds);
        for (written, read, name) in [
            (0, 40, "used.cwasm"),
            (10, 10, "named.cwasm"),
            (20, 20, "new.cwasm"),
            (15, 15, "old.cwasm"),
            (30, 30, "newest.json"),
        ] {
            let file = fs::File::create(path(name)).unwrap();
            file.set_len(100).unwrap();
            file.set_times(fs::FileTimes::new().set_modified(at(written)).set_accessed(at(read))).unwrap();
        }
        let left = || {
            let names =
                fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
        };
        let kept = BTreeSet::from([path("named.cwasm")]);
        artifacts(folder.path(), &kept, 500);
        assert_eq!(left().len(), 5);
        // Files that a chain uses count toward the size, and stay.
        artifacts(folder.path(), &kept, 300);
        assert_eq!(left(), ["named.cwasm", "newest.json", "used.cwasm"]);
        artifacts(folder.path(), &kept, 0);
        assert_eq!(left(), ["named.cwasm"]);
    }
}
