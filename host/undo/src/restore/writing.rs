//! [`EntryWriter`]: writes entries to their targets.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Item, Options, RestoreError, Restorer, entry_error, remove_partial, restored_mode};
use crate::attributes;
use crate::copy::{copy, date, digest, restore_attributes};
use crate::manifest::{Content, Entry, Manifest};
use guard_platform::fs::{DirBuilderExt, OpenOptionsExt, symlink};

/// Returns a temporary name in the same folder. It is the same each time, so that what an ended process left is found.
pub(super) fn temporary(target: &Path, id: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().take(60).collect();
    target.with_file_name(format!(".{name}.guard-undo-{id}"))
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

/// Removes what is at the path, if it is a folder and a file is restored, or the reverse. A file is replaced by renaming.
pub(super) fn remove_obstacle(path: &Path, for_folder: bool) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(data) if data.is_dir() != for_folder => remove(path),
        _ => Ok(()),
    }
}

/// Creates the parent folder of a path. Fails if it is now reached through a link.
pub(super) fn prepare_parent(target: &Path, options: &Options) -> io::Result<()> {
    let parent = target.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let wanted = match &options.to {
        None => parent.to_path_buf(),
        Some(to) => {
            fs::create_dir_all(to)?;
            to.canonicalize()?.join(parent.strip_prefix(to).unwrap_or(parent))
        }
    };
    let is_there = |above: &&Path| above.symlink_metadata().is_ok();
    let there = wanted.ancestors().find(is_there).ok_or(io::ErrorKind::NotFound)?;
    if there.canonicalize()? != there {
        return Err(io::Error::other("its folder is now reached through a link"));
    }
    fs::create_dir_all(&wanted)
}

pub(super) struct EntryWriter<'a> {
    pub(super) restorer: &'a Restorer<'a>,
    pub(super) manifest: &'a Manifest,
    pub(super) blobs: BTreeMap<String, Vec<u8>>,
    /// The paths that were restored without all of their extended attributes.
    pub(super) without_attributes: RefCell<Vec<String>>,
}

impl EntryWriter<'_> {
    /// Creates an entry under an unused name.
    pub(super) fn make(&self, entry: &Entry, at: &Path) -> io::Result<()> {
        match &entry.content {
            Content::Folder => {
                DirBuilder::new().mode(0o700).create(at)?;
                self.set_attributes(entry, at);
                return Ok(());
            }
            Content::Copy(number) => {
                copy(&self.restorer.store.copy(self.manifest, *number), at, None)?;
                if !entry.digest.is_empty() && digest(at, None)? != entry.digest {
                    fs::remove_file(at)?;
                    return Err(io::Error::other("its copy was changed"));
                }
            }
            Content::Git { oid, .. } => {
                let bytes = self.blobs.get(oid).ok_or(io::ErrorKind::NotFound)?;
                let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(at)?;
                file.write_all(bytes)?;
            }
            Content::Link(to) => {
                symlink(to, at)?;
                return date(at, entry.time);
            }
        }
        self.set_attributes(entry, at);
        restore_attributes(at, restored_mode(entry), entry.time)
    }

    /// Creates a folder that no longer exists, with everything in it, in one step.
    pub(super) fn make_folder(
        &self,
        item: &Item<'_>,
        own: &[&Item<'_>],
        options: &Options,
    ) -> Result<(), RestoreError> {
        let staged = temporary(&item.target, &self.manifest.id);
        let fail = |source| entry_error(item.entry, source);
        prepare_parent(&item.target, options).map_err(fail)?;
        // Left by a process that ended early.
        remove(&staged).map_err(fail)?;
        let place = |other: &Item<'_>| {
            let below = other.target.strip_prefix(&item.target).unwrap_or(Path::new(""));
            if below.as_os_str().is_empty() { staged.clone() } else { staged.join(below) }
        };
        for other in own {
            self.make(other.entry, &place(other)).map_err(|source| remove_partial(&staged, other.entry, source))?;
        }
        for other in own.iter().rev().filter(|other| other.entry.content == Content::Folder) {
            let _ = restore_attributes(&place(other), restored_mode(other.entry), other.entry.time);
        }
        let renamed = remove_obstacle(&item.target, true).and_then(|()| fs::rename(&staged, &item.target));
        renamed.map_err(|source| remove_partial(&staged, item.entry, source))?;
        let _ = date(&item.target, item.entry.time);
        Ok(())
    }

    /// The target file system may not support attributes, and the content is more important.
    pub(super) fn set_attributes(&self, entry: &Entry, at: &Path) {
        if attributes::write(at, &entry.attributes).is_err() {
            self.without_attributes.borrow_mut().push(entry.path.clone());
        }
    }
}
