//! Paths as text: no file system is asked, so links are not seen.

mod windows;

pub use windows::{
    DrivePlace, drive_place, is_device_of_windows, is_disk_of_windows, native_of_windows, of_windows, without_stream,
};

/// The longest path that is looked at; Linux's own limit.
pub const PATH_BYTES: usize = 4096;

/// The components of `path` without `.`, `..` and empty ones, joined by slashes; no slash at either end.
///
/// `..` at the start stays there, as in the kernel at the root.
#[must_use]
pub fn without_dots(path: &str) -> String {
    let mut components: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => drop(components.pop()),
            name => components.push(name),
        }
    }
    components.join("/")
}

/// `path` as an absolute text without `.`, `..`, `~` and double slashes.
///
/// A relative path stands below `cwd`. `..` at the root stays at the root, as in the kernel.
#[must_use]
pub fn lexical(path: &str, cwd: &str, home: &str) -> String {
    format!("/{}", without_dots(&absolute(path, cwd, home)))
}

/// `path` with its start made absolute and the rest untouched.
#[must_use]
pub fn absolute(path: &str, cwd: &str, home: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    if !home.is_empty() {
        if path == "~" {
            return home.to_owned();
        }
        if let Some(below) = path.strip_prefix("~/") {
            return format!("{home}/{below}");
        }
    }
    format!("{cwd}/{path}")
}

/// Returns the part of a Windows path after the drive: `/x` for `C:\\x` and for `c:/x`; empty for the root of the
/// drive.
#[must_use]
pub fn drive(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(|first: char| first.is_ascii_alphabetic())?.strip_prefix(':')?;
    match rest {
        "/" | "\\" => Some(""),
        _ if rest.is_empty() || rest.starts_with(['/', '\\']) => Some(rest),
        _ => None,
    }
}

/// `path` relative to `root`: `.` for the root itself, none outside of it.
#[must_use]
pub fn below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    if root == "/" {
        return Some(path.strip_prefix('/').filter(|rest| !rest.is_empty()).unwrap_or("."));
    }
    match path.strip_prefix(root)? {
        "" => Some("."),
        rest => rest.strip_prefix('/'),
    }
}

/// The folder that holds `path`; none for the root.
#[must_use]
pub fn parent(path: &str) -> Option<&str> {
    match path.rsplit_once('/')? {
        ("", "") => None,
        ("", _) => Some("/"),
        (parent, _) => Some(parent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_is_one_letter_and_a_colon() {
        for (path, below) in [("C:", ""), ("c:/", ""), ("C:\\", ""), ("D:/x", "/x"), ("D:\\x\\y", "\\x\\y")] {
            assert_eq!(drive(path), Some(below), "{path}");
        }
        for path in ["", "/", "C", "host:x", "C:x", "1:/x", "é:/x"] {
            assert_eq!(drive(path), None, "{path}");
        }
    }

    #[test]
    fn dots_are_resolved_by_text() {
        for (path, expected) in
            [("/a//b/./c/", "a/b/c"), ("../a", "a"), ("a/../../b", "b"), ("", ""), ("~/x/..", "~"), ("...", "...")]
        {
            assert_eq!(without_dots(path), expected, "{path}");
        }
    }

    #[test]
    fn text_alone_makes_a_path_absolute() {
        for (path, expected) in [
            ("a", "/repo/a"),
            ("./a//b/", "/repo/a/b"),
            ("../../../x", "/x"),
            ("~", "/home/u"),
            ("~/.ssh/../.aws", "/home/u/.aws"),
            ("/a/./b/..", "/a"),
            ("/", "/"),
            ("", "/repo"),
            ("~other/x", "/repo/~other/x"),
        ] {
            assert_eq!(lexical(path, "/repo", "/home/u"), expected, "{path}");
        }
    }

    #[test]
    fn below_needs_a_whole_segment() {
        assert_eq!(below("/repo/a/b", "/repo"), Some("a/b"));
        assert_eq!(below("/repo", "/repo"), Some("."));
        assert_eq!(below("/repository", "/repo"), None);
        assert_eq!(below("/etc", "/"), Some("etc"));
    }
}
