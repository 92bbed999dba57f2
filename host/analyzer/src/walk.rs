//! Walks the tree of a text, and lists the commands that run or may run.
//!
//! Every nested text is parsed separately from its own bytes. Anything that can't be followed becomes a reason.

mod account;
mod calls;
mod compound;
mod descriptors;
pub(crate) mod echo;
mod edited;
mod embedded;
mod fields;
mod files;
mod foreign;
mod piped;
mod content;
mod imports;
mod layers;
mod makefiles;
mod meanings;
mod names;
mod output;
mod patterns;
mod plain;
mod printed;
mod readers;
mod readings;
mod reasons;
mod repository;
mod running;
mod script_arguments;
mod sandboxes;
pub(crate) mod set_up;
mod shell;
mod simple;
mod started;
mod state;
mod task_files;
mod tasks;
mod templates;
mod unit;
mod unknown;
mod variables;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use guard_sdk::syntax::{Span, Word};

use crate::limits;
use crate::parse::tree::{Item, Kind, Node, Range, Sequence};
use crate::parse::{self, Dialect};
use crate::prescan;
use crate::word::{self, Child, Mode};
use crate::{fallback_lexer, witness};
use content::Content;
pub(crate) use fields::Found;
use fields::{Budget, Deferred, Scope};
use files::Files;
use output::Input;
use shell::Shell;
use unit::{Origin, Unit, offset};

/// Walks one text and all the texts in it.
pub(crate) struct Walker {
    pub(crate) found: Found,
    scope: Scope,
    budget: Budget,
    deferred: Deferred,
    dialect: Dialect,
    /// The shell whose builtins print.
    echo_dialect: echo::EchoDialect,
    /// Whether printed text was used that another shell prints differently.
    echo_differs: bool,
    /// Whether only the output of one command is wanted.
    is_probe: bool,
    /// The working directory of the call. Empty if unknown.
    start: String,
    shell: Shell,
    /// Names defined by the text, and whether calling them may change the directory.
    defined: BTreeMap<String, bool>,
    /// Variables set by the text from which programs read further arguments.
    steering: BTreeSet<&'static str>,
    /// git aliases defined by the text.
    git_aliases: BTreeMap<String, Word>,
    /// The input of commands without a pipe or redirection.
    input: Input,
    /// The inputs opened by `exec` and by enclosing redirections, by descriptor.
    descriptors: descriptors::Descriptors,
    /// Files, copies of programs, links, and containers created by the text.
    files: Files,
    /// The output of a compound command so far, if it is collected.
    sink: Option<Content>,
    /// The known text that a pipeline stage reads from the commands before it, by index.
    piped_texts: piped::PipedTexts,
    /// The number of the last pipeline.
    pipelines: u32,
    /// The visited parts of the current text.
    accounted: Vec<Range>,
}

/// A command's position in its pipeline.
#[derive(Clone, Copy)]
struct Place<'i> {
    pipeline: u32,
    index: u32,
    length: u32,
    item: &'i Item,
}

impl Walker {
    pub(crate) fn new(dialect: Dialect, cwd: &str, home: &str) -> Self {
        Walker {
            found: Found::new(),
            scope: Scope::new(),
            budget: Budget::new(),
            deferred: Deferred::default(),
            dialect,
            echo_dialect: match dialect {
                Dialect::Bash => echo::EchoDialect::Bash,
                Dialect::Posix => echo::EchoDialect::Dash,
                Dialect::Zsh => echo::EchoDialect::Zsh,
            },
            echo_differs: false,
            is_probe: false,
            start: cwd.to_owned(),
            shell: Shell::new(cwd, home),
            defined: BTreeMap::new(),
            steering: BTreeSet::new(),
            git_aliases: BTreeMap::new(),
            input: Input::Outer,
            descriptors: descriptors::Descriptors::new(),
            files: Files::default(),
            sink: None,
            piped_texts: piped::PipedTexts::new(),
            pipelines: 0,
            accounted: Vec::new(),
        }
    }

