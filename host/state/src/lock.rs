//! [`FileLock`]: one process at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use guard_platform::fs::{OpenOptionsExt, open_at_once};

/// The time between two looks at a lock that another process holds, which doubles. Most are held for a line of a log.
const SHORTEST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

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
