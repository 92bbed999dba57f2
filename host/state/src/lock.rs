//! [`FileLock`]: one process at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::folder::open_at_once;

/// Holds a lock until it is dropped, or the process ends.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
}

impl FileLock {
    /// Waits for the lock file `path`, at most until `deadline`.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::TimedOut`], or those of the file system.
    pub fn acquire(path: &Path, deadline: Instant) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = open_at_once(options.write(true).create(true).truncate(false).mode(0o600), path)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(FileLock { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => sleep(Duration::from_millis(2)),
                Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::TimedOut.into()),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}
