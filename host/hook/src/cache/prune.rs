//! Removes what no call needs any more: old prepared chains, artifacts that no chain names, leftovers of processes that
//! died while they wrote.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::snapshot::is_snapshot;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A chain that is still in use is prepared again after this time, which takes some milliseconds.
const CHAIN_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Artifacts that no chain names, such as those of `guard-host test`, may take so many bytes: two of a policy in Python.
const SPARE_BYTES: u64 = 128 << 20;

/// Removes chains older than [`CHAIN_AGE`] and leftovers older than a day from the folder of chains.
pub(super) fn chains(folder: &Path) {
    for (entry, age) in files(folder) {
        if age > CHAIN_AGE || (is_leftover(&entry) && age > DAY) {
            remove(&entry);
        }
    }
}

/// Removes leftovers, and files that do not belong to one of the artifacts in `kept`: those older than [`CHAIN_AGE`], and
/// the oldest beyond [`SPARE_BYTES`].
pub(super) fn artifacts(folder: &Path, kept: &BTreeSet<PathBuf>) {
    spare(folder, kept, SPARE_BYTES);
}

fn spare(folder: &Path, kept: &BTreeSet<PathBuf>, most: u64) {
    let (leftovers, files): (Vec<_>, Vec<_>) = files(folder).partition(|(entry, _)| is_leftover(entry));
    leftovers.iter().filter(|(_, age)| *age > DAY).for_each(|(entry, _)| remove(entry));
    let is_kept = |entry: &DirEntry| kept.contains(&entry.path().with_extension("cwasm"));
    let mut spare: Vec<_> = files.into_iter().filter(|(entry, _)| !is_kept(entry)).collect();
    spare.sort_by_key(|(_, age)| *age);
    let mut bytes = 0;
    for (entry, age) in spare {
        bytes += entry.metadata().map_or(0, |data| data.len());
        if age > CHAIN_AGE || bytes > most {
            remove(&entry);
        }
    }
}

/// Removes the snapshots that are not in `kept`, whatever their age. The reason why there is none holds no settings and
/// stays.
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

/// The regular files of a folder and the time since each was written.
fn files(folder: &Path) -> impl Iterator<Item = (DirEntry, Duration)> {
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| {
        let data = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((entry, data.modified().ok()?.elapsed().ok()?))
    })
}

/// The name is one of those under which files are written before they are renamed.
fn is_leftover(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

fn remove(entry: &DirEntry) {
    // Another process may have removed it, or the next one will.
    let _ = fs::remove_file(entry.path());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_no_chain_names_the_newest_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for (seconds, name) in [(0, "old.cwasm"), (10, "named.cwasm"), (20, "new.cwasm"), (30, "newest.json")] {
            let file = fs::File::create(path(name)).unwrap();
            file.set_len(100).unwrap();
            let start = std::time::SystemTime::now() - Duration::from_secs(100);
            file.set_modified(start + Duration::from_secs(seconds)).unwrap();
        }
        let left = || {
            let names =
                fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
        };
        let kept = BTreeSet::from([path("named.cwasm")]);
        artifacts(folder.path(), &kept);
        assert_eq!(left().len(), 4);
        spare(folder.path(), &kept, 200);
        assert_eq!(left(), ["named.cwasm", "new.cwasm", "newest.json"]);
    }
}
