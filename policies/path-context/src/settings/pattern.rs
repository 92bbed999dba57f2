//! [`Pattern`]: a regular expression of the user's over the text of a command.

use regex_lite::{Regex, RegexBuilder};

/// The largest program of one expression.
const PROGRAM_BYTES: usize = 64 << 10;

/// A regular expression.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: String,
    regex: Regex,
}

impl Pattern {
    /// # Errors
    ///
    /// The text is no expression. It is no literal text either: a rule that somebody wrote means something.
    pub(super) fn new(text: String) -> Result<Self, String> {
        if text.is_empty() {
            return Err("it is empty".to_owned());
        }
        let regex = RegexBuilder::new(&text).size_limit(PROGRAM_BYTES).build();
        let regex = regex.map_err(|error| format!("`{text}` is no regular expression: {error}"))?;
        Ok(Pattern { text, regex })
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether a part of `text` matches.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}
