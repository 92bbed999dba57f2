//! [`Text`]: a text whose parts may only be known at run time.

use serde::{Deserialize, Serialize};

/// The maximum length of a literal in bytes. A longer one becomes unknown.
const LONGEST: usize = 16 * 1024;
/// The maximum number of pieces.
const PIECES: usize = 64;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// Literal text.
    Literal(String),
    /// Only known at run time.
    Unknown,
    /// The user's home.
    Home,
    /// An environment variable.
    Variable(String),
    /// An argument of the script. The script itself is 0.
    Argument(usize),
    /// A file name pattern, as for `glob`.
    Pattern(String),
    /// A temporary path created by the code, as by `tempfile`.
    Own,
}

/// A text in parts. Two literals are never adjacent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The parts. An empty list is an empty text.
    pub pieces: Vec<Piece>,
}

impl Text {
    /// Creates a known text.
    #[must_use]
    pub fn literal(text: &str) -> Text {
        Text::default().with(text)
    }

    /// Creates a text with one part.
    #[must_use]
    pub fn of(piece: Piece) -> Text {
        Text { pieces: vec![piece] }
    }

    /// Returns the text, if it is completely known.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns whether the start of the text is unknown.
    #[must_use]
    pub fn begins_unknown(&self) -> bool {
        matches!(self.pieces.first(), Some(Piece::Unknown))
    }

    /// Returns whether a part is only known at run time.
    #[must_use]
    pub fn is_partly_unknown(&self) -> bool {
        self.pieces.contains(&Piece::Unknown)
    }

    /// Returns whether it is a temporary path created by the code, or one below it. An unknown name and `..` may lead
    /// out of it.
    #[must_use]
    pub fn is_own(&self) -> bool {
        let Some((Piece::Own, rest)) = self.pieces.split_first() else { return false };
        rest.iter().all(|piece| match piece {
            Piece::Literal(text) | Piece::Pattern(text) => !text.contains(".."),
            Piece::Own => true,
            _ => false,
        })
    }

    /// Returns the literal at the start of the text, or an empty text.
    #[must_use]
    pub fn head(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Literal(text)) => text,
            _ => "",
        }
    }

    /// Returns the text with a literal appended.
    #[must_use]
    pub fn with(mut self, text: &str) -> Text {
        self.push(Piece::Literal(text.to_owned()));
        self
    }

    /// Returns the text with another one appended.
    #[must_use]
    pub fn and(mut self, other: &Text) -> Text {
        other.pieces.iter().for_each(|piece| self.push(piece.clone()));
        self
    }

    /// Appends a part.
    pub fn push(&mut self, piece: Piece) {
        let full = self.pieces.len() >= PIECES;
        match (self.pieces.last_mut(), piece) {
            (_, Piece::Literal(new)) if new.is_empty() => {}
            (Some(Piece::Literal(last)), Piece::Literal(new)) if last.len() + new.len() <= LONGEST => {
                last.push_str(&new);
            }
            (Some(Piece::Unknown), Piece::Unknown) => {}
            (Some(last), _) if full => *last = Piece::Unknown,
            (_, Piece::Literal(new)) if new.len() > LONGEST => self.pieces.push(Piece::Unknown),
            (_, piece) => self.pieces.push(piece),
        }
    }

    /// Returns the size in bytes. Parts without text count as one.
    pub fn weight(&self) -> usize {
        let of = |piece: &Piece| match piece {
            Piece::Literal(text) | Piece::Variable(text) | Piece::Pattern(text) => text.len(),
            _ => 1,
        };
        self.pieces.iter().map(of).sum()
    }
}
