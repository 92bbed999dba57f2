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

/// Removes chains older than [`CHAIN_AGE`] and leftovers older than a day from the folder of chains.
pub(super) fn chains(folder: &Path) {
    for (entry, age) in files(folder) {
        if age > CHAIN_AGE || (is_leftover(&entry) && age > DAY) {
            remove(&entry);
        }
    }
}

/// Removes files older than [`CHAIN_AGE`] that do not belong to one of the artifacts in `kept`, and leftovers.
pub(super) fn artifacts(folder: &Path, kept: &BTreeSet<PathBuf>) {
    for (entry, age) in files(folder) {
        let is_kept = kept.contains(&entry.path().with_extension("cwasm"));
        if (age > CHAIN_AGE && !is_kept) || (is_leftover(&entry) && age > DAY) {
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