    /// Walks the outermost text.
    pub(crate) fn outermost(&mut self, source: &str) {
        let span = Span { start: 0, end: offset(source.len()) };
        match prescan::prepare(source) {
            Ok(prepared) => {
                self.by_any_shell(Unit { text: &prepared.text, origin: Origin::Outermost(&prepared, 0) });
                if let Some(missed) = witness::missed(source, prepared.depth, &self.found.names) {
                    self.partial(&format!("a second parser sees the command `{missed}`"));
                }
            }
            Err(reason) => {
                self.unparsed(&reason);
                self.guess(source, span);
            }
        }
    }

    /// Analyzes deferred texts without the values that were current at their definition.
    pub(crate) fn without_kept(mut self) -> Self {
        self.deferred.without_kept = true;
        self
    }

    /// Returns whether deferred texts were analyzed with the values that are current at the end.
    pub(crate) fn kept_their_values(&self) -> bool {
        self.deferred.kept.iter().all(|(name, value)| self.shell.has(name, value))
            && self.deferred.kept_in.iter().all(|directory| self.shell.cwd == *directory)
    }

    /// Walks the words of one command.
    fn outermost_words(&mut self, words: Vec<String>) {
        let item = Item { operator: "", background: false, negated: false, elements: Vec::new() };
        let place = Place { pipeline: 1, index: 0, length: 1, item: &item };
        self.guessed(words, place, Span { start: 0, end: 0 });
    }

    /// Parses a text and walks it in the current shell.
    fn unit(&mut self, unit: Unit<'_>) {
        if self.found.full {
            return;
        }
        self.budget.parsed += unit.text.len();
        if self.budget.parsed > limits::PARSED {
            return self.partial("too much nested text to parse");
        }
        if self.budget.depth >= limits::WALK_DEPTH {
            return self.partial("commands are nested too deeply to follow");
        }
        let (text, zeros) = parse::without_zeros(unit.text);
        match parse::parse(&text, self.dialect) {
            Ok(sequence) => {
                let outer = std::mem::replace(&mut self.accounted, zeros);
                self.sequence(unit, &sequence);
                self.settle(unit);
                self.accounted = outer;
            }
            // Only zsh accepts `for f (*.md) wc $f`, so the script is for zsh.
            Err(_) if self.is_of_zsh(&text) => {
                self.dialect = Dialect::Zsh;
                self.unit(unit);
                self.dialect = Dialect::Bash;
            }
            Err(reason) => {
                if let Some(text) = foreign::respelled(unit.text, self.dialect) {
                    return self.unit(Unit { text: &text, origin: unit.origin });
                }
                let span = unit.span(Range { start: 0, end: unit.text.len() });
                if let Some((reason, text)) = foreign::understood(unit.text, self.dialect) {
                    self.partial(reason);
                    return self.guess(&text, span);
                }
                self.unparsed(&format!("the text does not parse: {reason}"));
                self.guess(unit.text, span);
            }
        }
    }

    fn is_of_zsh(&self, text: &str) -> bool {
        self.dialect == Dialect::Bash
            && self.echo_dialect == echo::EchoDialect::Zsh
            && parse::parse(text, Dialect::Zsh).is_ok()
    }

    /// Lists the commands that a text with syntax errors may run.
    fn guess(&mut self, text: &str, span: Span) {
        let certain = std::mem::replace(&mut self.scope.certain, false);
        for words in fallback_lexer::commands(text) {
            if self.found.full {
                break;
            }
            self.pipelines += 1;
            let item = Item { operator: "", background: false, negated: false, elements: Vec::new() };
            let place = Place { pipeline: self.pipelines, index: 0, length: 1, item: &item };
            self.guessed(words, place, span);
        }
        self.scope.certain = certain;
    }

