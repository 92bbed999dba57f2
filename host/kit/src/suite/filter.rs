//! [`Filter`]: a regular expression that selects cases.

use std::path::Path;
use std::str::FromStr;

use regex_lite::Regex;

use super::Case;

/// Selects the cases whose title or file path matches a regular expression. Plain text matches itself.
#[derive(Debug, Clone)]
pub struct Filter(Regex);

/// An invalid filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}, from character {character} on")]
pub struct FilterError {
    /// The error.
    text: String,
    /// The position of the error, counted from 1.
    character: usize,
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(pattern: &str) -> Result<Self, FilterError> {
        let refused =
            |error: regex_lite::Error| FilterError { text: error.to_string(), character: error_position(pattern) };
        Regex::new(pattern).map(Filter).map_err(refused)
    }
}

impl Filter {
    /// Returns the regular expression.
    #[must_use]
    pub fn pattern(&self) -> &str {
        self.0.as_str()
    }
}

/// Returns whether one of the filters selects the case, or there are no filters.
#[must_use]
pub fn is_chosen(file: &Path, case: &Case, filters: &[Filter]) -> bool {
    let (title, file) = (case.title(), file.to_string_lossy());
    filters.is_empty() || filters.iter().any(|Filter(regex)| regex.is_match(&title) || regex.is_match(&file))
}

/// Returns the position of the first character that makes the pattern invalid, because the parser doesn't report it. It
/// follows the longest valid prefix.
fn error_position(pattern: &str) -> usize {
    let ends: Vec<usize> = pattern.char_indices().map(|(start, _)| start).collect();
    let is_right = |end: &usize| Regex::new(pattern.get(..*end).unwrap_or_default()).is_ok();
    ends.iter().rposition(is_right).map_or(1, |characters| characters + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_placed_where_it_begins() {
        for (pattern, character) in [
            ("(", 1),
            ("ab(c", 3),
            ("(a)(b", 4),
            ("[a](b[c", 4),
            ("x(a[(]", 2),
            ("x)y)", 2),
            ("\u{e9}\u{e9}*+?)", 6),
            ("a{2,1}b", 2),
            ("(a|[z-a])", 1),
        ] {
            let error = pattern.parse::<Filter>().unwrap_err();
            assert_eq!(error.character, character, "{pattern}: {error}");
        }
    }

    #[test]
    fn a_plain_text_matches_itself_in_the_title_and_the_path() {
        let case = Case { name: "a push".to_owned(), ..Case::default() };
        let is_chosen = |patterns: &[&str]| {
            let filters: Vec<Filter> = patterns.iter().map(|pattern| pattern.parse().unwrap()).collect();
            super::is_chosen(Path::new("cases/git.toml"), &case, &filters)
        };
        assert!(is_chosen(&[]) && is_chosen(&["push"]) && is_chosen(&["git.toml"]) && is_chosen(&["x", "a p"]));
        assert!(!is_chosen(&["Push"]) && !is_chosen(&["x", "y"]));
    }
}
