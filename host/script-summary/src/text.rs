//! [`Text`]: a text of which parts may be known only at run time.

use serde::{Deserialize, Serialize};

/// The longest literal that is kept, in bytes. A longer one becomes unknown.
const LONGEST: usize = 16 * 1024;
/// The most pieces that are kept.
const PIECES: usize = 64;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// It stands like this.
    Literal(String),
    /// It is known only at run time.
    Unknown,
    /// The home of the user.
    Home,
    /// A variable of the environment.
    Variable(String),
    /// An argument of the script; the script itself is 0.
    Argument(usize),
    /// A pattern of names, as of `glob`.
    Pattern(String),
    /// A place that the code itself made for a while, as by `tempfile`.
    Own,
}

/// A text in parts. Two literals never stand side by side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The parts; none: it is empty.
    pub pieces: Vec<Piece>,
}

impl Text {
    /// A text that is known.
    #[must_use]
    pub fn literal(text: &str) -> Text {
        Text::default().with(text)
    }

    /// A text of one part.
    #[must_use]
    pub fn of(piece: Piece) -> Text {
        Text { pieces: vec![piece] }
    }

    /// The text, if all of it is known.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether nothing is known of how it begins.
    #[must_use]
    pub fn begins_unknown(&self) -> bool {
        matches!(self.pieces.first(), Some(Piece::Unknown))
    }

    /// Whether a part of it is known only at run time.
    #[must_use]
    pub fn is_partly_unknown(&self) -> bool {
        self.pieces.contains(&Piece::Unknown)
    }

    /// Whether it is a place that the code itself made for a while, or one below it. A name that is not known may lead
    /// out of it, and so may `..`.
    #[must_use]
    pub fn is_own(&self) -> bool {
        let Some((Piece::Own, rest)) = self.pieces.split_first() else { return false };
        rest.iter().all(|piece| match piece {
            Piece::Literal(text) | Piece::Pattern(text) => !text.contains(".."),
            Piece::Own => true,
            _ => false,
        })
    }

    /// The first literal, if the text begins with one.
    #[must_use]
    pub fn head(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Literal(text)) => text,
            _ => "",
        }
    }

    /// With a literal behind it.
    #[must_use]
    pub fn with(mut self, text: &str) -> Text {
        self.push(Piece::Literal(text.to_owned()));
        self
    }

    /// With another text behind it.
    #[must_use]
    pub fn and(mut self, other: &Text) -> Text {
        other.pieces.iter().for_each(|piece| self.push(piece.clone()));
        self
    }

    /// Adds a part behind the others.
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

    /// The bytes and parts that it holds.
    pub fn weight(&self) -> usize {
        let of = |piece: &Piece| match piece {
            Piece::Literal(text) | Piece::Variable(text) | Piece::Pattern(text) => text.len(),
            _ => 1,
        };
        self.pieces.iter().map(of).sum()
    }
}
