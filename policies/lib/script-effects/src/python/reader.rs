//! [`Reader`]: the state of a summary.

use std::collections::BTreeMap;

use ruff_python_ast::{Expr, Parameters, Stmt};

use super::value::Value;
use crate::{Action, Piece, Summary, Text, Unknown, What};

/// Units of work in one summary: each step costs one, and each byte of a value that is copied a part of one.
const WORK: usize = 300_000;
/// Statements, expressions and calls inside each other.
const DEEP: usize = 80;
/// Code inside code, as of `exec`.
const CODE_DEEP: usize = 3;
/// The most actions and reasons that are kept.
const ACTIONS: usize = 1024;
const REASONS: usize = 8;
/// The most variables of one function.
const NAMES: usize = 1024;

pub(super) type Names = BTreeMap<String, Value>;

/// The variables of a function, or of the script.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) names: Names,
    /// Names that belong to the script, or to the function around it.
    pub(super) outer: Vec<String>,
}

/// What a function does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body<'a> {
    Block(&'a [Stmt]),
    Value(&'a Expr),
}

/// A function of the script.
#[derive(Debug, Clone, Copy)]
pub(super) struct Function<'a> {
    pub(super) parameters: Option<&'a Parameters>,
    pub(super) body: Body<'a>,
    pub(super) called: bool,
    /// How many of its calls are being followed.
    pub(super) active: usize,
}

