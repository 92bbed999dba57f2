//! [`Pieces`]: a string that code puts together, as far as it is known.

use guard_sdk::syntax::{Part, Word};

use crate::word::expand::literal;

/// The longest string that is put together.
const LONGEST: usize = 4096;

/// Known texts, with `None` for what is known only at run time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pieces(Vec<Option<String>>);

impl Pieces {
    /// A known text.
    pub(crate) fn known(text: &str) -> Pieces {
        let mut pieces = Pieces::default();
        pieces.push(text);
        pieces
    }

    /// Nothing is known of it.
    pub(crate) fn unknown() -> Pieces {
        Pieces(vec![None])
    }

    /// Adds a known text; one that is too long is not known.
    pub(crate) fn push(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            _ if text.len() > LONGEST => self.push_unknown(),
            Some(Some(last)) if last.len() <= LONGEST => last.push_str(text),
            _ => self.0.push(Some(text.to_owned())),
        }
    }

    /// Adds something that is known only at run time.
    pub(crate) fn push_unknown(&mut self) {
        if self.0.last().is_none_or(Option::is_some) {
            self.0.push(None);
        }
    }

    /// Adds what another string holds.
    pub(crate) fn append(&mut self, other: &Pieces) {
        for piece in &other.0 {
            match piece {
                Some(text) => self.push(text),
                None => self.push_unknown(),
            }
        }
    }

    /// The text, if all of it is known.
    pub(crate) fn text(&self) -> Option<String> {
        self.0.iter().map(Option::as_deref).collect()
    }

    /// The same, where it is one piece.
    pub(crate) fn text_ref(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Some(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether there is anything but blanks that is known.
    pub(crate) fn says_something(&self) -> bool {
        self.0.iter().flatten().any(|text| !text.trim().is_empty())
    }

    /// The string as a word, with variables for what is not known.
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
