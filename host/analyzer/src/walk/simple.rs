//! Reads one simple command: its words, assignments and redirections.
//!
//! [`super::layers`] determines what it runs.

use guard_sdk::scan;
use guard_sdk::syntax::{Assignment, Redirection, Span, Word};

use super::layers::Pending;
use super::output::Input;
use super::{Origin, Place, Unit, Walker};
use crate::limits;
use crate::parse::Dialect;
use crate::parse::tree::{Node, Range, Redirect, WordAt};
use crate::word::expand::Values as _;
use crate::word::{self, Child, Mode, PieceKind, expand, is_name};
use crate::wrappers::layer::Runnable;

/// Prefix assignments that change which program a name refers to.
const REDIRECTING: &[&str] = &["PATH", "LD_PRELOAD", "LD_AUDIT", "BASH_ENV", "ENV", "DYLD_INSERT_LIBRARIES"];

impl Walker {
    pub(super) fn simple(
        &mut self,
        unit: Unit<'_>,
        node: &Node,
        assignments: &[Range],
        words: &[WordAt],
        place: Place<'_>,
        input: Input,
    ) -> Input {
        if let Some(file) = &self.scope.file {
            let range = extent(unit, node, assignments, words);
            if let Origin::File(prepared, base, _) = unit.origin {
                self.scope.spot.line = file.line(prepared.original(base + range.start));
            }
            // A text that became shell belongs to the command that contains it.
            let is_inside = matches!(unit.origin, Origin::Inside(_)) && self.scope.spot.uses_arguments;
            self.scope.spot.uses_arguments = is_inside || file.given.is_in(unit.slice(range));
        }
        let mut children = Vec::new();
        let mut assigned = Vec::new();
        for range in assignments {
            let Some(found) = self.assignment(unit, *range, &mut children) else {
                self.partial("an assignment could not be read");
                continue;
            };
            if words.is_empty() {
                self.assign(&found, unit.span(*range));
            }
            assigned.push(found.assignment);
        }
        let mut argv: Vec<Word> = Vec::new();
        let mut certain = true;
        let (room, mut size) = (limits::WORDS.saturating_sub(self.budget.words), 0);
        let (words, numbers) = numbered(unit, adjoined(unit, words), &node.redirects);
        for at in &words {
            let mut word = self.word(unit, at, &argv, &mut children);
            certain &= !word.assumed && !word.cut;
            if word.cut {
                self.partial("too many words from the braces of one word");
            }
            for word in &mut word.words {
                // A program such as `xargs` replaces this placeholder.
                word.dynamic |= self.scope.marks.iter().any(|mark| word.text.contains(mark.as_str()));
                size += 64 + word.text.len();
            }
            argv.append(&mut word.words);
            if argv.len() > room || size > limits::RESULT / 2 {
                // The first words identify the command.
                self.partial("too many words");
                argv.truncate(room.min(limits::FIRST_WORDS));
                break;
            }
        }
        let mut redirections = Vec::new();
        for redirect in &node.redirects {
            let mut found = self.redirection(unit, redirect, &mut children);
            if let Some((at, number)) = numbers.iter().find(|(at, _)| at.end == redirect.span.start)
                && let Some(found) = &mut found
            {
                self.account(*at);
                found.fd = *number;
            }
            redirections.extend(found);
        }
        certain &= !assigned.iter().any(|assignment| REDIRECTING.contains(&assignment.name.as_str()));
        let pending = Pending {
            argv,
            assignments: assigned,
            redirections,
            span: unit.span(extent(unit, node, assignments, &words)),
            certain,
            input,
            children: Some((unit, children)),
            level: 0,
        };
        self.dispatch(pending, place)
    }

    /// Lists a command that is only a guess.
    pub(super) fn guessed(&mut self, words: Vec<String>, place: Place<'_>, span: Span) {
        let pending = Pending {
            argv: words.iter().map(|word| expand::literal(word)).collect(),
            assignments: Vec::new(),
            redirections: Vec::new(),
            span,
            certain: false,
            input: Input::Outer,
            children: None,
            level: 0,
        };
        self.dispatch(pending, place);
    }