#[derive(Debug)]
pub(super) struct Reader<'a> {
    summary: Summary,
    pub(super) scopes: Vec<Scope>,
    pub(super) functions: Vec<Function<'a>>,
    /// What the functions that are followed give back.
    pub(super) returned: Vec<Vec<Value>>,
    /// What members of objects are set to, by their names.
    pub(super) members: Names,
    /// Modules all of whose names were imported.
    pub(super) stars: Vec<String>,
    /// Where the code changed to, if it did.
    pub(super) folder: Option<Text>,
    /// How many branches are around.
    pub(super) branches: usize,
    work: usize,
    depth: usize,
    code_depth: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(code_depth: usize) -> Reader<'a> {
        Reader {
            summary: Summary::default(),
            scopes: vec![Scope::default()],
            functions: Vec::new(),
            returned: Vec::new(),
            members: Names::new(),
            stars: Vec::new(),
            folder: None,
            branches: 0,
            work: WORK,
            depth: 0,
            code_depth,
        }
    }

    /// A reader of code inside this code. It knows the names, but for functions, which stand in another text.
    pub(super) fn inner<'b>(&self) -> Reader<'b> {
        let names = self.scopes.iter().flat_map(|scope| &scope.names);
        let names = names.filter(|(_, value)| !matches!(value, Value::Function(_)));
        let names = names.map(|(name, value)| (name.clone(), value.clone())).collect();
        Reader {
            scopes: vec![Scope { names, outer: Vec::new() }],
            stars: self.stars.clone(),
            members: self.members.clone(),
            folder: self.folder.clone(),
            branches: self.branches,
            work: self.work,
            depth: self.depth,
            ..Reader::new(self.code_depth + 1)
        }
    }

    pub(super) fn end(mut self) -> (Summary, (Names, usize)) {
        let names = self.scopes.drain(..).next().unwrap_or_default().names;
        (self.summary, (names, self.work))
    }

    /// Takes over what was read in code inside this code.
    pub(super) fn take(&mut self, summary: Summary, (names, work): (Names, usize)) {
        for Action { what, certain } in summary.actions {
            self.act(what, certain);
        }
        for reason in summary.reasons {
            self.lose(&reason, Unknown::default());
        }
        self.lost(summary.unknown);
        self.work = work;
        for (name, value) in names.into_iter().filter(|(_, value)| !matches!(value, Value::Function(_))) {
            self.set(&name, value);
        }
    }

    pub(super) fn finish(self) -> Summary {
        self.summary
    }

    /// Runs code that the code holds as a text.
    pub(super) fn code(&mut self, code: &str) {
        if self.code_depth >= CODE_DEEP || self.depth > DEEP / 2 {
            return self.lose("code inside code is nested too deeply", Unknown::ALL);
        }
        super::run(self, code);
    }

    /// The same, of code of JavaScript.
    pub(super) fn code_of_javascript(&mut self, code: &str) {
        match crate::javascript::as_python(code) {
            Ok(python) => self.code(&python),
            Err(reason) => {
                let names_something = crate::javascript::WORDS.iter().any(|word| code.contains(word));
                self.lose(reason, if names_something { Unknown::ALL } else { Unknown::default() });
            }
        }
    }

    /// Goes one deeper; false if that is too deep, or too much.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= DEEP {
            self.lose("the code is nested too deeply", Unknown::ALL);
            return false;
        }
        if !self.spend(1) {
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Uses up some of the work; false if none is left.
    pub(super) fn spend(&mut self, units: usize) -> bool {
        let Some(left) = self.work.checked_sub(units) else {
            self.work = 0;
            self.lose("the code is too long to follow", Unknown::ALL);
            return false;
        };
        self.work = left;
        true
    }

    /// Notes a reason, and what may be done that is not listed.
    pub(super) fn lose(&mut self, reason: &str, unknown: Unknown) {
        self.lost(unknown);
        let reasons = &mut self.summary.reasons;
        if reasons.len() < REASONS && !reasons.iter().any(|known| known == reason) {
            reasons.push(reason.to_owned());
        }
    }

    fn lost(&mut self, unknown: Unknown) {
        let all = &mut self.summary.unknown;
        all.deletes |= unknown.deletes;
        all.writes |= unknown.writes;
        all.executes |= unknown.executes;
    }

    /// Notes an action.
    pub(super) fn act(&mut self, what: What, certain: bool) {
        let certain = certain && self.branches == 0;
        if self.summary.actions.len() >= ACTIONS {
            return self.lose("the code does too much", Unknown::ALL);
        }
        if let Some(action) = self.summary.actions.iter_mut().find(|action| action.what == what) {
            action.certain |= certain;
            return;
        }
        self.summary.actions.push(Action { what, certain });
    }

    /// Does something of which it is not certain that it is done.
    pub(super) fn perhaps<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.branches += 1;
        let result = work(self);
        self.branches -= 1;
        result
    }

    /// Follows branches of which one is taken; a name is what one of them makes of it.
    pub(super) fn branch(&mut self, branches: &[&dyn Fn(&mut Self)]) {
        let Some(before) = self.scopes.last().cloned() else { return };
        let folder = self.folder.clone();
        let mut ends: Vec<Scope> = Vec::new();
        for branch in branches {
            if !self.spend(1 + before.names.len()) {
                return;
            }
            if let Some(scope) = self.scopes.last_mut() {
                *scope = before.clone();
            }
            self.perhaps(|reader| branch(reader));
            ends.extend(self.scopes.last().cloned());
        }
        if self.folder != folder {
            self.folder = Some(Text::of(Piece::Unknown));
        }
        let mut values: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (name, value) in ends.into_iter().flat_map(|scope| scope.names) {
            values.entry(name).or_default().push(value);
        }
        let names = values.into_iter().map(|(name, values)| (name, Value::join(values))).collect();
        if let Some(scope) = self.scopes.last_mut() {
            scope.names = names;
        }
    }

    /// What a name stands for.
    pub(super) fn get(&mut self, name: &str) -> Value {
        let found = self.scopes.iter().rev().find_map(|scope| scope.names.get(name)).cloned();
        if let Some(value) = found {
            let weight = value.weight(8);
            return if self.spend(weight / 16) { value } else { Value::Unknown };
        }
        if let Some(value) = super::names::builtin(name) {
            return value;
        }
        let star = self.stars.iter().map(|module| format!("{module}.{name}"));
        let found = star.map(|full| super::names::canonical(&full)).find(|full| super::names::does(full).is_some());
        found.map_or(Value::Unknown, Value::Named)
    }

    /// Sets a name.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        let value = value.bounded();
        let outer = self.scopes.last().is_some_and(|scope| scope.outer.iter().any(|outer| outer == name));
        let inner = self.scopes.len().saturating_sub(1);
        let holds = |scope: &Scope| scope.names.contains_key(name);
        let place = if outer { self.scopes.iter().take(inner).rposition(holds).unwrap_or(0) } else { inner };
        if let Some(scope) = self.scopes.get_mut(place) {
            if scope.names.len() >= NAMES && !scope.names.contains_key(name) {
                return self.lose("the code has too many variables", Unknown::ALL);
            }
            scope.names.insert(name.to_owned(), value);
        }
    }

    /// Changes what a name stands for, wherever it was set.
    pub(super) fn change(&mut self, name: &str, change: impl FnOnce(Value) -> Value) {
        if let Some(value) = self.scopes.iter_mut().rev().find_map(|scope| scope.names.get_mut(name)) {
            let old = std::mem::replace(value, Value::Unknown);
            *value = change(old).bounded();
        }
    }
}
