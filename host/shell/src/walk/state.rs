//! What a command does to the shell that runs it, as far as later commands depend on it.

use guard_sdk::syntax::{Command, Word};

use super::{Unit, Walker};
use crate::limits;
use crate::parse::tree::{Item, Kind, Range};
use crate::word::{self, Mode, expand, is_name};

/// The raw name of a pipeline that is one simple command; empty for assignments alone.
fn name<'t>(unit: &'t Unit<'_>, item: &Item) -> Option<&'t str> {
    match item.elements.as_slice() {
        [node] => match &node.kind {
            Kind::Simple { words, .. } => Some(words.first().map_or("", |word| unit.slice(word.range))),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a pipeline is taken to succeed: if it does not, nobody expects the rest of the line to be right.
pub(super) fn succeeds(unit: Unit<'_>, item: &Item) -> bool {
    !item.negated
        && matches!(
            name(&unit, item),
            Some(
                "" | "cd"
                    | "pushd"
                    | "popd"
                    | "mkdir"
                    | "echo"
                    | "printf"
                    | "export"
                    | "set"
                    | "true"
                    | ":"
                    | "source"
                    | "."
            )
        )
}

/// Whether a pipeline ends the shell or its loop.
pub(super) fn leaves(unit: Unit<'_>, item: &Item) -> bool {
    let leaving = |name: &str| matches!(name, "exit" | "return" | "break" | "continue");
    match item.elements.as_slice() {
        [node] => match &node.kind {
            Kind::Group(body) => body.items.last().and_then(|item| name(&unit, item)).is_some_and(leaving),
            _ => name(&unit, item).is_some_and(leaving),
        },
        _ => false,
    }
}

/// Whether a pipeline surely leaves the shell's directory and variables as they are.
pub(super) fn keeps_shell(unit: Unit<'_>, item: &Item) -> bool {
    item.elements.len() > 1 || matches!(name(&unit, item), Some("echo" | "true" | ":" | "printf" | "false"))
}

/// Whether a text may change the directory.
pub(super) fn changes_directory(text: &str) -> bool {
    text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_')
        .any(|word| matches!(word, "cd" | "pushd" | "popd"))
}

/// Whether a builtin expands once more what its operands hold as plain text: `let 'x[$(a)]'`, `test -v 'x[$(a)]'`.
pub(super) fn expands_again(argv: &[Word]) -> bool {
    const BUILTINS: &[&str] = &[
        "let",
        "test",
        "[",
        "printf",
        "read",
        "unset",
        "declare",
        "typeset",
        "local",
        "export",
        "readonly",
        "mapfile",
        "readarray",
        "getopts",
        "wait",
    ];
    let Some((name, words)) = argv.split_first() else { return false };
    if !BUILTINS.contains(&name.text.as_str()) {
        return false;
    }
    words.iter().flat_map(|word| &word.parts).filter(|part| part.kind == "literal").any(|part| {
        let inner = if name.text == "let" { Some(part.text.as_str()) } else { subscript(&part.text) };
        inner.is_some_and(|inner| inner.contains("$(") || inner.contains('`'))
    })
}

/// What stands after `NAME[`.
fn subscript(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once('[')?;
    is_name(name).then_some(rest)
}

impl Walker {
    /// The values that a loop's variable takes, if they are few and plain; else one unknown round.
    pub(super) fn rounds(&mut self, unit: Unit<'_>, whole: Range, words: &[Range], body: Range) -> Vec<Option<Word>> {
        const MOST: usize = 16;
        let unknown = vec![None];
        let short = (body.end.saturating_sub(body.start)).saturating_mul(words.len()) <= limits::VALUE;
        if words.is_empty() || words.len() > MOST || !short || !unit.slice(whole).starts_with("for") {
            return unknown;
        }
        let mut values = Vec::new();
        for range in words {
            let reading = word::read(unit.text, *range, Mode::Word);
            values.extend(expand::words(reading.pieces, &self.shell).words);
        }
        let plain = values.iter().all(|word| !word.glob && self.shell.plain(word).is_some());
        if values.is_empty() || values.len() > MOST || !plain || self.rounds_left < values.len() {
            return unknown;
        }
        self.rounds_left -= values.len();
        values.into_iter().map(Some).collect()
    }

    /// Whether a command of this name may change the shell that runs it.
    pub(super) fn concerns_shell(&self, name: &str) -> bool {
        const BUILTINS: &[&str] = &[
            "cd",
            "chdir",
            "pushd",
            "popd",
            "export",
            "declare",
            "typeset",
            "local",
            "readonly",
            "read",
            "mapfile",
            "readarray",
            "getopts",
            "unset",
            "let",
            "printf",
            "wait",
            "source",
            ".",
            "set",
            "shift",
            "alias",
        ];
        BUILTINS.contains(&name) || self.defined.contains_key(name)
    }

    /// Follows what a builtin does to this shell.
    pub(super) fn follow(&mut self, command: &Command) {
        let words = command.argv.get(1..).unwrap_or_default();
        match command.word(0) {
            "cd" | "chdir" => self.shell.change_directory(words),
            "pushd" if words.iter().any(|word| !word.text.starts_with(['-', '+'])) => {
                self.shell.change_directory(words)
            }
            "pushd" | "popd" => self.shell.lose_directory(),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for word in words {
                    self.declare(word);
                }
            }
            "read" | "mapfile" | "readarray" | "getopts" | "unset" | "let" | "printf" | "wait" => {
                for word in words {
                    let end = word.text.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
                    let name = end.and_then(|end| word.text.get(..end)).unwrap_or(&word.text);
                    // `printf` writes its operands; only after `-v` is one of them a variable.
                    if command.word(0) != "printf" || command.word(1) == "-v" {
                        self.shell.forget(name);
                    }
                }
            }
            "source" | "." => {
                self.shell.forget_all();
                if !words.is_empty() {
                    self.partial("a file is read into the shell");
                }
            }
            "set" if words.iter().any(|word| word.text == "--") => self.shell.set_parameters(&[]),
            "shift" => self.shell.forget_parameters(),
            "alias" => {
                for word in words {
                    if let Some((name, _)) = word.text.split_once('=') {
                        self.defined.insert(name.to_owned(), true);
                    }
                }
            }
            _ => {}
        }
        if let Some(&moves) = self.defined.get(command.word(0)) {
            self.shell.forget_all();
            if moves {
                self.shell.lose_directory();
            }
        }
    }

    fn declare(&mut self, word: &Word) {
        let Some((name, value)) = word.text.split_once('=') else { return };
        let (name, append) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
        if !is_name(name) || value.starts_with('(') {
            return self.shell.forget(name);
        }
        let mut value_word = word.clone();
        value.clone_into(&mut value_word.text);
        if let Some(part) = value_word.parts.first_mut() {
            part.text = part.text.split_once('=').map_or_else(String::new, |(_, tail)| tail.to_owned());
        }
        self.shell.assign(name, &value_word, append);
    }
}