    /// Analyzes a text that becomes shell. It is prepared like the outermost text.
    fn text(&mut self, text: &str, span: Span) {
        if self.budget.texts >= limits::TEXT_DEPTH {
            self.partial("texts that become shell are nested too deeply");
            return self.guess(text, span);
        }
        self.budget.texts += 1;
        match prescan::prepare(text) {
            Ok(prepared) => {
                let is_file = self.scope.file.as_ref().is_some_and(|file| !text.is_empty() && file.text == text);
                let origin = if is_file { Origin::File(&prepared, 0, span) } else { Origin::Inside(span) };
                self.unit(Unit { text: &prepared.text, origin });
            }
            Err(reason) => {
                self.unparsed(&reason);
                self.guess(text, span);
            }
        }
        self.budget.texts -= 1;
    }

    /// Runs `walk` within a construct.
    fn inside(&mut self, what: &'static str, walk: impl FnOnce(&mut Self)) {
        self.scope.within.push(what);
        self.budget.depth += 1;
        if self.budget.depth > limits::WALK_DEPTH {
            self.partial("commands are nested too deeply to follow");
        } else {
            walk(self);
        }
        self.budget.depth -= 1;
        self.scope.within.pop();
    }

    /// Runs `walk` in a subshell, and discards its changes.
    fn apart(&mut self, walk: impl FnOnce(&mut Self)) {
        let (shell, input, descriptors) = (self.shell.clone(), self.input.clone(), self.descriptors.clone());
        walk(self);
        (self.shell, self.input, self.descriptors) = (shell, input, descriptors);
    }

    fn sequence(&mut self, unit: Unit<'_>, sequence: &Sequence) {
        let mut chain: Vec<&Item> = Vec::new();
        for item in &sequence.items {
            if !matches!(item.operator, "&&" | "||") {
                self.chain(unit, &chain);
                chain.clear();
            }
            chain.push(item);
        }
        self.chain(unit, &chain);
    }

    /// Walks pipelines joined by `&&` and `||`.
    fn chain(&mut self, unit: Unit<'_>, chain: &[&Item]) {
        if let [item] = chain
            && !item.background
        {
            self.pipeline(unit, item);
            return;
        }
        let before = self.shell.clone();
        // The state if the chain ends before its last pipeline.
        let mut early: Option<Shell> = None;
        let mut left: Option<&Item> = None;
        for (index, item) in chain.iter().enumerate() {
            let entry = self.shell.clone();
            if item.operator == "||" {
                // The left side failed, perhaps at its `cd`.
                if index == 1 {
                    self.shell = before.clone();
                } else {
                    self.meet_shell(&before);
                }
                self.pipeline(unit, item);
                let runs = index == 1 && left.is_some_and(|left| state::fails(unit, left));
                if !runs && (state::leaves(unit, item) || state::keeps_shell(unit, item)) {
                    self.shell = entry;
                } else if !runs {
                    self.meet_shell(&entry);
                }
            } else {
                if left.is_some_and(|left| !state::succeeds(unit, left)) {
                    match &mut early {
                        Some(early) => self.join(early, &entry),
                        None => early = Some(entry),
                    }
                }
                if left.is_some_and(|left| state::stays(unit, left)) {
                    self.meet_shell(&before);
                }
                self.pipeline(unit, item);
            }
            left = Some(item);
        }
        if let Some(early) = early {
            self.meet_shell(&early);
        }
        if chain.iter().any(|item| item.background) {
            self.shell = before;
        }
    }

    /// Walks one pipeline. Returns the standard output of its last command.
    fn pipeline(&mut self, unit: Unit<'_>, item: &Item) -> Input {
        if self.found.full {
            return Input::Pipe;
        }
        self.pipelines += 1;
        let length = item.elements.len();
        let pipeline = self.pipelines;
        let mut input = self.input.clone();
        for (index, node) in item.elements.iter().enumerate() {
            let place = Place { pipeline, index: offset(index), length: offset(length), item };
            if length == 1 {
                return self.node(unit, node, place, input);
            }
            let (shell, outer) = (self.shell.clone(), self.input.clone());
            // Only the last command prints to the pipeline's output. The output of every other command is the input of
            // the next one.
            let sink = (index + 1 < length).then(|| self.sink.replace(Content::nothing()));
            // Substitutions in its words also read the pipe.
            self.input = input.clone();
            let output = self.node(unit, node, place, input.clone());
            let printed = sink.and_then(|sink| std::mem::replace(&mut self.sink, sink));
            (self.shell, self.input) = (shell, outer);
            if index + 1 == length && self.shell.runs_last {
                self.forget_changes_of(unit.slice(node.span));
            }
            input = if output == Input::Pipe { self.handed_on(printed, &input, place) } else { output };
        }
        input
    }

