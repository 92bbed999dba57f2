//! Paths as the judgement has them, and as the system takes them.
//!
//! The judgement knows one form: absolute paths begin with a slash, and slashes separate names. A path of Windows is below
//! a root that has the drives in it: `/C:/Users/u`. Elsewhere both forms are the same, and nothing is converted.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The path that the system takes, from one of the judgement.
#[cfg(not(windows))]
#[inline]
#[must_use]
pub fn native(text: &str) -> Cow<'_, Path> {
    Cow::Borrowed(Path::new(text))
}

/// The path that the system takes, from one of the judgement.
#[cfg(windows)]
#[must_use]
pub fn native(text: &str) -> Cow<'_, Path> {
    match guard_sdk::paths::native_of_windows(text) {
        Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
        Cow::Owned(text) => Cow::Owned(PathBuf::from(text)),
    }
}

/// A path below a folder, in the system's form. `below` is relative, with slashes.
#[inline]
#[must_use]
pub fn under(folder: &Path, below: &str) -> PathBuf {
    if cfg!(windows) { folder.join(below.replace('/', "\\")) } else { folder.join(below) }
}

/// The path of the judgement, from one of the system. `None` if it isn't text.
#[inline]
#[must_use]
pub fn judged(path: PathBuf) -> Option<String> {
    let text = path.into_os_string().into_string().ok()?;
    Some(match judged_text(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(text) => text,
    })
}

/// The path of the judgement, from a text that the system takes for a path.
#[cfg(not(windows))]
#[inline]
#[must_use]
pub fn judged_text(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// The path of the judgement, from a text that the system takes for a path.
#[cfg(windows)]
#[must_use]
pub fn judged_text(text: &str) -> Cow<'_, str> {
    match guard_sdk::paths::of_windows(text) {
        Some(path) => Cow::Owned(path),
        None if text.contains('\\') => Cow::Owned(text.replace('\\', "/")),
        None => Cow::Borrowed(text),
    }
}

/// The relative path that has these bytes, as git writes it. `None` if the system can't have such a name.
#[cfg(unix)]
#[inline]
#[must_use]
pub fn from_git(bytes: &[u8]) -> Option<&Path> {
    Some(Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes)))
}

/// The relative path that has these bytes, as git writes it. `None` if the system can't have such a name.
#[cfg(windows)]
#[must_use]
pub fn from_git(bytes: &[u8]) -> Option<&Path> {
    // A colon or a backslash would lead to another folder.
    let path = std::str::from_utf8(bytes).ok().filter(|path| !path.contains([':', '\\']));
    path.map(Path::new)
}

/// The bytes of a relative path, with slashes.
#[inline]
#[must_use]
pub fn slashed(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if cfg!(windows) && bytes.contains(&b'\\') {
        return bytes.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
    }
    Cow::Borrowed(bytes)
}