    /// Applies `${x:=TEXT}`, which assigns if the variable has no value. Only a text that would be harmful as a command
    /// is assigned. Otherwise the value is unknown, because the variable may have one.
    pub(super) fn assign_default(&mut self, source: &str) {
        let Some((name, text)) = expand::parameter::assigned(source) else { return };
        let text = expand::literal(text.trim_matches(['"', '\'']));
        let what = Runnable::Text { text: text.clone(), parameters: None };
        if self.shell.value(name).is_none() && self.loses(&what) {
            self.shell.assign(name, &text, false);
        }
    }

    fn read(&mut self, unit: Unit<'_>, range: Range, mode: Mode, children: &mut Vec<Child>) -> Vec<word::Piece> {
        self.account(range);
        let mut reading = word::read(unit.text, range, mode);
        if reading.torn {
            self.partial("a quote or a bracket has no end");
        }
        if reading.broken && self.dialect != Dialect::Zsh {
            self.unparsed("two readings of a word do not agree on where it ends");
            self.guess(unit.slice(range), unit.span(range));
        }
        children.append(&mut reading.children);
        if reading.pieces.iter().any(|piece| super::state::evaluates(piece, &self.shell)) {
            self.partial("a word expands a quoted text once more");
        }
        for piece in reading.pieces.iter().filter(|piece| piece.kind == PieceKind::Parameter) {
            self.assign_default(&piece.text);
        }
        for piece in reading.pieces.iter_mut().filter(|piece| piece.kind == PieceKind::Command) {
            piece.output = self.printed(&piece.text);
        }
        reading.pieces
    }

    fn assign(&mut self, found: &Assigned, span: Span) {
        let Assignment { name, value } = &found.assignment;
        match &found.to {
            AssignTarget::Scalar | AssignTarget::Array(None) => {}
            AssignTarget::Array(Some(elements)) => self.names_mean(name, elements, span),
            AssignTarget::Element(subscript) => self.name_means(name, subscript, value, span),
        }
        if found.append && super::meanings::is_table(name) {
            self.partial(super::meanings::NOT_KNOWN);
        }
        match &found.to {
            AssignTarget::Scalar => self.shell.assign(name, value, found.append),
            AssignTarget::Array(Some(elements)) => self.shell.assign_array(name, elements.clone(), found.append),
            AssignTarget::Array(None) => self.shell.forget(name),
            AssignTarget::Element(subscript) => {
                if super::state::calculates(subscript, &self.shell) {
                    self.partial("arithmetic expands a quoted text once more");
                }
                self.shell.assign_element(name, subscript, value);
            }
        }
    }

    fn word(&mut self, unit: Unit<'_>, at: &WordAt, before: &[Word], children: &mut Vec<Child>) -> expand::Words {
        // The parser includes the white space before a builtin's name.
        let blank = unit.slice(Range { end: unit.text.len(), ..at.range });
        let blank = blank.len() - blank.trim_start_matches([' ', '\t']).len();
        let range = Range { start: at.range.start + blank, end: at.range.end + blank };
        let range = if blank == 0 { at.range } else { range };
        let raw = unit.slice(range);
        let declares = before.first().is_some_and(|name| {
            matches!(name.text.as_str(), "export" | "declare" | "typeset" | "local" | "readonly" | "alias")
        });
        let assigns = raw.split_once('=').filter(|(name, _)| is_name(name.trim_end_matches('+')));
        let is_array = assigns.is_some_and(|(_, value)| value.starts_with('('));
        if is_array && !raw.ends_with(')') {
            self.partial("an array has no end");
        }
        let mode = if is_array { Mode::Words } else { Mode::Word };
        let seen = children.len();
        let pieces = self.read(unit, range, mode, children);
        let ours = children.get(seen..).unwrap_or_default();
        let agrees = |theirs: &Range| {
            // Ours are in source order.
            let found = ours.binary_search_by_key(&theirs.start, |child| child.whole.start);
            found.ok().and_then(|index| ours.get(index)).is_some_and(|child| child.whole == *theirs)
        };
        if !at.substitutions.iter().all(agrees) {
            self.partial("two readings of a word do not agree on its substitutions");
        }
        if declares && let Some((_, value)) = assigns {
            if value.starts_with('(')
                && let Some(found) = self.assignment(unit, range, &mut Vec::new())
            {
                self.assign(&found, unit.span(range));
            }
            return expand::unsplit(pieces, &self.shell);
        }
        expand::words(pieces, &self.shell)
    }

