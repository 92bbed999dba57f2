//! Paths as text: no file system is asked.

/// The longest path that is looked at; Linux's own limit.
pub const PATH_BYTES: usize = 4096;

/// `path` as an absolute text without `.`, `..`, `~` and double slashes.
///
/// A relative path stands below `cwd`. `..` at the root stays at the root, as in the kernel.
#[must_use]
pub fn lexical(path: &str, cwd: &str, home: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    let absolute = absolute(path, cwd, home);
    for segment in absolute.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name),
        }
    }
    let mut text = String::with_capacity(absolute.len());
    for segment in segments {
        text.push('/');
        text.push_str(segment);
    }
    if text.is_empty() { "/".to_owned() } else { text }
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

/// `path` is `root` or lies below it. Both are absolute and lexical.
#[must_use]
pub fn is_below(path: &str, root: &str) -> bool {
    below(path, root).is_some()
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

/// The path without white space around it, in the widest sense of the word: a harness may trim a path before it opens
/// the file, each in its own language.
#[must_use]
pub fn trimmed(path: &str) -> &str {
    let is_space = |c: char| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}' | '\u{180e}' | '\u{feff}');
    path.trim_matches(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn white_space_around_a_path_is_taken_off_whoever_calls_it_so() {
        let spaces = [
            " ", "\n", "\r\n", "\t", "\u{b}", "\u{c}", "\u{85}", "\u{a0}", "\u{2003}", "\u{2028}", "\u{3000}",
            "\u{feff}",
        ];
        for space in spaces {
            assert_eq!(trimmed(&format!("{space}a b{space}{space}")), "a b", "{space:?}");
        }
        assert_eq!((trimmed("a"), trimmed(" "), trimmed("")), ("a", "", ""));
    }
}
