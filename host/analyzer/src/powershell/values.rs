//! [`Value`]: what an argument or an expression of PowerShell gives, as words of bash.

use super::UNKNOWN;
use crate::wrappers::layer::quoted;

/// A part of a word.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    /// Text outside of quotes.
    Bare(String),
    /// Text in quotes.
    Quoted(String),
    /// The variable of this name in bash.
    Variable(String),
    /// All elements of the variable of this name.
    Elements(String),
    /// The output of these bash commands.
    Output(String),
}

/// One word.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Text {
    pub(super) pieces: Vec<Piece>,
}

impl Text {
    pub(super) fn of(piece: Piece) -> Text {
        Text { pieces: vec![piece] }
    }

    pub(super) fn quoted(text: &str) -> Text {
        Text::of(Piece::Quoted(text.to_owned()))
    }

    pub(super) fn unknown() -> Text {
        Text::of(Piece::Variable(UNKNOWN.to_owned()))
    }

    /// The text, if it is known.
    pub(super) fn literal(&self) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Bare(part) | Piece::Quoted(part) => text.push_str(part),
                _ => return None,
            }
        }
        Some(text)
    }

    /// The literal text at the start.
    pub(super) fn head(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Bare(text) | Piece::Quoted(text)) => text,
            _ => "",
        }
    }

    /// Whether it may fit several names.
    pub(super) fn is_pattern(&self) -> bool {
        let has = |piece: &Piece| matches!(piece, Piece::Bare(text) | Piece::Quoted(text) if text.contains(['*', '?']));
        self.pieces.iter().any(has)
    }

    /// With slashes in place of backslashes.
    pub(super) fn with_slashes(&self) -> Text {
        let turned = |text: &str| text.replace('\\', "/");
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Bare(text) => Piece::Bare(turned(text)),
            Piece::Quoted(text) => Piece::Quoted(turned(text)),
            other => other.clone(),
        });
        Text { pieces: pieces.collect() }
    }

    /// The spelling in bash of a path that a cmdlet takes, which may be a pattern even in quotes.
    pub(super) fn as_path(&self, is_literal: bool) -> String {
        let mut text = self.with_slashes();
        for piece in &mut text.pieces {
            if let Piece::Quoted(part) = piece
                && !is_literal
            {
                *piece = Piece::Bare(std::mem::take(part));
            }
        }
        text.spelled(!is_literal)
    }

    /// The spelling in bash of a word that a program gets. Paths have slashes.
    pub(super) fn as_argument(&self) -> String {
        let is_path = match self.pieces.first() {
            Some(Piece::Bare(_)) => true,
            Some(Piece::Quoted(text)) => looks_like_path(text),
            Some(Piece::Variable(_)) => self.pieces.get(1).is_some_and(|next| {
                matches!(next, Piece::Bare(text) | Piece::Quoted(text) if text.starts_with('\\') && !text.contains('\n'))
            }),
            _ => false,
        };
        if is_path { self.with_slashes().spelled(true) } else { self.spelled(true) }
    }

    /// The spelling in bash as it is.
    pub(super) fn as_written(&self) -> String {
        self.spelled(false)
    }

    fn spelled(&self, patterns: bool) -> String {
        let mut result = String::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Bare(text) => bare(text, index == 0, patterns, &mut result),
                Piece::Quoted(text) => result.push_str(&quoted(text)),
                Piece::Variable(name) => {
                    result.push_str("\"${");
                    result.push_str(name);
                    result.push_str("}\"");
                }
                Piece::Elements(name) => {
                    result.push_str("\"${");
                    result.push_str(name);
                    result.push_str("[@]}\"");
                }
                Piece::Output(code) => {
                    result.push_str("\"$(\n");
                    result.push_str(code);
                    result.push_str("\n)\"");
                }
            }
        }
        if result.is_empty() { "''".to_owned() } else { result }
    }
}

/// Text outside of quotes: what is no pattern and no home is put in quotes where it has to be.
fn bare(text: &str, is_first: bool, patterns: bool, result: &mut String) {
    let mut rest = text;
    if is_first && let Some(tail) = rest.strip_prefix('~').filter(|tail| tail.is_empty() || tail.starts_with('/')) {
        result.push('~');
        rest = tail;
    }
    if !patterns {
        if !rest.is_empty() {
            result.push_str(&quoted(rest));
        }
        return;
    }
    for part in rest.split_inclusive(['*', '?']) {
        let plain = part.trim_end_matches(['*', '?']);
        if !plain.is_empty() {
            result.push_str(&quoted(plain));
        }
        result.push_str(part.get(plain.len()..).unwrap_or_default());
    }
}

/// `C:\x`, `.\x`, `~\x`, `\\server\x`.
pub(super) fn looks_like_path(text: &str) -> bool {
    let drive =
        text.get(1..3).is_some_and(|drive| drive == ":\\") && text.starts_with(|char: char| char.is_ascii_alphabetic());
    (drive
        || text.starts_with(".\\")
        || text.starts_with("..\\")
        || text.starts_with("~\\")
        || text.starts_with("\\\\"))
        && !text.contains(['\n', '"'])
}

/// The result of an argument or an expression.
#[derive(Debug, Clone, Default)]
pub(super) struct Value {
    /// Its elements.
    pub(super) words: Vec<Text>,
    /// Commands of bash that run because it is worked out, beside the ones in its words.
    pub(super) code: Vec<String>,
    /// The commands of a block, which may run.
    pub(super) block: Option<String>,
    /// A hash table.
    pub(super) table: Option<Vec<(String, Value)>>,
    /// `@name`
    pub(super) splat: Option<String>,
    /// The name of a type.
    pub(super) type_name: Option<String>,
    /// A word outside of quotes that may name a parameter.
    pub(super) is_bare: bool,
}

impl Value {
    pub(super) fn of(text: Text) -> Value {
        Value { words: vec![text], ..Value::default() }
    }

    pub(super) fn unknown() -> Value {
        Value::of(Text::unknown())
    }

    /// The text of a single word that is known.
    pub(super) fn literal(&self) -> Option<String> {
        match self.words.as_slice() {
            [only] => only.literal(),
            _ => None,
        }
    }

    /// Whether commands give its text.
    pub(super) fn comes_late(&self) -> bool {
        self.words.iter().flat_map(|word| &word.pieces).any(|piece| matches!(piece, Piece::Output(_)))
    }

    /// Takes the code of another value, whose words are of no use.
    pub(super) fn absorb(&mut self, other: Value) {
        if self.code.is_empty() {
            self.code = other.code;
        } else {
            self.code.extend(other.code);
        }
        let outputs = other.words.into_iter().flat_map(|word| word.pieces);
        self.code.extend(outputs.filter_map(|piece| match piece {
            Piece::Output(code) => Some(code),
            _ => None,
        }));
        self.code.extend(other.block);
        for (_, value) in other.table.into_iter().flatten() {
            self.absorb(value);
        }
    }

    /// The value of an expression that no one works out: unknown, and what runs for it.
    pub(super) fn opaque(parts: Vec<Value>) -> Value {
        let mut value = Value::unknown();
        parts.into_iter().for_each(|part| value.absorb(part));
        value
    }
}
