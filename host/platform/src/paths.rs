//! Conversion between the host's paths and the system's.
//!
//! The host uses one form: absolute paths begin with a slash, and slashes separate names. A Windows path is below a
//! root that contains the drives: `/C:/Users/u`. On other systems both forms are the same, and nothing is converted.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Converts a host path to a system path.
#[cfg(not(windows))]
#[inline]
#[must_use]
pub fn native(text: &str) -> Cow<'_, Path> {
    Cow::Borrowed(Path::new(text))
}

/// Converts a host path to a system path.
#[cfg(windows)]
#[must_use]
pub fn native(text: &str) -> Cow<'_, Path> {
    match guard_sdk::paths::native_of_windows(text) {
        Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
        Cow::Owned(text) => Cow::Owned(PathBuf::from(text)),
    }
}

/// Joins a folder and a path below it, in the system's form. `below` is relative, with slashes.
#[inline]
#[must_use]
pub fn under(folder: &Path, below: &str) -> PathBuf {
    if cfg!(windows) { folder.join(below.replace('/', "\\")) } else { folder.join(below) }
}

/// Converts a system path to a host path. `None` if it isn't UTF-8.
#[inline]
#[must_use]
pub fn judged(path: PathBuf) -> Option<String> {
    let text = path.into_os_string().into_string().ok()?;
    Some(match judged_text(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(text) => text,
    })
}

/// Converts a system path's text to a host path.
#[cfg(not(windows))]
#[inline]
#[must_use]
pub fn judged_text(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// Converts a system path's text to a host path.
#[cfg(windows)]
#[must_use]
pub fn judged_text(text: &str) -> Cow<'_, str> {
    match guard_sdk::paths::of_windows(text) {
        Some(path) => Cow::Owned(path),
        None if text.contains('\\') => Cow::Owned(text.replace('\\', "/")),
        None => Cow::Borrowed(text),
    }
}

/// Returns the relative path with these bytes from git. `None` if the system doesn't allow such a name.
#[cfg(unix)]
#[inline]
#[must_use]
pub fn from_git(bytes: &[u8]) -> Option<&Path> {
    Some(Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes)))
}

/// Returns the relative path with these bytes from git. `None` if the system doesn't allow such a name.
#[cfg(windows)]
#[must_use]
pub fn from_git(bytes: &[u8]) -> Option<&Path> {
    // A colon or a backslash would refer to another folder.
    let path = std::str::from_utf8(bytes).ok().filter(|path| !path.contains([':', '\\']));
    path.map(Path::new)
}

/// Returns the bytes of a relative path, with slashes.
#[inline]
#[must_use]
pub fn slashed(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if cfg!(windows) && bytes.contains(&b'\\') {
        return bytes.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
    }
    Cow::Borrowed(bytes)
}
