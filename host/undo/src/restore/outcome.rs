//! Decides whether an entry is restored: what is now in its place, and whether the call or a later change made it.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::{Options, RestoreOutcome, Restorer, restored_mode};
use crate::attributes;
use crate::copy::{is_same, modification_time, status_time};
use crate::manifest::{Content, Entry, Manifest};
use guard_platform::fs::MetadataExt;

/// The assumed maximum duration of a call after its backup, in seconds, if its end is unknown.
const LONGEST_CALL: i64 = 600;

/// The maximum number of files in a folder that replaces a file. With more, it counts as changed since the call.
const FILES: usize = 10_000;

pub(super) fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_dir())
}

pub(super) fn is_link_or_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| !data.is_dir())
}

impl Restorer<'_> {
    pub(super) fn restore_outcome(
        &self,
        manifest: &Manifest,
        entry: &Entry,
        target: &Path,
        options: &Options,
        hashes: &BTreeMap<PathBuf, String>,
    ) -> RestoreOutcome {
        let Ok(data) = target.symlink_metadata() else { return RestoreOutcome::Made };
        let is_mode_same = data.mode() & 0o7777 == restored_mode(entry);
        let is_same = match &entry.content {
            Content::Folder if data.is_dir() => return RestoreOutcome::Same,
            Content::Folder if options.to.is_some() => return RestoreOutcome::Blocked("a file is in its place"),
            _ if data.is_dir() && options.to.is_some() => return RestoreOutcome::Blocked("a folder is in its place"),
            Content::Folder => false,
            Content::Copy(number) => {
                data.is_file() && is_mode_same && is_same(target, &self.store.copy(manifest, *number)).unwrap_or(false)
            }
            Content::Git { oid, .. } => is_mode_same && hashes.get(target) == Some(oid),
            Content::Link(to) => fs::read_link(target).is_ok_and(|now| now == Path::new(to)),
        };
        if is_same && attributes::has(target, &entry.attributes) {
            return RestoreOutcome::Same;
        }
        let end = end_of_call(&entry.path, manifest, options);
        if options.to.is_some() || has_later_change(target, &data, end, &mut FILES.clone()) {
            RestoreOutcome::ChangedSince
        } else {
            RestoreOutcome::Replaced
        }
    }
}

/// Returns whether a file was changed after the call.
pub(super) fn is_later(data: &Metadata, path: &str, manifest: &Manifest, options: &Options) -> bool {
    last_change(data) > end_of_call(path, manifest, options)
}

fn end_of_call(path: &str, manifest: &Manifest, options: &Options) -> (i64, i64) {
    let began = manifest.time.parse::<jiff::Timestamp>().map_or(0, jiff::Timestamp::as_millisecond);
    let end = options.changed_again.get(path).copied().unwrap_or(began + LONGEST_CALL * 1_000);
    (end.div_euclid(1_000), end.rem_euclid(1_000) * 1_000_000 + 999_999)
}

/// Returns the modification time. A program can set it to a time in the future, but not the status time.
fn last_change(data: &Metadata) -> (i64, i64) {
    modification_time(data).min(status_time(data))
}

/// Returns whether a path, or anything in it, was changed after a time.
fn has_later_change(path: &Path, data: &Metadata, end: (i64, i64), left: &mut usize) -> bool {
    if last_change(data) > end || *left == 0 {
        return true;
    }
    *left -= 1;
    if !data.is_dir() {
        return false;
    }
    let Ok(mut files) = fs::read_dir(path) else { return true };
    files.any(|file| {
        let path = file.map(|file| file.path());
        let data = path.as_ref().ok().and_then(|path| Some((path, path.symlink_metadata().ok()?)));
        data.is_none_or(|(path, data)| has_later_change(path, &data, end, left))
    })
}
