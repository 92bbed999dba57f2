//! Effects of a command on its shell that later commands depend on.

use guard_sdk::syntax::{Command, Span, Word};

use super::echo::printf;
use super::meanings::{element, is_table};
use super::output::Input;
use super::shell::Shell;
use super::{Unit, Walker};
use crate::limits;
use crate::parse::tree::{Item, Kind, Range, Sequence};
use crate::word::expand::Values as _;
use crate::word::{self, Mode, Piece, PieceKind, expand, is_name};

/// Returns the raw name in a pipeline that is one simple command. Empty for assignments alone.
fn name<'t>(unit: &'t Unit<'_>, item: &Item) -> Option<&'t str> {
    match item.elements.as_slice() {
        [node] => match &node.kind {
            Kind::Simple { words, .. } => Some(words.first().map_or("", |word| unit.slice(word.range))),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether a pipeline is assumed to succeed, because the rest of the line makes no sense otherwise.
pub(super) fn succeeds(unit: Unit<'_>, item: &Item) -> bool {
    // Without the option, `mkdir` fails if the folder exists.
    let creates_any = || item.elements.first().is_some_and(|node| unit.slice(node.span).contains(" -p"));
    !item.negated
        && (matches!(name(&unit, item), Some("mkdir")) && creates_any()
            || matches!(
                name(&unit, item),
                Some(
                    "" | "cd" | "pushd" | "popd" | "echo" | "printf" | "export" | "set" | "true" | ":" | "source" | "."
                )
            ))
}

/// Returns whether a command after `&&` only runs if the pipeline's `cd` failed: `! cd x && ...`.
pub(super) fn stays(unit: Unit<'_>, item: &Item) -> bool {
    item.negated && matches!(name(&unit, item), Some("cd" | "pushd" | "popd"))
}

/// Returns whether a pipeline always fails, so that the command after `||` runs.
pub(super) fn fails(unit: Unit<'_>, item: &Item) -> bool {
    match name(&unit, item) {
        Some("false") => !item.negated,
        Some("true" | ":") => item.negated,
        _ => false,
    }
}

/// Returns whether a pipeline ends the shell or its loop.
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

/// Returns whether a pipeline never changes the shell's directory or variables.
pub(super) fn keeps_shell(unit: Unit<'_>, item: &Item) -> bool {
    item.elements.len() > 1 || matches!(name(&unit, item), Some("echo" | "true" | ":" | "printf" | "false"))
}

/// Returns the header of a loop, without a negation.
fn opener(header: &str) -> &str {
    header.trim_start_matches(['!', ' ', '\t', '\n'])
}

/// Returns whether a loop with this header never ends.
pub(super) fn never_ends(header: &str) -> bool {
    let header = opener(header);
    let mut words = header.split([' ', '\t', '\n', ';']).filter(|word| !word.is_empty() && *word != "do");
    let (opener, rest) = (words.next().unwrap_or_default(), words.collect::<Vec<_>>().join(" "));
    match opener {
        "while" => {
            matches!(rest.as_str(), "true" | ":" | "[ 1 ]" | "[[ 1 ]]" | "((1))" | "(( 1 ))" | "[ true ]" | "test 1")
        }
        "until" => matches!(rest.as_str(), "false" | "((0))" | "(( 0 ))" | "! true" | "! :"),
        _ => {
            // The middle one of the three expressions is empty.
            let inner =
                header.split_once("((").and_then(|(_, rest)| rest.split_once("))")).map_or("", |(inner, _)| inner);
            let mut expressions = inner.split(';');
            header.starts_with("for") && expressions.nth(1).is_some_and(|middle| middle.trim().is_empty())
        }
    }
}

/// Returns whether a body starts something in the background and nothing in it waits.
pub(super) fn starts_without_rest(unit: Unit<'_>, body: &Sequence) -> bool {
    let starts = |item: &Item| {
        let inside = item.elements.iter().any(|node| match &node.kind {
            Kind::Subshell(inner) | Kind::Group(inner) => inner.items.iter().any(|item| item.background),
            _ => false,
        });
        item.background || inside
    };
    let rests =
        |item: &Item| !item.background && matches!(name(&unit, item), Some("sleep" | "read" | "wait" | "inotifywait"));
    body.items.iter().any(starts) && !body.items.iter().any(rests)
}

/// Returns whether a text may change the directory.
pub(super) fn changes_directory(text: &str) -> bool {
    text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_')
        .any(|word| matches!(word, "cd" | "pushd" | "popd"))
}

/// Returns whether a word expands the text of a variable again, and that text contains a substitution. Arithmetic
/// evaluates it as an expression, and `${x@P}` as a prompt.
pub(super) fn evaluates(piece: &Piece, shell: &Shell) -> bool {
    match piece.kind {
        PieceKind::Arithmetic => calculates(&piece.text, shell),
        PieceKind::Parameter => {
            let inner = piece.text.trim_start_matches("${").trim_end_matches('}');
            // The variable's text is the name of another variable, whose subscript is arithmetic.
            let named = inner.strip_prefix('!').and_then(|rest| rest.split(|char: char| !is_part_of_name(char)).next());
            // A subscript, an offset and a length are arithmetic.
            let number = inner.find(['[', ':']).and_then(|at| inner.get(at + 1..));
            let number = number.filter(|rest| !rest.starts_with(['-', '=', '?', '+']));
            inner.strip_suffix("@P").or(named).is_some_and(|name| holds(name, shell))
                || number.is_some_and(|number| calculates(number, shell))
                || word::zsh::hides(&piece.text)
        }
        _ => false,
    }
}

/// Returns whether an arithmetic text contains a late substitution, or a variable whose text contains one.
pub(super) fn calculates(text: &str, shell: &Shell) -> bool {
    let mut names = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    text.contains("\\$(") || text.contains("\\`") || names.any(|name| holds(name, shell))
}

fn is_part_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

/// Returns whether a variable's text contains a substitution.
fn holds(name: &str, shell: &Shell) -> bool {
    let content = is_name(name).then(|| shell.value(name)).flatten();
    content.is_some_and(|word| word.text.contains("$(") || word.text.contains('`'))
}

/// Returns whether a builtin expands the plain text of its operands again: `let 'x[$(a)]'`, `test -v 'x[$(a)]'`.
pub(super) fn expands_again(argv: &[Word], shell: &Shell) -> bool {
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
    // zsh expands a printed prompt.
    if name.text == "print" && words.iter().any(|word| word.text.starts_with('-') && word.text.contains('P')) {
        return words.iter().any(|word| word.text.contains("$(") || word.text.contains('`'));
    }
    if !BUILTINS.contains(&name.text.as_str()) {
        return false;
    }
    if name.text == "let" && words.iter().any(|word| calculates(&word.text, shell)) {
        return true;
    }
    // `-i` evaluates the value as arithmetic, and `-n` takes it as a variable's name.
    let takes = |letter| words.iter().any(|word| is_cluster_with(&word.text, letter));
    let declares = matches!(name.text.as_str(), "declare" | "typeset" | "local" | "export" | "readonly");
    if declares && (takes('i') || takes('n')) {
        let mut values = words.iter().filter_map(|word| Some(word.text.split_once('=')?.1));
        if values.any(|value| value.contains("$(") || value.contains('`')) {
            return true;
        }
    }
    words.iter().flat_map(|word| &word.parts).filter(|part| part.kind == "literal").any(|part| {
        let inner = if name.text == "let" { Some(part.text.as_str()) } else { subscript(&part.text) };
        inner.is_some_and(|inner| inner.contains("$(") || inner.contains('`'))
    })
}

/// Returns the text after `NAME[`.
fn subscript(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once('[')?;
    is_name(name).then_some(rest)
}

/// Bytes added for each round, so that short bodies count, too.
const ROUND: usize = 64;

/// Bytes added for each round inside another loop's round or a function call, because these multiply.
const INNER_ROUND: usize = limits::LOOPS / 128;

impl Walker {
    /// Returns the values of a loop's variable if they are few and plain, otherwise one unknown round.
    pub(super) fn rounds(
        &mut self,
        unit: Unit<'_>,
        complete: Range,
        words: &[Range],
        body: Range,
    ) -> Vec<Option<Word>> {
        let unknown = vec![None];
        let header = opener(unit.slice(Range { start: complete.start, end: body.start }));
        let runs_over = header.starts_with("for") || header.starts_with("select");
        if !runs_over || header.contains("((") {
            return unknown;
        }
        if words.len() > limits::LINES {
            limits::reached("a loop has too many rounds to follow");
            return unknown;
        }
        let mut values = Vec::new();
        if words.is_empty() && !header.split_ascii_whitespace().any(|word| word == "in") {
            values.extend(self.shell.elements("@").unwrap_or_default().into_iter().cloned());
        }
        for range in words {
            let reading = word::read(unit.text, *range, Mode::Word);
            values.extend(expand::words(reading.pieces, &self.shell).words);
        }
        let told = values.iter().all(|word| word.glob || self.shell.plain(word).is_some());
        if values.is_empty() || !told {
            return unknown;
        }
        // All numbers are treated alike.
        const FEW: usize = 16;
        let is_number = |word: &Word| word.text.bytes().all(|byte| byte.is_ascii_digit());
        let has_room = self.size_of_rounds(body, values.len()) <= self.budget.loops_left;
        if (values.len() > FEW || !has_room) && values.iter().all(is_number) {
            return unknown;
        }
        if values.len() > limits::LINES || !self.take_rounds(body, values.len()) {
            limits::reached("a loop has too many rounds to follow");
            return unknown;
        }
        values.into_iter().map(Some).collect()
    }

    /// Returns the lines that a loop reads, if they are known and few.
    pub(super) fn lines(&mut self, body: Range) -> Vec<Word> {
        let lines: Vec<Word> = self.input.text().unwrap_or_default().lines().map(expand::literal).collect();
        if lines.len() > limits::LINES || !self.take_rounds(body, lines.len()) {
            limits::reached("a loop reads too many lines to follow");
            return Vec::new();
        }
        lines
    }

    /// Returns the bytes that are walked in this number of rounds.
    fn size_of_rounds(&self, body: Range, count: usize) -> usize {
        let multiplies = |within: &&str| *within == "loop" || *within == "function" && !self.deferred.defining;
        let round = if self.scope.within.iter().any(multiplies) { INNER_ROUND } else { ROUND };
        body.end.saturating_sub(body.start).saturating_add(round).saturating_mul(count)
    }

    /// Deducts the rounds from the limit for all loops. Returns whether it was sufficient.
    fn take_rounds(&mut self, body: Range, count: usize) -> bool {
        let left = self.budget.loops_left.checked_sub(self.size_of_rounds(body, count));
        self.budget.loops_left = left.unwrap_or(self.budget.loops_left);
        left.is_some()
    }

    /// Returns whether a command with this name may change its shell.
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
            "shopt",
            "alias",
            "unalias",
            "hash",
            "exec",
        ];
        BUILTINS.contains(&name) || self.defined.contains_key(name) || self.handler_of(name).is_some()
    }

    /// Applies a builtin's changes to this shell.
    pub(super) fn follow(&mut self, command: &Command, input: &Input) {
        let words = command.argv.get(1..).unwrap_or_default();
        match command.word(0) {
            "cd" | "chdir" if self.defined.contains_key(command.word(0)) => self.shell.lose_directory(),
            "cd" | "chdir" if command.assignments.iter().any(|set| matches!(&*set.name, "CDPATH" | "HOME")) => {
                self.shell.lose_directory();
            }
            "cd" | "chdir" => self.shell.change_directory(words),
            "pushd" if words.iter().any(|word| !word.text.starts_with(['-', '+'])) => {
                self.shell.change_directory(words)
            }
            "pushd" | "popd" => self.shell.lose_directory(),
            "export" | "declare" | "typeset" | "local" | "readonly" => self.declare_all(command, words),
            "read" | "mapfile" | "readarray" | "getopts" | "unset" | "let" | "printf" | "wait" => {
                self.read_into(command, words, input);
            }
            "source" | "." => {
                self.shell.forget_all();
                if !words.is_empty() {
                    self.partial("a file is read into the shell");
                }
            }
            "set" => self.set(words),
            "shift" => self.shell.shift(words.first().map_or(Some(1), |word| word.text.parse().ok())),
            "shopt" => self.shell.runs_last |= words.iter().any(|word| word.text == "lastpipe" || word.dynamic),
            "alias" => self.define_aliases(words, command.span),
            "hash" => self.define_files(words),
            _ => {}
        }
        self.call_handler(command, input);
        if let Some(&moves) = self.defined.get(command.word(0)) {
            if self.call(command, input) || self.scope.as_written.iter().any(|name| name == command.word(0)) {
                return;
            }
            self.shell.forget_all();
            if moves {
                self.shell.lose_directory();
            }
        }
    }

    /// Applies `export`, `declare` and similar builtins.
    fn declare_all(&mut self, command: &Command, words: &[Word]) {
        if command.word(0) == "local" && !self.scope.within.contains(&"function") {
            // bash rejects this outside of functions, and zsh doesn't.
            let names = words.iter().map(|word| word.text.split(['=', '+']).next().unwrap_or_default());
            return names.filter(|name| is_name(name)).for_each(|name| self.shell.forget(name));
        }
        let has = |letter| words.iter().any(|word| word.text.starts_with('-') && word.text.contains(letter));
        let (refers, exports) = (has('n'), command.word(0) == "export" && !has('n') || has('x'));
        for word in words {
            match word.text.split_once('=') {
                Some((name, other)) if refers && command.word(0) != "export" => self.shell.refer(name, other),
                _ => self.declare(word, command.span),
            }
            let name = word.text.split(['=', '+']).next().unwrap_or_default();
            if let Some(letter) = ['i', 'l', 'u', 'c'].into_iter().find(|letter| has(*letter)).filter(|_| is_name(name))
            {
                self.shell.set_attribute(name, letter);
            }
            if exports && is_name(name) {
                self.shell.export(name);
            }
        }
    }

    /// Applies builtins that write to the variables in their words.
    fn read_into(&mut self, command: &Command, words: &[Word], input: &Input) {
        for word in words {
            let end = word.text.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
            let name = end.and_then(|end| word.text.get(..end)).unwrap_or(&word.text);
            // `printf` prints its operands. Only the operand after `-v` is a variable.
            match command.word(0) {
                "printf" if command.word(1) != "-v" || element(&word.text).is_some() => {}
                "unset" => match element(&word.text) {
                    Some((table, subscript)) => self.shell.unset_element(table, subscript.trim_matches(['"', '\''])),
                    None => self.shell.unset(name),
                },
                _ => self.shell.forget(name),
            }
            if command.word(0) != "printf" && element(&word.text).is_some_and(|(table, _)| is_table(table)) {
                self.partial(super::meanings::NOT_KNOWN);
            }
        }
        match command.word(0) {
            "read" => self.take_line(command, input),
            "mapfile" | "readarray" => self.take_lines(words, input),
            "printf" if command.word(1) == "-v" => {
                let printed = self.shell.at_home(words.get(2..).unwrap_or_default());
                let printed = Some(printed).filter(|words| words.iter().all(|word| !word.dynamic));
                let printed = printed.and_then(|words| printf(&words, self.echo_dialect));
                let printed = printed.as_deref().map(expand::literal);
                match (element(command.word(2)), printed) {
                    (Some((table, name)), Some(text)) => {
                        self.name_means(table, name, &text, command.span);
                        self.shell.assign_element(table, name, &text);
                    }
                    (None, Some(text)) => self.shell.assign(command.word(2), &text, false),
                    (Some((array, _)), None) => self.shell.forget(array),
                    (None, None) => {}
                }
            }
            _ => {}
        }
    }

    /// Applies `set`.
    fn set(&mut self, words: &[Word]) {
        let dashes = words.iter().position(|word| word.text == "--").map(|at| at + 1);
        let plain = words.first().is_some_and(|word| !word.text.starts_with(['-', '+'])).then_some(0);
        // zsh: `set -A NAME ELEMENTS`.
        if let [option, name, elements @ ..] = words
            && option.text == "-A"
        {
            let elements = elements.iter().map(|word| (None, word.clone())).collect();
            return self.shell.assign_array(&name.text, elements, false);
        }
        let is_all = |pair: &[Word]| matches!(pair, [o, name] if o.text == "-o" && name.text == "allexport");
        if words.windows(2).any(is_all) || words.first().is_some_and(|word| is_cluster_with(&word.text, 'a')) {
            self.shell.export_all();
        }
        if let Some(words) = dashes.or(plain).and_then(|at| words.get(at..)) {
            self.shell.set_parameters(words);
        }
    }

    fn declare(&mut self, word: &Word, span: Span) {
        let Some((name, value)) = word.text.split_once('=') else { return };
        let (name, append) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
        if let Some((table, name)) = element(name) {
            return self.name_means(table, name, &expand::literal(value), span);
        }
        if !is_name(name) {
            return;
        }
        if value.starts_with('(') {
            // An array was assigned during parsing. A quoted operand is evaluated as an array now.
            let quoted = word.parts.first().is_some_and(|part| part.kind == "literal") && !word.dynamic;
            let inner = value.strip_prefix('(').and_then(|value| value.strip_suffix(')')).filter(|_| quoted);
            if let Some(inner) = inner
                && self.shell.elements(name).is_none()
            {
                let reading = word::read(inner, Range { start: 0, end: inner.len() }, Mode::Words);
                let elements = expand::elements(reading.pieces, &self.shell);
                elements.into_iter().for_each(|elements| self.shell.assign_array(name, elements, append));
            }
            return;
        }
        let mut value_word = word.clone();
        value.clone_into(&mut value_word.text);
        if let Some(part) = value_word.parts.first_mut() {
            part.text = part.text.split_once('=').map_or_else(String::new, |(_, tail)| tail.to_owned());
        }
        self.shell.assign(name, &value_word, append);
    }
}

/// Returns whether the word is a cluster of short options with this letter.
fn is_cluster_with(word: &str, letter: char) -> bool {
    word.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
}
