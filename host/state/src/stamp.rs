//! [`Stamp`] and [`FileState`]: detect whether a file has changed since it was examined.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use guard_platform::Identity;
use guard_platform::fs::{MetadataExt, identity};
use serde::{Deserialize, Serialize};

use super::folder::is_private;

/// The device, inode, size, modification time and change time of a file.
///
/// The change time can't be set by the usual calls, so a file that was written to has a different stamp even if its
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
    /// Returns the stamp of a file that only this user can write to, or `None`.
    #[must_use]
    pub fn for_private_file(path: &Path) -> Option<Self> {
        let data = fs::symlink_metadata(path).ok().filter(is_private)?;
        Stamp::new(path, &data).ok()
    }

    /// Returns the stamp of the file at a path. `data` is its metadata.
    ///
    /// # Errors
    ///
    /// Any error of the file system, on systems where the metadata isn't enough.
    #[inline]
    pub fn new(path: &Path, data: &fs::Metadata) -> io::Result<Self> {
        let Identity { dev, ino, changed, .. } = identity(path, data)?;
        Ok(Stamp { dev, ino, size: data.len(), mtime: (data.mtime(), data.mtime_nsec()), ctime: changed })
    }
}

/// The state of a path at which there may be no file. A dangling link isn't a missing file, because a file was meant to
/// be there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileState {
    /// There is no file.
    Missing,
    /// The path is or contains a dangling link.
    Dangling,
    /// The file can't be examined. The number is the system's error code.
    Unreadable(i32),
    /// There is a file with this stamp.
    There(Stamp),
}

impl FileState {
    /// Returns the state of `path`. Follows links.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let absent = |error: &io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
        let (looked, is_link) = match fs::symlink_metadata(path) {
            Ok(data) if data.is_symlink() => (fs::metadata(path), true),
            looked => (looked, false),
        };
        match looked.and_then(|data| Stamp::new(path, &data)) {
            Ok(stamp) => FileState::There(stamp),
            Err(error) if !absent(&error) => FileState::Unreadable(error.raw_os_error().unwrap_or_default()),
            Err(_) if is_link || path.parent().is_some_and(is_dangling) => FileState::Dangling,
            Err(_) => FileState::Missing,
        }
    }

    /// Returns the reason why the existing file can't be read. `None` if it can be read or doesn't exist.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        match self {
            FileState::Missing | FileState::There(_) => None,
            FileState::Dangling => Some("it is a link that leads nowhere".to_owned()),
            FileState::Unreadable(number) => Some(io::Error::from_raw_os_error(*number).to_string()),
        }
    }
}

/// Returns whether a path without a target ends at a link: its last existing component is one.
fn is_dangling(path: &Path) -> bool {
    let mut there = path.ancestors().filter_map(|path| Some((path, fs::symlink_metadata(path).ok()?)));
    there.next().is_some_and(|(path, data)| data.is_symlink() && fs::metadata(path).is_err())
}

/// Formats bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns whether the text is a SHA-256 digest in hexadecimal digits of either case.
#[must_use]
pub fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_or_around_is_no_empty_place() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let state = |name: &str| FileState::read(&at(name));
        fs::write(at("file"), "x").unwrap();
        fs::create_dir(at("sub")).unwrap();
        symlink("gone", at("dangling")).unwrap();
        symlink("around", at("around")).unwrap();
        symlink("file", at("link")).unwrap();
        symlink("sub", at("into")).unwrap();
        for name in ["none", "sub/none", "none/none", "file/none", "into/none"] {
            assert_eq!(state(name), FileState::Missing, "{name}");
        }
        for name in ["dangling", "dangling/x", "dangling/x/y"] {
            assert_eq!(state(name), FileState::Dangling, "{name}");
            assert!(state(name).problem().is_some());
        }
        for name in ["around", "around/x"] {
            assert!(matches!(state(name), FileState::Unreadable(_)) && state(name).problem().is_some(), "{name}");
        }
        assert!(matches!(state("file"), FileState::There(_)) && state("file") == state("link"));
    }
}
