//! Pieces to words: braces, values of variables that are known, and the splitting of what they give.

use guard_sdk::syntax::{Part, Word};

use super::{Piece, PieceKind, brace};
use crate::limits;

/// What a text knows of its variables.
pub(crate) trait Values {
    /// The value of `name`, if the text itself fixes it.
    fn value(&self, name: &str) -> Option<&str>;
    /// The parameters `$1`, `$2`, ..., if the text itself fixes them.
    fn parameters(&self) -> Option<&[String]>;
}

/// The words that one word becomes.
#[derive(Debug, Default)]
pub(crate) struct Words {
    pub(crate) words: Vec<Word>,
    /// Words were split at a field separator that is only assumed.
    pub(crate) assumed: bool,
}

/// Expands a word as far as it is known.
pub(crate) fn words(pieces: Vec<Piece>, values: &dyn Values) -> Words {
    let mut result = Words::default();
    for variant in brace::expand(pieces) {
        let mut fields = Fields::default();
        for piece in variant {
            fields.piece(piece, values, &mut result.assumed);
        }
        fields.end(true);
        result.words.append(&mut fields.done);
    }
    result
}

/// Expands a word that is never split: a value, a redirection's target.
pub(crate) fn word(pieces: Vec<Piece>, values: &dyn Values) -> Word {
    let mut fields = Fields::default();
    for piece in pieces {
        let known = matches!(piece.kind, PieceKind::Variable { .. }).then(|| values.value(&piece.text)).flatten();
        match known {
            Some(value) => fields.literal(value, piece.quoted),
            None => fields.unknown(piece),
        }
    }
    fields.end(true);
    fields.done.pop().unwrap_or_else(|| literal(""))
}

/// A word of plain text.
pub(crate) fn literal(text: &str) -> Word {
    let parts = vec![Part { kind: "literal".to_owned(), text: text.to_owned(), quoted: false }];
    Word { text: text.to_owned(), dynamic: false, quoted: false, glob: false, parts }
}

#[derive(Default)]
struct Fields {
    done: Vec<Word>,
    current: Option<Word>,
    /// An unquoted variable was empty: without anything else there is no word.
    vanished: bool,
}

impl Fields {
    fn current(&mut self) -> &mut Word {
        self.current.get_or_insert_with(|| Word {
            text: String::new(),
            dynamic: false,
            quoted: false,
            glob: false,
            parts: Vec::new(),
        })
    }

    fn part(&mut self, kind: &str, text: &str, quoted: bool) {
        let word = self.current();
        if let Some(last) = word.parts.last_mut()
            && last.kind == "literal"
            && kind == "literal"
            && last.quoted == quoted
        {
            last.text.push_str(text);
            return;
        }
        word.parts.push(Part { kind: kind.to_owned(), text: text.to_owned(), quoted });
    }

    fn literal(&mut self, text: &str, quoted: bool) {
        self.part("literal", text, quoted);
        let word = self.current();
        word.text.push_str(text);
        word.quoted |= quoted;
    }

    fn end(&mut self, last: bool) {
        match self.current.take() {
            Some(word) => self.done.push(word),
            None if last && !self.vanished && self.done.is_empty() => {
                self.current();
                self.end(false);
            }
            None => {}
        }
    }

    /// The value of a variable outside quotes: split at white space, and a pattern if it holds one.
    fn split(&mut self, value: &str) {
        self.vanished = true;
        if value.starts_with(char::is_whitespace) {
            self.end(false);
        }
        for (index, field) in value.split_whitespace().enumerate() {
            if index > 0 {
                self.end(false);
            }
            self.literal(field, false);
            if field.contains(['*', '?', '[']) {
                self.current().glob = true;
            }
        }
        if value.ends_with(char::is_whitespace) {
            self.end(false);
        }
    }

    fn piece(&mut self, piece: Piece, values: &dyn Values, assumed: &mut bool) {
        if !matches!(piece.kind, PieceKind::Variable { .. }) {
            return self.unknown(piece);
        }
        if let ("@" | "*", Some(parameters)) = (piece.text.as_str(), values.parameters()) {
            self.vanished = true;
            for (index, parameter) in parameters.iter().enumerate() {
                if index > 0 {
                    self.end(false);
                }
                if piece.quoted {
                    self.literal(parameter, true);
                } else {
                    self.split(parameter);
                }
            }
            return;
        }
        match values.value(&piece.text) {
            Some(value) if value.len() > limits::VALUE => self.unknown(piece),
            Some(value) if piece.quoted => self.literal(value, true),
            Some(value) => self.split(value),
            None if piece.text == "IFS" && !piece.quoted => {
                *assumed = true;
                self.vanished = true;
                self.end(false);
            }
            None => self.unknown(piece),
        }
    }

    fn unknown(&mut self, piece: Piece) {
        let (kind, dynamic) = match piece.kind {
            PieceKind::Literal => return self.literal(&piece.text, piece.quoted),
            PieceKind::Variable { .. } | PieceKind::Parameter => ("variable", true),
            PieceKind::Command => ("command", true),
            PieceKind::Arithmetic => ("arithmetic", true),
            PieceKind::Process => ("process", true),
            PieceKind::Glob => ("glob", false),
            PieceKind::Tilde => ("tilde", false),
            PieceKind::Brace => ("brace", true),
        };
        self.part(kind, &piece.text, piece.quoted);
        let word = self.current();
        word.dynamic |= dynamic;
        word.quoted |= piece.quoted;
        word.glob |= piece.kind == PieceKind::Glob;
        match piece.kind {
            PieceKind::Variable { braces: true } => {
                word.text.push_str("${");
                word.text.push_str(&piece.text);
                word.text.push('}');
            }
            PieceKind::Variable { braces: false } => {
                word.text.push('$');
                word.text.push_str(&piece.text);
            }
            _ => word.text.push_str(&piece.text),
        }
    }
}
