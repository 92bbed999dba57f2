//! Compound commands: the enclosed commands, and the state after them.
//!
//! A branch may not have run. Values set in it are only known afterwards if every branch agrees.

use std::collections::BTreeSet;
use std::rc::Rc;

use guard_sdk::syntax::{Via, Word};

use super::output::Input;
use super::shell::Shell;
use super::{Origin, Unit, Walker, state};
use crate::parse::tree::{Kind, Node, Range, Sequence};
use crate::word::{self, Mode};
use crate::wrappers::layer::Runnable;

/// The maximum number of values for which one is kept after branches.
const MOST: usize = 16;

/// Variables set by the shell itself.
const SET_BY_SHELLS: [&str; 12] = [
    "BASH_REMATCH",
    "COPROC",
    "DIRSTACK",
    "LINENO",
    "MAPFILE",
    "OLDPWD",
    "OPTARG",
    "PWD",
    "RANDOM",
    "REPLY",
    "match",
    "reply",
];

/// Returns the body in a function's definition, from after its name.
fn body_of(definition: &str) -> &str {
    let rest = definition.trim_start();
    let Some(inside) = rest.strip_prefix('(') else { return rest };
    inside.trim_start().strip_prefix(')').unwrap_or(rest)
}

impl Walker {
    pub(super) fn compound(&mut self, unit: Unit<'_>, node: &Node) {
        match &node.kind {
            Kind::Simple { .. } => {}
            Kind::Subshell(body) => {
                self.inside("subshell", |walker| walker.apart(|walker| walker.sequence(unit, body)))
            }
            Kind::Group(body) => self.inside("group", |walker| walker.sequence(unit, body)),
            Kind::Timed(body) => {
                self.scope.via.push(Via { kind: "time".to_owned(), detail: String::new() });
                self.inside("time", |walker| walker.sequence(unit, body));
                self.scope.via.pop();
            }
            Kind::If { arms, otherwise } => self.branches(unit, arms, otherwise.as_ref()),
            Kind::Loop { .. } => self.repeated(unit, node),
            Kind::Case { word, arms } => self.cases(unit, *word, arms),
            Kind::Function { .. } => self.function(unit, node),
            Kind::Coprocess(body) => {
                self.inside("coprocess", |walker| {
                    walker.apart(|walker| {
                        // Other commands' writes to it aren't followed.
                        walker.input = Input::Pipe;
                        drop(walker.pipeline(unit, body));
                    });
                });
            }
            Kind::Test(range) => self.test(unit, *range),
            Kind::Arithmetic(range) => {
                self.operand(unit, *range, Mode::Quoted);
                let text = unit.slice(*range).to_owned();
                self.calculate(&text);
                self.shell.forget_named_in(&text);
            }
        }
    }

    /// Walks `if`, with its conditions and branches.
    fn branches(&mut self, unit: Unit<'_>, arms: &[(Sequence, Sequence)], otherwise: Option<&Sequence>) {
        let mut ends: Option<Shell> = None;
        for (condition, branch) in arms {
            self.inside("condition", |walker| walker.sequence(unit, condition));
            let entry = self.shell.clone();
            self.inside("condition", |walker| walker.sequence(unit, branch));
            self.meet(&mut ends, entry);
        }
        if let Some(branch) = otherwise {
            let entry = self.shell.clone();
            self.inside("condition", |walker| walker.sequence(unit, branch));
            self.meet(&mut ends, entry);
        }
        if let Some(end) = ends {
            self.meet_shell(&end);
        }
    }

    /// Walks `for`, `select`, `while` and `until`.
    fn repeated(&mut self, unit: Unit<'_>, node: &Node) {
        let Kind::Loop { condition, variable, words, arithmetic, body, body_at } = &node.kind else { return };
        for word in words {
            self.operand(unit, *word, Mode::Word);
        }
        for expression in arithmetic {
            self.operand(unit, *expression, Mode::Quoted);
            self.calculate(unit.slice(*expression));
        }
        if super::variables::is_read_by_programs(variable) {
            self.partial("a loop sets a variable that programs run or load: what it holds is not known");
        }
        let text = unit.slice(*body_at).to_owned();
        let header = unit.slice(Range { start: node.span.start, end: body_at.start });
        if state::never_ends(header) && state::starts_without_rest(unit, body) {
            self.partial("a loop starts processes without end");
        }
        self.shell.forget_named_in(&text);
        let lines = condition.as_ref().map(|_| self.lines(*body_at)).unwrap_or_default();
        self.shell.forget(variable);
        let entry = self.shell.clone();
        if state::changes_directory(&text) {
            self.shell.lose_directory();
        }
        let rounds = self.rounds(unit, node.span, words, *body_at);
        self.inside("loop", |walker| {
            for round in 0..rounds.len().max(lines.len()) {
                match rounds.get(round) {
                    Some(Some(value)) if value.glob => walker.shell.assign_selected(variable, value),
                    Some(Some(value)) => walker.shell.assign(variable, value, false),
                    _ => {}
                }
                let input = lines.get(round).map(|line| Input::Here(line.clone()));
                // A condition reads one line of the loop's input. The rest is unknown.
                let input = input.unwrap_or_else(|| walker.input.unknown());
                if let Some(condition) = condition {
                    let outer = std::mem::replace(&mut walker.input, input);
                    walker.inside("condition", |walker| walker.sequence(unit, condition));
                    walker.input = outer;
                }
                walker.sequence(unit, body);
            }
        });
        self.shell.forget(variable);
        self.meet_shell(&entry);
    }