    /// Reads `NAME=value`, `NAME[subscript]+=value` or `NAME=(...)`.
    fn assignment(&mut self, unit: Unit<'_>, range: Range, children: &mut Vec<Child>) -> Option<Assigned> {
        self.account(range);
        let raw = unit.slice(range);
        let end = raw.find(|char: char| !char.is_ascii_alphanumeric() && char != '_')?;
        let name = raw.get(..end)?.to_owned();
        let mut at = end;
        let mut to = AssignTarget::Scalar;
        if raw.as_bytes().get(at) == Some(&b'[') {
            let close = subscript_end(raw.as_bytes(), at)?;
            let inner = Range { start: range.start + at + 1, end: range.start + close };
            let pieces = self.read(unit, inner, Mode::Quoted, children);
            to = AssignTarget::Element(expand::word(pieces, &self.shell).text);
            at = close + 1;
        }
        let append = raw.as_bytes().get(at) == Some(&b'+');
        at += usize::from(append);
        if raw.as_bytes().get(at) != Some(&b'=') {
            return None;
        }
        let mut value = Range { start: range.start + at + 1, end: range.end };
        let mut mode = Mode::Word;
        let array = raw.get(at + 1..)?.starts_with('(') && raw.ends_with(')');
        if array {
            mode = Mode::Words;
            value = Range { start: value.start + 1, end: value.end - 1 };
        }
        let pieces = self.read(unit, value, mode, children);
        if array {
            let operator = |piece: &word::Piece| {
                piece.kind == PieceKind::Literal
                    && !piece.quoted
                    && piece.text.contains(['(', ')', ';', '&', '|', '<', '>'])
            };
            if pieces.iter().any(operator) {
                self.unparsed("an operator stands between the elements of an array");
                self.guess(unit.slice(range), unit.span(range));
            }
            to = AssignTarget::Array(expand::elements(pieces.clone(), &self.shell));
        }
        let mut word = expand::word(pieces, &self.shell);
        if array {
            word.dynamic = true;
            for part in &mut word.parts {
                "array".clone_into(&mut part.kind);
            }
        }
        Some(Assigned { assignment: Assignment { name, value: word }, append, to })
    }

    fn redirection(&mut self, unit: Unit<'_>, redirect: &Redirect, children: &mut Vec<Child>) -> Option<Redirection> {
        const OPERATORS: &[&str] = &["&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", ">>", ">|", ">&", ">!", "<", ">"];
        self.account(redirect.span);
        let written = unit.slice(redirect.span);
        let raw = written.trim_start_matches(|char: char| char.is_ascii_digit());
        // The parser returns a descriptor even if the source has none.
        let number = written.get(..written.len() - raw.len()).and_then(|digits| digits.parse().ok());
        let number = if redirect.named { Some(-2) } else { number };
        let raw = if raw.starts_with('{') { raw.split_once('}').map_or(raw, |(_, tail)| tail) } else { raw };
        let operator = OPERATORS.iter().find(|operator| raw.starts_with(**operator)).copied().unwrap_or(">");
        let mut at = redirect.target;
        // For a second here-document on a line, the parser misplaces the delimiter and treats it as quoted.
        if at.start >= at.end || redirect.heredoc.is_some() {
            if operator.starts_with('&') {
                // The parser splits `&>>` in two. The other half is sufficient.
                return None;
            }
            // The parser returns `2>&1` as one token.
            let told = raw.strip_prefix(operator).unwrap_or_default().trim_start();
            at = Range { start: redirect.span.end.saturating_sub(told.len()), end: redirect.span.end };
        }
        let pieces = if redirect.heredoc.is_some() {
            word::read(unit.text, at, Mode::Word).pieces
        } else {
            self.read(unit, at, Mode::Word, children)
        };
        let target = expand::word(pieces, &self.shell);
        let mut body = String::new();
        let mut body_quoted = false;
        if let Some(heredoc) = redirect.heredoc {
            self.account(heredoc.body);
            body_quoted = unit.slice(at).contains(['\'', '"', '\\']);
            let text = unit.slice(heredoc.body);
            body = if heredoc.tabs {
                text.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
            } else {
                text.to_owned()
            };
            let rest = unit.text.get(heredoc.body.end..).unwrap_or_default();
            let line = rest.lines().next().unwrap_or_default();
            self.account(Range { start: heredoc.body.end, end: heredoc.body.end + line.len() });
            let line = if heredoc.tabs { line.trim_start_matches('\t') } else { line };
            if !line.starts_with(target.text.as_str()) || rest.is_empty() {
                self.partial("a here-document has no end");
            }
            if !body_quoted {
                self.read(unit, heredoc.body, Mode::Quoted, children);
            }
        }
        let copied = target.text.trim_end_matches('-');
        let duplicates = copied.is_empty() || copied.bytes().all(|byte| byte.is_ascii_digit()) || target.dynamic;
        let fd = number.unwrap_or(match operator {
            "&>" | "&>>" => -1,
            ">&" if !duplicates => -1,
            operator if operator.starts_with('<') => 0,
            _ => 1,
        });
        Some(Redirection { fd, operator: operator.to_owned(), target, body, body_quoted })
    }
}

