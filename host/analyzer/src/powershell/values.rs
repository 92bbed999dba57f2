//! [`Value`]: the value of a PowerShell argument or expression, as bash words.

use super::UNKNOWN;
use crate::wrappers::layer::quoted;

/// A part of a word.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    /// Unquoted text.
    Bare(String),
    /// Quoted text.
    Quoted(String),
    /// The bash variable with this name.
    Variable(String),
    /// All elements of the variable with this name.
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

    /// Returns the text, if it is known.
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

    /// Returns the literal text at the start.
    pub(super) fn head(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Bare(text) | Piece::Quoted(text)) => text,
            _ => "",
        }
    }

    /// Returns whether the text may match several names.
    pub(super) fn is_pattern(&self) -> bool {
        let has = |piece: &Piece| matches!(piece, Piece::Bare(text) | Piece::Quoted(text) if text.contains(['*', '?']));
        self.pieces.iter().any(has)
    }

    /// Returns the text with slashes instead of backslashes.
    pub(super) fn with_slashes(&self) -> Text {
        let turned = |text: &str| text.replace('\\', "/");
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Bare(text) => Piece::Bare(turned(text)),
            Piece::Quoted(text) => Piece::Quoted(turned(text)),
            other => other.clone(),
        });
        Text { pieces: pieces.collect() }
    }

    /// Returns the bash source for a cmdlet's path, which may be a pattern even in quotes.
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

    /// Returns the bash source for a program's argument. Paths have slashes.
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

    /// Returns the bash source without changes.
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

/// Adds unquoted text. Text other than patterns and homes is quoted where necessary.
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

/// Returns whether the text looks like a path: `C:\x`, `.\x`, `~\x`, `\\server\x`.
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

/// The value of an argument or expression.
#[derive(Debug, Clone, Default)]
pub(super) struct Value {
    /// The elements.
    pub(super) words: Vec<Text>,
    /// Bash commands that run during evaluation, besides those in the words.
    pub(super) code: Vec<String>,
    /// The commands of a script block, which may run.
    pub(super) block: Option<String>,
    /// The entries of a hash table.
    pub(super) table: Option<Vec<(String, Value)>>,
    /// The name in `@name`.
    pub(super) splat: Option<String>,
    /// The name of a type.
    pub(super) type_name: Option<String>,
    /// Whether it is an unquoted word that may be a parameter's name.
    pub(super) is_bare: bool,
}

impl Value {
    pub(super) fn of(text: Text) -> Value {
        Value { words: vec![text], ..Value::default() }
    }

    pub(super) fn unknown() -> Value {
        Value::of(Text::unknown())
    }

    /// Returns the text of a single known word.
    pub(super) fn literal(&self) -> Option<String> {
        match self.words.as_slice() {
            [only] => only.literal(),
            _ => None,
        }
    }

    /// Returns whether the text comes from commands.
    pub(super) fn comes_late(&self) -> bool {
        self.words.iter().flat_map(|word| &word.pieces).any(|piece| matches!(piece, Piece::Output(_)))
    }

    /// Adds the code of another value and drops its words.
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

    /// Creates the value of an expression that isn't evaluated: unknown, with the code of its parts.
    pub(super) fn opaque(parts: Vec<Value>) -> Value {
        let mut value = Value::unknown();
        parts.into_iter().for_each(|part| value.absorb(part));
        value
    }
}