    /// Walks `case`, with its patterns and branches.
    fn cases(&mut self, unit: Unit<'_>, word: Range, arms: &[(Vec<Range>, Sequence)]) {
        self.operand(unit, word, Mode::Word);
        let mut ends: Option<Shell> = None;
        for (patterns, body) in arms {
            for pattern in patterns {
                self.operand(unit, *pattern, Mode::Word);
            }
            let entry = self.shell.clone();
            self.inside("case", |walker| walker.sequence(unit, body));
            self.meet(&mut ends, entry);
        }
        if let Some(end) = ends {
            self.meet_shell(&end);
        }
    }

    /// Walks the definition of a function.
    fn function(&mut self, unit: Unit<'_>, node: &Node) {
        let Kind::Function { names, body, runs } = &node.kind else { return };
        for name in names {
            self.operand(unit, *name, Mode::Word);
            let moves = state::changes_directory(unit.slice(node.span));
            self.defined.insert(unit.slice(*name).to_owned(), moves);
            let definition = Range { start: name.end, end: node.span.end };
            self.shell.define(unit.slice(*name), body_of(unit.slice(definition)));
        }
        for word in runs {
            self.operand(unit, *word, Mode::Word);
        }
        let lasting = match unit.origin {
            Origin::Outermost(prepared, _) => self.lasting(&prepared.text),
            Origin::Inside(_) | Origin::File(..) => Rc::default(),
        };
        self.deferred.kept.extend(self.shell.values(&lasting));
        self.inside("function", |walker| {
            walker.apart(|walker| {
                // The function runs later, with the values and functions at that time.
                walker.shell.forget_all_but(&lasting);
                let outer = std::mem::replace(&mut walker.deferred.defining, true);
                let sink = walker.sink.take();
                walker.pipeline(unit, body);
                walker.sink = sink;
                walker.deferred.defining = outer;
            });
        });
    }

    /// Walks `[[ ... ]]`.
    fn test(&mut self, unit: Unit<'_>, range: Range) {
        self.operand(unit, range, Mode::Words);
        let reading = word::read(unit.text, range, Mode::Words);
        let quoted = |piece: &word::Piece| piece.quoted && piece.kind == word::PieceKind::Literal;
        // `-eq` and similar operators evaluate a quoted text as arithmetic, which expands it again.
        let again = |piece: &word::Piece| quoted(piece) && piece.text.contains('[') && piece.text.contains("$(");
        if reading.pieces.iter().any(again) {
            self.partial("a test expands a quoted text");
        }
        let text = unit.slice(range).to_owned();
        if ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"].iter().any(|operator| text.contains(operator)) {
            self.calculate(&text);
        }
    }

    /// Adds a reason if an arithmetic text runs substitutions in the text of a variable, because it evaluates that as
    /// an expression.
    fn calculate(&mut self, text: &str) {
        if state::calculates(text, &self.shell) {
            self.partial("arithmetic expands a quoted text once more");
        }
    }

    /// Returns the names that occur once in the outermost text, without a `$`: a variable with such a name is set once.
    /// Empty if the text passes a function to another shell, which doesn't have its variables.
    fn lasting(&mut self, text: &str) -> Rc<BTreeSet<String>> {
        if self.deferred.without_kept {
            return Rc::default();
        }
        let found = self.deferred.lasting.get_or_insert_with(|| {
            if ["export -", "declare", "typeset", "functions"].iter().any(|word| text.contains(word)) {
                return Rc::default();
            }
            let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
            let (mut once, mut again) = (BTreeSet::new(), BTreeSet::from(SET_BY_SHELLS));
            let mut before = ' ';
            for piece in text.split_inclusive(|char: char| !is_part(char)) {
                let name = piece.trim_end_matches(|char: char| !is_part(char));
                if !name.is_empty() && !matches!(before, '$' | '{' | '/' | '.') && !once.insert(name) {
                    again.insert(name);
                }
                before = piece.chars().next_back().unwrap_or(' ');
            }
            Rc::new(once.difference(&again).map(|name| (*name).to_owned()).collect())
        });
        Rc::clone(found)
    }

    /// Ends one of several branches: merges its state and restores the state before it.
    fn meet(&mut self, ends: &mut Option<Shell>, entry: Shell) {
        let end = std::mem::replace(&mut self.shell, entry);
        match ends {
            Some(known) => self.join(known, &end),
            None => *ends = Some(end),
        }
    }
    /// Merges the states after two branches of which one ran.
    pub(super) fn meet_shell(&mut self, other: &Shell) {
        let mut shell = self.shell.clone();
        self.join(&mut shell, other);
        self.shell = shell;
    }

    /// Keeps the values in both states. A value in only one of them is kept if it would be harmful as a command, or is
    /// a hidden file in the home. Other values become unknown.
    pub(super) fn join(&self, known: &mut Shell, other: &Shell) {
        let several: Vec<_> = known.besides(other).into_iter().chain(other.besides(known)).collect();
        known.meet(other);
        self.keep_harmful(known, several);
    }

    pub(super) fn keep_harmful(&self, shell: &mut Shell, values: Vec<(Rc<str>, Rc<Word>)>) {
        if self.budget.unknown_left == 0 {
            return;
        }
        for (name, word) in values.into_iter().take(MOST) {
            let what = Runnable::Text { text: (*word).clone(), parameters: None };
            if shell.is_hidden_file(&word.text) || self.loses(&what) {
                shell.assign(&name, &word, false);
            }
        }
    }
}
