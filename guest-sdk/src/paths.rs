//! Operations on paths as text: they don't access the file system or follow links.

mod windows;

pub use windows::{
    DrivePlace, drive_place, is_device_of_windows, is_disk_of_windows, native_of_windows, of_windows, without_stream,
};

/// The maximum length of a path in bytes, which is Linux's limit.
pub const PATH_BYTES: usize = 4096;

/// Returns the components of `path` without `.`, `..` and empty ones, joined by slashes, without a slash at either end.
///
/// A `..` at the start has no effect, as in the kernel at the root.
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

/// Returns the text after the last slash of a path, or all of it.
#[must_use]
pub fn last_name(path: &str) -> &str {
    // For such short texts, `rsplit` is slower.
    let start = path.bytes().rposition(|byte| byte == b'/').map_or(0, |at| at + 1);
    path.get(start..).unwrap_or(path)
}

/// Returns `path` as an absolute text without `.`, `..`, `~` and doubled slashes.
///
/// A relative path is relative to `cwd`. A `..` at the root has no effect, as in the kernel.
#[must_use]
pub fn lexical(path: &str, cwd: &str, home: &str) -> String {
    format!("/{}", without_dots(&absolute(path, cwd, home)))
}

/// Returns `path` with its start made absolute, and the rest unchanged.
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

/// Returns the part of a Windows path after the drive: `/x` for `C:\\x` and for `c:/x`. Empty for the root of the
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

/// Returns `path` relative to `root`: `.` for the root itself, `None` outside of it.
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

/// Returns the folder that contains `path`. `None` for the root.
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
