//! [`Stamp`] and [`FileState`]: what tells that a file is still the one that was looked at.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use guard_platform::Identity;
use guard_platform::fs::{MetadataExt, identity};
use serde::{Deserialize, Serialize};

use super::folder::is_private;

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
    /// The stamp of a file that belongs to this user alone; none of anything else.
    #[must_use]
    pub fn for_private_file(path: &Path) -> Option<Self> {
        let data = fs::symlink_metadata(path).ok().filter(is_private)?;
        Stamp::new(path, &data).ok()
    }

    /// The stamp of the file that a path leads to. `data` are its metadata.
    ///
    /// # Errors
    ///
    /// Those of the file system, where the metadata don't say it all.
    #[inline]
    pub fn new(path: &Path, data: &fs::Metadata) -> io::Result<Self> {
        let Identity { dev, ino, changed, .. } = identity(path, data)?;
        Ok(Stamp { dev, ino, size: data.len(), mtime: (data.mtime(), data.mtime_nsec()), ctime: changed })
    }
}

/// The state of a path that may be empty. A link that leads nowhere is not an empty place: it was meant to be a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileState {
    /// Nothing.
    Missing,
    /// A link, there or on the way, that leads nowhere.
    Dangling,
    /// Something that cannot be looked at; the number is the system's for the reason.
    Unreadable(i32),
    /// The file's stamp.
    There(Stamp),
}

impl FileState {
    /// The state of what `path` leads to.
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

    /// Why nothing can be read there although something stands there; `None` if something can, or nothing stands there.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        match self {
            FileState::Missing | FileState::There(_) => None,
            FileState::Dangling => Some("it is a link that leads nowhere".to_owned()),
            FileState::Unreadable(number) => Some(io::Error::from_raw_os_error(*number).to_string()),
        }
    }
}

/// Of a path that leads nowhere: the last component on it that is there is a link.
fn is_dangling(path: &Path) -> bool {
    let mut there = path.ancestors().filter_map(|path| Some((path, fs::symlink_metadata(path).ok()?)));
    there.next().is_some_and(|(path, data)| data.is_symlink() && fs::metadata(path).is_err())
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

/// The text is a SHA-256 in hexadecimal digits of either case.
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
