//! [`Pieces`]: a string composed by code, as far as it is known.

use guard_sdk::syntax::{Part, Word};

use crate::word::expand::literal;

/// The maximum length of a composed string in bytes.
const LONGEST: usize = 4096;

/// Known texts, with `None` for parts that are only known at run time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pieces(Vec<Option<String>>);

impl Pieces {
    /// Creates a known text.
    pub(crate) fn known(text: &str) -> Pieces {
        let mut pieces = Pieces::default();
        pieces.push(text);
        pieces
    }

    /// Creates an unknown text.
    pub(crate) fn unknown() -> Pieces {
        Pieces(vec![None])
    }

    /// Adds a known text. If the result is too long, it is unknown.
    pub(crate) fn push(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            _ if text.len() > LONGEST => self.push_unknown(),
            Some(Some(last)) if last.len() <= LONGEST => last.push_str(text),
            _ => self.0.push(Some(text.to_owned())),
        }
    }

    /// Adds a part that is only known at run time.
    pub(crate) fn push_unknown(&mut self) {
        if self.0.last().is_none_or(Option::is_some) {
            self.0.push(None);
        }
    }

    /// Adds the parts of another string.
    pub(crate) fn append(&mut self, other: &Pieces) {
        for piece in &other.0 {
            match piece {
                Some(text) => self.push(text),
                None => self.push_unknown(),
            }
        }
    }

    /// Returns the text, if it is completely known.
    pub(crate) fn text(&self) -> Option<String> {
        self.0.iter().map(Option::as_deref).collect()
    }

    /// Returns the text, if it is one known piece.
    pub(crate) fn text_ref(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Some(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns whether a known part isn't blank.
    pub(crate) fn says_something(&self) -> bool {
        self.0.iter().flatten().any(|text| !text.trim().is_empty())
    }

    /// Returns the string as a word, with variables for unknown parts.
    pub(crate) fn word(&self) -> Word {
        if let Some(text) = self.text() {
            return literal(&text);
        }
        let mut word = Word { text: String::new(), dynamic: true, quoted: false, glob: false, parts: Vec::new() };
        for piece in &self.0 {
            match piece {
                Some(text) => {
                    word.text.push_str(text);
                    word.parts.extend(literal(text).parts);
                }
                None => {
                    word.text.push_str("$_");
                    word.parts.push(Part { kind: "variable".to_owned(), text: "_".to_owned(), quoted: false });
                }
            }
        }
        word
    }
}
