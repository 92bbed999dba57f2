//! One simple command: its words, assignments and redirections, and the wrappers around it.

use guard_sdk::syntax::{Assignment, Command, Part, Position, Redirection, Span, Via, Word};

use super::output::{self, Input};
use super::shell::Shell;
use super::{Place, Unit, Walker};
use crate::limits;
use crate::parse::tree::{Node, Range, Redirect, WordAt};
use crate::word::{self, Child, Mode, expand, is_name};
use crate::wrappers::{self, Layer, What, shells};

/// Prefix assignments that change which program a name means.
const REDIRECTING: &[&str] = &["PATH", "LD_PRELOAD", "LD_AUDIT", "BASH_ENV", "ENV", "DYLD_INSERT_LIBRARIES"];

/// A command on its way through the wrappers.
struct Pending<'t> {
    argv: Vec<Word>,
    assignments: Vec<Assignment>,
    redirections: Vec<Redirection>,
    span: Span,
    certain: bool,
    input: Input,
    /// What runs because the words are expanded; taken by the first command that is listed.
    children: Option<(Unit<'t>, Vec<Child>)>,
    level: usize,
}

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
        let mut children = Vec::new();
        let mut assigned = Vec::new();
        for range in assignments {
            let Some((assignment, append)) = self.assignment(unit, *range, &mut children) else {
                self.partial("an assignment could not be read");
                continue;
            };
            if words.is_empty() {
                self.shell.assign(&assignment.name, &assignment.value, append);
            }
            assigned.push(assignment);
        }
        let mut argv: Vec<Word> = Vec::new();
        let mut certain = true;
        for at in &adjoined(unit, words) {
            let mut word = self.word(unit, at, &argv, &mut children);
            certain &= !word.assumed;
            for word in &mut word.words {
                // A program such as `xargs` puts something in this place.
                word.dynamic |= self.marks.iter().any(|mark| word.text.contains(mark.as_str()));
            }
            argv.append(&mut word.words);
        }
        let mut redirections = Vec::new();
        for redirect in &node.redirects {
            redirections.extend(self.redirection(unit, redirect, &mut children));
        }
        if self.words > limits::WORDS || argv.len() > limits::WORDS {
            self.partial("too many words");
            return Input::Pipe;
        }
        certain &= !assigned.iter().any(|assignment| REDIRECTING.contains(&assignment.name.as_str()));
        let pending = Pending {
            argv,
            assignments: assigned,
            redirections,
            span: unit.span(node.span),
            certain,
            input,
            children: Some((unit, children)),
            level: 0,
        };
        self.dispatch(pending, place)
    }

    /// A command that is only guessed.
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

    fn read(&mut self, unit: Unit<'_>, range: Range, mode: Mode, children: &mut Vec<Child>) -> Vec<word::Piece> {
        let mut reading = word::read(unit.text, range, mode);
        if reading.torn {
            self.partial("a quote or a bracket has no end");
        }
        children.append(&mut reading.children);
        reading.pieces
    }

    fn word(&mut self, unit: Unit<'_>, at: &WordAt, before: &[Word], children: &mut Vec<Child>) -> expand::Words {
        // The name of a builtin is given with the white space before it.
        let blank = unit.slice(Range { end: unit.text.len(), ..at.range });
        let blank = blank.len() - blank.trim_start_matches([' ', '\t']).len();
        let range = Range { start: at.range.start + blank, end: at.range.end + blank };
        let range = if blank == 0 { at.range } else { range };
        let raw = unit.slice(range);
        let declares = before.first().is_some_and(|name| {
            matches!(name.text.as_str(), "export" | "declare" | "typeset" | "local" | "readonly" | "alias")
        });
        let assigns = raw.split_once('=').filter(|(name, _)| is_name(name.trim_end_matches('+')));
        let mode = if assigns.is_some_and(|(_, value)| value.starts_with('(')) { Mode::Words } else { Mode::Word };
        let seen = children.len();
        let pieces = self.read(unit, range, mode, children);
        let ours = children.get(seen..).unwrap_or_default();
        if at.substitutions.iter().any(|theirs| !ours.iter().any(|child| child.whole == *theirs)) {
            self.partial("two readings of a word do not agree on its substitutions");
        }
        if declares && assigns.is_some() {
            return expand::Words { words: vec![expand::word(pieces, &self.shell)], assumed: false };
        }
        expand::words(pieces, &self.shell)
    }

    /// `NAME=value`, `NAME[subscript]+=value`, `NAME=(...)`.
    fn assignment(&mut self, unit: Unit<'_>, range: Range, children: &mut Vec<Child>) -> Option<(Assignment, bool)> {
        let raw = unit.slice(range);
        let end = raw.find(|char: char| !char.is_ascii_alphanumeric() && char != '_')?;
        let name = raw.get(..end)?.to_owned();
        let mut at = end;
        if raw.as_bytes().get(at) == Some(&b'[') {
            let close = subscript_end(raw.as_bytes(), at)?;
            let inner = Range { start: range.start + at + 1, end: range.start + close };
            self.read(unit, inner, Mode::Quoted, children);
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
        let mut word = expand::word(pieces, &self.shell);
        // An element of an array is not the variable's value.
        word.dynamic |= array || end + 1 < at - usize::from(append);
        if array {
            for part in &mut word.parts {
                "array".clone_into(&mut part.kind);
            }
        }
        Some((Assignment { name, value: word }, append))
    }

    fn redirection(&mut self, unit: Unit<'_>, redirect: &Redirect, children: &mut Vec<Child>) -> Option<Redirection> {
        const OPERATORS: &[&str] = &["&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", ">>", ">|", ">&", ">!", "<", ">"];
        let raw = unit.slice(redirect.span);
        let raw = raw.trim_start_matches(|char: char| char.is_ascii_digit());
        let raw = if raw.starts_with('{') { raw.split_once('}').map_or(raw, |(_, tail)| tail) } else { raw };
        let operator = OPERATORS.iter().find(|operator| raw.starts_with(**operator)).copied().unwrap_or(">");
        let mut at = redirect.target;
        if at.start >= at.end {
            if operator.starts_with('&') && redirect.fd == Some(2) {
                // The parser splits `&>>` in two; the other half says it all.
                return None;
            }
            // `2>&1` is one token of the parser's.
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
            body_quoted = heredoc.quoted;
            let text = unit.slice(heredoc.body);
            body = if heredoc.tabs {
                text.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
            } else {
                text.to_owned()
            };
            if !heredoc.quoted {
                self.read(unit, heredoc.body, Mode::Quoted, children);
            }
        }
        let number = target.text.trim_end_matches('-');
        let duplicates = number.is_empty() || number.bytes().all(|byte| byte.is_ascii_digit()) || target.dynamic;
        let fd = redirect.fd.unwrap_or(match operator {
            "&>" | "&>>" => -1,
            ">&" if !duplicates => -1,
            operator if operator.starts_with('<') => 0,
            _ => 1,
        });
        Some(Redirection { fd, operator: operator.to_owned(), target, body, body_quoted })
    }

    /// Takes the wrappers off a command and lists what is left.
    fn dispatch(&mut self, mut pending: Pending<'_>, place: Place<'_>) -> Input {
        if let Some(name) = wrappers::program(&pending.argv) {
            let name = name.to_owned();
            self.names.insert(name);
        }
        if let Some(input) = output::redirected(&pending.redirections, &self.shell) {
            pending.input = input;
        }
        let shadowed = pending.argv.first().is_some_and(|name| self.defined.contains_key(&name.text));
        let layer = if shadowed || pending.level >= limits::WRAPPERS { None } else { wrappers::peel(&pending.argv) };
        if pending.level >= limits::WRAPPERS {
            self.partial("too many wrappers around one command");
        }
        let Some(layer) = layer else { return self.plain(pending, place) };
        let (before, level) = (self.parent, pending.level + 1);
        let Layer { outer, runs } = layer;
        let texts = runs.iter().any(|run| matches!(run.what, What::Text { .. }));
        let stays = outer.is_some();
        if stays || texts {
            let argv = outer.unwrap_or_default();
            let carries = stays || !pending.redirections.is_empty() || !pending.assignments.is_empty();
            if carries {
                let assignments = pending.assignments.clone();
                let redirections = std::mem::take(&mut pending.redirections);
                let id = self.push(argv, assignments, redirections, pending.span, pending.certain, place);
                self.run_children(&mut pending, id);
                if stays {
                    self.parent = id;
                    pending.assignments.clear();
                }
            }
            self.run_children(&mut pending, before);
        }
        let mut output = Input::Pipe;
        let certain = self.certain;
        for run in runs {
            let shell = self.shell.clone();
            match &run.place {
                wrappers::Place::Here | wrappers::Place::Apart => {}
                wrappers::Place::Directory(directory) => {
                    self.shell.change_directory(std::slice::from_ref(directory));
                }
                wrappers::Place::Unknown => self.shell.lose_directory(),
                wrappers::Place::Elsewhere => self.shell = Shell::new("", ""),
            }
            let late = run.via.kind == "trap";
            self.via.push(run.via);
            self.certain &= run.certain && pending.certain;
            let marks = self.marks.len();
            self.marks.extend(run.mark);
            match run.what {
                What::Words { assignments, words } => {
                    let mut inner = Pending {
                        argv: words,
                        assignments: pending.assignments.clone(),
                        redirections: std::mem::take(&mut pending.redirections),
                        span: pending.span,
                        certain: pending.certain,
                        input: pending.input.clone(),
                        children: pending.children.take(),
                        level,
                    };
                    inner.assignments.extend(assignments);
                    output = self.dispatch(inner, place);
                }
                What::Text { text, parameters } => {
                    for assignment in &pending.assignments {
                        self.shell.assign(&assignment.name, &assignment.value, false);
                    }
                    if let Some(parameters) = parameters {
                        self.shell.set_parameters(&parameters);
                    }
                    let outer = std::mem::replace(&mut self.input, pending.input.clone());
                    if late {
                        self.inside("trap", |walker| walker.run_text(&text, pending.span));
                    } else {
                        self.run_text(&text, pending.span);
                    }
                    self.input = outer;
                }
            }
            self.via.pop();
            self.marks.truncate(marks);
            self.certain = certain;
            if run.place != wrappers::Place::Here {
                self.shell = shell;
            }
        }
        self.parent = before;
        output
    }

    /// Analyses a word that becomes shell.
    fn run_text(&mut self, word: &Word, span: Span) {
        let certain = self.certain;
        let mut text = String::with_capacity(word.text.len());
        for part in &word.parts {
            match part.kind.as_str() {
                "literal" | "glob" | "tilde" | "brace" => text.push_str(&part.text),
                "variable" if is_name(&part.text) => {
                    text.push('$');
                    text.push_str(&part.text);
                }
                "variable" if part.text == "{}" => text.push_str("{}"),
                // It ran already; what it gave is not known.
                _ => text.push_str("$_"),
            }
        }
        let runs_late = |part: &Part| {
            matches!(part.kind.as_str(), "variable" | "command" | "arithmetic" | "process" | "array") && part.text != "{}"
        };
        if word.parts.iter().any(runs_late) {
            self.certain = false;
            self.partial("a text with parts known only at run time becomes shell");
        }
        let texts_via = std::mem::replace(&mut self.texts_via, self.via.len());
        self.text(&text, span);
        self.texts_via = texts_via;
        self.certain = certain;
    }

    fn run_children(&mut self, pending: &mut Pending<'_>, parent: u32) {
        if let Some((unit, children)) = pending.children.take() {
            self.children(unit, &children, parent);
        }
    }

    /// Lists a command that is no wrapper.
    fn plain(&mut self, mut pending: Pending<'_>, place: Place<'_>) -> Input {
        let mut certain = pending.certain;
        if let Some(name) = pending.argv.first() {
            if name.dynamic && !only_the_folder_is_dynamic(name) {
                self.partial("the name of a command is known only at run time");
            }
            if name.glob {
                self.partial("the name of a command is a pattern");
            }
            let folder_is_home = matches!(name.parts.first(), Some(part) if part.text == "HOME") && name.parts.len() == 2;
            certain &= !name.glob && (!name.dynamic || folder_is_home);
            certain &= !self.defined.contains_key(&name.text);
        }
        if pending.argv.is_empty() && pending.assignments.is_empty() && pending.redirections.is_empty() {
            let parent = self.parent;
            self.run_children(&mut pending, parent);
            return Input::Pipe;
        }
        let reads = shells::reads_input(&pending.argv);
        let from_pipe = reads && matches!(pending.input, Input::Pipe | Input::Piped(_));
        if from_pipe {
            self.via.push(Via { kind: "pipe".to_owned(), detail: String::new() });
        }
        let argv = std::mem::take(&mut pending.argv);
        let process = shells::reads_process(&argv);
        let assignments = std::mem::take(&mut pending.assignments);
        let redirections = std::mem::take(&mut pending.redirections);
        let id = self.push(argv, assignments, redirections, pending.span, certain, place);
        if from_pipe {
            self.via.pop();
        }
        let command = self.commands.last().filter(|command| command.id == id).cloned();
        self.run_children(&mut pending, id);
        if process {
            self.partial("a shell reads a process substitution");
        }
        let Some(command) = command else { return Input::Pipe };
        if reads {
            self.run_input(&command, &pending.input);
        }
        if command.via.iter().all(|via| matches!(via.kind.as_str(), "command" | "builtin" | "eval" | "time"))
            || command.via.len() <= self.texts_via
        {
            self.follow(&command);
        }
        output::of(&command, pending.input)
    }

    /// What a shell reads from its standard input runs.
    fn run_input(&mut self, command: &Command, input: &Input) {
        let (kind, word) = match input {
            Input::Outer | Input::File => return,
            Input::Pipe => return self.partial("a shell reads commands from a pipe"),
            Input::Piped(word) => ("pipe", word),
            Input::Here(word) => ("heredoc", word),
        };
        let remote = command.program() == "ssh";
        let before = std::mem::replace(&mut self.parent, command.id);
        let input = std::mem::replace(&mut self.input, Input::Pipe);
        if remote {
            self.via.push(Via { kind: "ssh".to_owned(), detail: command.argv.last().map(|host| host.text.clone()).unwrap_or_default() });
        }
        self.via.push(Via { kind: kind.to_owned(), detail: String::new() });
        self.apart(|walker| {
            if remote {
                walker.shell = Shell::new("", "");
            }
            walker.run_text(word, command.span);
        });
        self.via.pop();
        if remote {
            self.via.pop();
        }
        self.input = input;
        self.parent = before;
    }

    /// Lists a command. Gives its id, or the parent's if there is no room.
    fn push(
        &mut self,
        argv: Vec<Word>,
        assignments: Vec<Assignment>,
        redirections: Vec<Redirection>,
        span: Span,
        certain: bool,
        place: Place<'_>,
    ) -> u32 {
        self.words += argv.len();
        self.bytes += argv.iter().map(|word| 64 + 2 * word.text.len()).sum::<usize>()
            + assignments.iter().map(|assignment| 2 * assignment.value.text.len()).sum::<usize>()
            + redirections.iter().map(|redirection| redirection.body.len() + 2 * redirection.target.text.len()).sum::<usize>();
        if self.commands.len() >= limits::COMMANDS || self.words > limits::WORDS || self.bytes > limits::RESULT {
            self.partial("more commands than can be listed");
            return self.parent;
        }
        let id = super::offset(self.commands.len() + 1);
        self.commands.push(Command {
            id,
            parent: self.parent,
            argv,
            assignments,
            redirections,
            position: Position {
                pipeline: place.pipeline,
                index: place.index,
                length: place.length,
                operator: place.item.operator.to_owned(),
                background: place.item.background,
                within: self.within.iter().map(|what| (*what).to_owned()).collect(),
            },
            via: self.via.clone(),
            span,
            cwd: self.shell.cwd.clone(),
            certain: certain && self.certain,
        });
        id
    }
}

/// The words, with those joined that stand side by side without anything between them: the parser splits some.
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

/// Whether a dynamic word still ends in a literal name after a `/`: `"$DIR/run.sh"`.
fn only_the_folder_is_dynamic(word: &Word) -> bool {
    word.parts.last().is_some_and(|part| {
        part.kind == "literal" && part.text.rsplit_once('/').is_some_and(|(_, name)| !name.is_empty())
    }) && word.parts.iter().all(|part| matches!(part.kind.as_str(), "literal" | "variable"))
}

/// Where the subscript that opens at `at` closes.
fn subscript_end(bytes: &[u8], at: usize) -> Option<usize> {
    crate::parse::scan::close(bytes, at + 1, crate::parse::scan::Frame::Bracket { open: 0 }).map(|(end, _)| end - 1)
}
