//! [`Stamp`]: what tells that a file is still the one that was looked at.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Device, inode, size and both times of a file.
///
/// The change time cannot be set back by the usual calls, so a file that was written to has another stamp even when its
/// modification time was restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stamp {
    dev: u64,
    ino: u64,
    size: u64,
    mtime: (i64, i64),
    ctime: (i64, i64),
}

impl Stamp {
    /// The stamp of what `path` leads to; none if that cannot be told, for instance because there is nothing.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|data| Stamp::from(&data))
    }
}

impl From<&fs::Metadata> for Stamp {
    fn from(data: &fs::Metadata) -> Self {
        Stamp {
            dev: data.dev(),
            ino: data.ino(),
            size: data.size(),
            mtime: (data.mtime(), data.mtime_nsec()),
            ctime: (data.ctime(), data.ctime_nsec()),
        }
    }
}

/// Bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
