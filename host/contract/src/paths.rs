//! Paths as text: no file system is asked.

pub use guard_sdk::paths::{PATH_BYTES, absolute, below, lexical, parent};

/// `path` is `root` or lies below it. Both are absolute and lexical.
#[must_use]
pub fn is_below(path: &str, root: &str) -> bool {
    below(path, root).is_some()
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
