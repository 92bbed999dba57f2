//! [`Pattern`]: a regular expression of the user's over the text of a command.

use regex_lite::{Regex, RegexBuilder};

/// The largest program of one expression.
const PROGRAM_BYTES: usize = 64 << 10;

/// A regular expression. One that cannot be read is literal text: a rule that somebody wrote is never dropped.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: String,
    regex: Option<Regex>,
}

impl Pattern {
    pub(super) fn new(text: &str, warnings: &mut Vec<String>) -> Self {
        let regex = RegexBuilder::new(text).size_limit(PROGRAM_BYTES).build();
        if let Err(error) = &regex {
            warnings.push(format!("the pattern `{text}` is taken literally: {error}"));
        }
        Pattern { text: text.to_owned(), regex: regex.ok() }
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether a part of `text` matches.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.regex.as_ref().map_or_else(|| text.contains(&self.text), |regex| regex.is_match(text))
    }
}