    /// Forgets the state that a text may change in this shell.
    fn forget_changes_of(&mut self, text: &str) {
        self.shell.forget_named_in(text);
        if state::changes_directory(text) {
            self.shell.lose_directory();
        }
    }

    /// Walks one command. Returns its standard output.
    fn node(&mut self, unit: Unit<'_>, node: &Node, place: Place<'_>, input: Input) -> Input {
        if let Kind::Simple { assignments, words } = &node.kind {
            return self.simple(unit, node, assignments, words, place, input);
        }
        let mut input = input;
        let mut capture = None;
        let descriptors = self.descriptors.clone();
        if !node.redirects.is_empty() {
            // The redirections of a group are in a pseudo command.
            let count = self.found.commands.len();
            self.simple(unit, node, &[], &[], place, Input::Outer);
            let group = self.found.commands.get(count).map(|command| command.redirections.clone()).unwrap_or_default();
            let mut opened = self.opened(&group, &input);
            input = opened.remove(&0).unwrap_or(input);
            self.descriptors.append(&mut opened);
            capture = self.capture(&group);
        }
        let outer = std::mem::replace(&mut self.input, input);
        self.compound(unit, node);
        // Descriptors that `exec` opens in a group of the current shell stay open.
        if place.length > 1 || !node.redirects.is_empty() || !matches!(node.kind, Kind::Group(_)) {
            self.input = outer;
            self.descriptors = descriptors;
        }
        self.captured(capture);
        Input::Pipe
    }

    /// Walks an operand that isn't a word of a command.
    fn operand(&mut self, unit: Unit<'_>, range: Range, mode: Mode) {
        self.account(range);
        let reading = word::read(unit.text, range, mode);
        if reading.torn {
            self.partial("a quote or a bracket has no end");
        }
        for piece in reading.pieces.iter().filter(|piece| piece.kind == word::PieceKind::Parameter) {
            self.assign_default(&piece.text);
        }
        let parent = self.scope.parent;
        self.children(unit, &reading.children, parent);
    }

    /// Walks the substitutions of a word.
    fn children(&mut self, unit: Unit<'_>, children: &[Child], parent: u32) {
        let before = std::mem::replace(&mut self.scope.parent, parent);
        let sink = self.sink.take();
        for child in children {
            let body = child.text.as_deref().unwrap_or_else(|| unit.slice(child.body));
            if self.found.full || is_empty(body) {
                continue;
            }
            let what = if child.process { "process" } else { "substitution" };
            let count = self.found.commands.len();
            let fed = child.process && unit.slice(child.whole).starts_with('>');
            let outer = fed.then(|| std::mem::replace(&mut self.input, Input::Pipe));
            self.inside(what, |walker| {
                walker.apart(|walker| match (&child.text, unit.origin) {
                    (Some(text), _) => walker.text(text, unit.span(child.whole)),
                    (None, origin) => {
                        let origin = match origin {
                            Origin::Outermost(prepared, base) => Origin::Outermost(prepared, base + child.body.start),
                            Origin::File(prepared, base, span) => Origin::File(prepared, base + child.body.start, span),
                            inside => inside,
                        };
                        walker.unit(Unit { text: unit.slice(child.body), origin });
                    }
                });
            });
            if let Some(outer) = outer {
                self.input = outer;
            }
            if count == self.found.commands.len() {
                self.partial("a substitution holds no command that could be read");
            }
        }
        self.sink = sink;
        self.scope.parent = before;
    }
}

/// Returns whether a body only has white space and comments.
fn is_empty(body: &str) -> bool {
    body.lines().all(|line| line.trim_start().is_empty() || line.trim_start().starts_with('#'))
}
