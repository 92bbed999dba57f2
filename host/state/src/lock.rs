//! [`FileLock`]: a lock between processes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use guard_platform::fs::{OpenOptionsExt, open_at_once};

/// The first wait before retrying a lock that another process holds. It doubles each time. Most locks are held while
/// one line of a log is written.
const SHORTEST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// A lock that is held until this is dropped or the process ends.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
}

impl FileLock {
    /// Waits for the lock on the file `path` until `deadline`.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::TimedOut`], or any error of the file system.
    pub fn acquire(path: &Path, deadline: Instant) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = open_at_once(options.write(true).create(true).truncate(false).mode(0o600), path)?;
        let mut pause = SHORTEST_PAUSE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(FileLock { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    sleep(pause);
                    pause = (2 * pause).min(LONGEST_PAUSE);
                }
                Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::TimedOut.into()),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}
