//! Copies of files: with shared extents where the file system supports that, else byte by byte.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

use guard_platform::fs::{MetadataExt, OpenOptionsExt, open_unlinked, set_mode, set_times};
use sha2::{Digest, Sha256};

/// The number of bytes between two checks of the deadline.
const CHUNK: u64 = 4 << 20;

/// The method by which a file was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopyMethod {
    /// Both files share their extents until one of them changes.
    Cloned,
    /// Byte by byte.
    Bytes,
}

impl CopyMethod {
    pub(crate) fn is_cloned(self) -> bool {
        self == CopyMethod::Cloned
    }
}

/// Copies the content of a regular file to a new private file. Links aren't followed, and other kinds of files aren't
/// read.
///
/// # Errors
///
/// [`io::ErrorKind::TimedOut`] after the deadline, and errors of the file system.
pub(crate) fn copy(from: &Path, to: &Path, until: Option<Instant>) -> io::Result<CopyMethod> {
    let mut source = open_unlinked(OpenOptions::new().read(true), from)?;
    if !source.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file any more"));
    }
    let mut target = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    if is_cloned(&source, &target) {
        return Ok(CopyMethod::Cloned);
    }
    loop {
        if until.is_some_and(|until| Instant::now() >= until) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if io::copy(&mut (&mut source).take(CHUNK), &mut target)? < CHUNK {
            return Ok(CopyMethod::Bytes);
        }
    }
}

#[cfg(all(target_os = "linux", not(portable)))]
fn is_cloned(source: &File, target: &File) -> bool {
    rustix::fs::ioctl_ficlone(target, source).is_ok()
}

#[cfg(not(all(target_os = "linux", not(portable))))]
fn is_cloned(_: &File, _: &File) -> bool {
    false
}

/// Returns the modification time, in seconds and nanoseconds.
pub(crate) fn modification_time(data: &Metadata) -> (i64, i64) {
    (data.mtime(), data.mtime_nsec())
}

/// Returns the time of the last change of the content, the name or the permissions, in seconds and nanoseconds.
pub(crate) fn status_time(data: &Metadata) -> (i64, i64) {
    (data.ctime(), data.ctime_nsec())
}

/// Restores the mode and modification time of a file or folder.
pub(crate) fn restore_attributes(path: &Path, mode: u32, time: (i64, i64)) -> io::Result<()> {
    set_mode(path, mode & 0o7777)?;
    date(path, time)
}

/// Sets the modification time of a path. Links aren't followed.
pub(crate) fn date(path: &Path, time: (i64, i64)) -> io::Result<()> {
    set_times(path, time)
}

/// Returns the SHA-256 digest of a file's content in hexadecimal.
///
/// # Errors
///
/// [`io::ErrorKind::TimedOut`] after the deadline, and errors of the file system.
pub(crate) fn digest(path: &Path, until: Option<Instant>) -> io::Result<String> {
    let mut file = open_unlinked(OpenOptions::new().read(true), path)?;
    let (mut hash, mut part) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        if until.is_some_and(|until| Instant::now() >= until) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match file.read(&mut part)? {
            0 => return Ok(guard_state::hex(&hash.finalize())),
            count => hash.update(part.get(..count).unwrap_or_default()),
        }
    }
}

/// Returns whether two files have the same content.
pub(crate) fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut here, mut there) = (Vec::new(), Vec::new());
    loop {
        here.clear();
        there.clear();
        let count = (&mut one).take(CHUNK).read_to_end(&mut here)?;
        (&mut other).take(CHUNK).read_to_end(&mut there)?;
        if here != there || count == 0 {
            return Ok(here == there);
        }
    }
}
