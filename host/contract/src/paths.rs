//! Paths as text, without access to the file system.

pub use guard_sdk::paths::{PATH_BYTES, absolute, below, lexical, parent};

/// Returns whether `path` is `root` or below it. Both are absolute and lexical.
#[must_use]
pub fn is_below(path: &str, root: &str) -> bool {
    below(path, root).is_some()
}

/// Removes leading and trailing white space in the broadest sense, because harnesses may trim a path before they open
/// the file, each by its language's definition.
#[must_use]
pub fn trimmed(path: &str) -> &str {
    let is_space = |c: char| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}' | '\u{180e}' | '\u{feff}');
    path.trim_matches(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

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
