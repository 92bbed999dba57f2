//! [`Spot`]: the open folder of another process's path, and the name in it.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, readlinkat, statat};

use crate::linux::calls::At;

#[derive(Debug)]
pub(in crate::linux) struct Spot {
    pub(in crate::linux) folder: OwnedFd,
    pub(in crate::linux) name: OsString,
    /// The path with symbolic links resolved, except in its last name.
    pub(in crate::linux) path: PathBuf,
}

impl Spot {
    /// Resolves a path in the view of the process.
    pub(in crate::linux) fn find(process: u32, at: &At) -> Option<Self> {
        let bytes = at.path.as_bytes();
        let end = bytes.iter().rposition(|byte| *byte != b'/')?;
        let path = Path::new(OsStr::from_bytes(bytes.get(..=end)?));
        let name = path.file_name()?.to_owned();
        // `Path` removes a dot at the end, which would be another file.
        if bytes.ends_with(b"/.") || bytes.ends_with(b"/..") {
            return None;
        }
        let parent = path.parent().unwrap_or(Path::new(""));
        let start = match at.folder {
            _ if path.is_absolute() => format!("/proc/{process}/root"),
            libc::AT_FDCWD => format!("/proc/{process}/cwd"),
            fd => format!("/proc/{process}/fd/{fd}"),
        };
        let start = open_folder(CWD, Path::new(&start))?;
        let parent = if path.is_absolute() { parent.strip_prefix("/").ok()? } else { parent };
        let folder = if parent.as_os_str().is_empty() { start } else { open_folder(&start, parent)? };
        Spot::new(folder, name)
    }

    fn new(folder: OwnedFd, name: OsString) -> Option<Self> {
        let link = format!("/proc/self/fd/{}", folder.as_raw_fd());
        let path = std::fs::read_link(link).ok().filter(|path| path.is_absolute())?.join(&name);
        Some(Spot { folder, name, path })
    }

    /// Follows a symbolic link at this spot, if there is one.
    pub(in crate::linux) fn follow_link(self) -> Self {
        if readlinkat(&self.folder, &self.name, Vec::new()).is_err() {
            return self;
        }
        let target = self.path.canonicalize().ok();
        let spot = target.and_then(|target| {
            let folder = open_folder(CWD, target.parent()?)?;
            Spot::new(folder, target.file_name()?.to_owned())
        });
        spot.unwrap_or(self)
    }

    pub(in crate::linux) fn exists(&self) -> bool {
        statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Returns whether this isn't a regular file, such as a pipe, which the kernel opens.
    pub(in crate::linux) fn is_special(&self) -> bool {
        let kind = statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        kind.is_ok_and(|data| FileType::from_raw_mode(data.st_mode) != FileType::RegularFile)
    }
}

fn open_folder(start: impl std::os::fd::AsFd, path: &Path) -> Option<OwnedFd> {
    openat(start, path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()
}