/// A parsed assignment.
struct Assigned {
    assignment: Assignment,
    /// Whether the operator is `+=`.
    append: bool,
    to: AssignTarget,
}

/// The target of an assignment.
enum AssignTarget {
    Scalar,
    /// The elements, if all of them can be parsed.
    Array(Option<Vec<(Option<String>, Word)>>),
    Element(String),
}

/// Returns the range of the command, without separators and comments.
fn extent(unit: Unit<'_>, node: &Node, assignments: &[Range], words: &[WordAt]) -> Range {
    const SEPARATORS: [char; 5] = [' ', '\t', ';', '&', '|'];
    let range = node.span;
    let parts = assignments.iter().chain(words.iter().map(|word| &word.range));
    let parts = parts.chain(node.redirects.iter().map(|redirect| &redirect.span)).map(|part| part.end);
    let last = parts.filter(|end| *end <= range.end).max();
    let is_comment = |line: &str| {
        let rest = line.trim_start_matches(SEPARATORS);
        rest.is_empty() || rest.starts_with('#')
    };
    let complete = || range.start + unit.slice(range).trim_end_matches([' ', '\t', '\n', ';', '&']).len();
    let rest = |last: usize| unit.slice(Range { start: last, end: range.end });
    let end = last.filter(|last| rest(*last).lines().all(is_comment)).unwrap_or_else(complete);
    Range { start: range.start, end }
}

/// Joins adjacent words, because the parser splits some.
fn adjoined(unit: Unit<'_>, words: &[WordAt]) -> Vec<WordAt> {
    let mut joined: Vec<WordAt> = Vec::with_capacity(words.len());
    for word in words {
        match joined.last_mut() {
            Some(last) if last.range.end == word.range.start && !unit.slice(word.range).starts_with([' ', '\t']) => {
                last.range.end = word.range.end;
                last.substitutions.extend_from_slice(&word.substitutions);
            }
            _ => joined.push(word.clone()),
        }
    }
    joined
}

/// Separates the numbers directly before a redirection from the words, because the parser treats a here-document's
/// descriptor as a word.
fn numbered(unit: Unit<'_>, words: Vec<WordAt>, redirects: &[Redirect]) -> (Vec<WordAt>, Vec<(Range, i32)>) {
    let number = |word: &WordAt| {
        let digits = unit.slice(word.range).trim_start_matches([' ', '\t']);
        let begins = redirects.iter().any(|redirect| redirect.span.start == word.range.end);
        (begins && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| digits.parse().ok())?
    };
    let numbers = words.iter().filter_map(|word| Some((word.range, number(word)?))).collect();
    (words.into_iter().filter(|word| number(word).is_none()).collect(), numbers)
}

/// Returns the end of the subscript that opens at `at`.
fn subscript_end(bytes: &[u8], at: usize) -> Option<usize> {
    scan::close(bytes, at + 1, scan::Frame::Bracket { open: 0 }).map(|(end, _)| end - 1)
}
