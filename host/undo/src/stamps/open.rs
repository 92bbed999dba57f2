//! [`StampReader`]: reads files' metadata relative to their open folders.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use super::skip_reason;
use crate::gather::SkipReason;
use crate::index::{Index, Stamp, TrackedFile};

/// The flags for opening a folder: without following a link, and on Linux without permission to read it.
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(PATH);
#[cfg(all(any(target_os = "linux", target_os = "android"), not(portable)))]
const PATH: OFlags = OFlags::PATH;
#[cfg(not(all(any(target_os = "linux", target_os = "android"), not(portable))))]
const PATH: OFlags = OFlags::empty();

/// Examines files one by one. Fastest in the order of their paths.
pub(super) struct StampReader<'a> {
    index: &'a Index,
    root: &'a Path,
    /// The folder of the last file, relative to the root.
    folder: Vec<u8>,
    /// The root and the folders down to that folder, with the lengths of their paths.
    open: Vec<(usize, OwnedFd)>,
    /// A folder that doesn't exist.
    missing: Option<Vec<u8>>,
    pub(super) found: BTreeSet<PathBuf>,
}

impl<'a> StampReader<'a> {
    pub(super) fn new(index: &'a Index, root: &'a Path) -> Result<Self, SkipReason> {
        let top = openat(CWD, root, FOLDER, Mode::empty()).map_err(skip_reason)?;
        let (folder, found) = Default::default();
        Ok(StampReader { index, root, folder, open: vec![(0, top)], missing: None, found })
    }

    pub(super) fn check_file(&mut self, tracked: &TrackedFile<'_>) -> Result<(), SkipReason> {
        let path = tracked.path;
        let (folder, name) = match path.iter().rposition(|byte| *byte == b'/') {
            Some(end) => path.split_at(end),
            None => (&b""[..], path),
        };
        let is_below = |missing: &Vec<u8>| is_in(folder, missing);
        if self.missing.as_ref().is_some_and(is_below) || !self.enter(folder)? {
            return Ok(());
        }
        let Some((_, folder)) = self.open.last() else { return Ok(()) };
        let name = OsStr::from_bytes(name.strip_prefix(b"/").unwrap_or(name));
        match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            // A submodule is also a folder.
            Ok(stat) if FileType::from_raw_mode(stat.st_mode).is_dir() => {
                if tracked.is_folder() {
                    Ok(())
                } else {
                    self.add(path)
                }
            }
            Ok(stat) if self.index.is_unchanged(tracked, &Stamp::from(&stat)) => Ok(()),
            Ok(_) => self.add(path),
            Err(Errno::NOENT) => Ok(()),
            // The file can't be accessed, which the code that copies it will report.
            Err(Errno::ACCESS) => self.add(path),
            Err(error) => Err(skip_reason(error)),
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "it ends the arms of a match")]
    fn add(&mut self, path: &[u8]) -> Result<(), SkipReason> {
        self.found.insert(self.root.join(OsStr::from_bytes(path)));
        Ok(())
    }

    /// Opens a folder below the root. Returns whether it exists.
    fn enter(&mut self, folder: &[u8]) -> Result<bool, SkipReason> {
        if folder == self.folder {
            return Ok(true);
        }
        while self.open.last().is_some_and(|(length, _)| {
            let above = self.folder.get(..*length).unwrap_or_default();
            !is_in(folder, above)
        }) {
            self.open.pop();
        }
        let mut done = self.open.last().map_or(0, |(length, _)| *length);
        self.folder.truncate(done);
        while done < folder.len() {
            let rest = folder.get(done..).unwrap_or_default();
            let rest = rest.strip_prefix(b"/").unwrap_or(rest);
            let name = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
            // Git never writes such a name to an index, and it would lead out of the work tree.
            if matches!(name, b"" | b"." | b"..") {
                return Err(skip_reason("the index has a path that leads out of the work tree"));
            }
            done = folder.len() - rest.len() + name.len();
            let path = folder.get(..done).unwrap_or_default();
            let Some((_, above)) = self.open.last() else { return Ok(false) };
            match openat(above, OsStr::from_bytes(name), FOLDER, Mode::empty()) {
                Ok(opened) => self.open.push((done, opened)),
                Err(error) => {
                    self.missing = Some(path.to_vec());
                    return match error {
                        Errno::NOENT => Ok(false),
                        // A file or link, which is lost, or a folder that can't be accessed.
                        Errno::LOOP | Errno::NOTDIR | Errno::ACCESS => self.add(path).map(|()| false),
                        error => Err(skip_reason(error)),
                    };
                }
            }
            self.folder = path.to_vec();
        }
        Ok(true)
    }
}

/// Returns whether a path is this folder or below it. Everything is below the root.
fn is_in(path: &[u8], folder: &[u8]) -> bool {
    let rest = path.strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}
