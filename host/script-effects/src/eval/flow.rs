//! Branches, loops, and what may end early.

use ruff_python_ast::{
    ExceptHandler, Expr, MatchCase, Pattern, Stmt, StmtFor, StmtIf, StmtMatch, StmtTry, StmtWhile, StmtWith,
};

use super::evaluator::Evaluator;
use super::state::State;
use super::value::Value;
use crate::Unknown;

/// The most turns of a loop over known values that are followed one by one.
pub(super) const TURNS: usize = 64;
/// The most times that a loop over unknown values is followed.
const PASSES: usize = 16;

impl<'a> Evaluator<'a> {
    pub(super) fn if_(&mut self, statement: &'a StmtIf) {
        let test = self.evaluate(&statement.test);
        let alone = statement.elif_else_clauses.is_empty();
        // `if __name__ == "__main__":` holds.
        if alone && is_main(&statement.test) {
            return self.block(&statement.body);
        }
        let mut bodies: Vec<&'a [Stmt]> = vec![&statement.body];
        for clause in &statement.elif_else_clauses {
            if let Some(test) = &clause.test {
                self.perhaps(|eval| eval.evaluate(test));
            }
            bodies.push(&clause.body);
        }
        if test == Value::Bool(false) {
            bodies.remove(0);
        }
        let complete = statement.elif_else_clauses.last().is_some_and(|clause| clause.test.is_none());
        if !complete {
            bodies.push(&[]);
        }
        self.ways(bodies.len(), |eval, at| bodies.get(at).into_iter().for_each(|body| eval.block(body)));
    }

    pub(super) fn for_(&mut self, statement: &'a StmtFor) {
        let row = self.evaluate(&statement.iter);
        let row = self.load(&row);
        match row.elements().filter(|elements| elements.len() <= TURNS) {
            Some(elements) if !elements.is_empty() => {
                let branches = self.branches;
                let mut ends = Vec::new();
                for element in elements {
                    let early = self.turn(|eval| {
                        eval.bind(&statement.target, element);
                        eval.block(&statement.body);
                    });
                    if early {
                        ends.push(self.state.clone());
                        // The turns that follow may not be done.
                        self.branches = branches + 1;
                    }
                }
                self.branches = branches;
                ends.push(self.state.clone());
                self.merge(ends);
            }
            // What is empty here may hold something that was not seen.
            _ => {
                let element = row.element();
                let outer = self.turn_branches;
                self.repeat(&mut |eval| {
                    eval.turn_branches = Some(eval.branches);
                    eval.bind(&statement.target, element.clone());
                    eval.block(&statement.body);
                });
                self.turn_branches = outer;
            }
        }
        self.block(&statement.orelse);
    }

    pub(super) fn while_(&mut self, statement: &'a StmtWhile) {
        self.evaluate(&statement.test);
        self.repeat(&mut |eval| {
            eval.evaluate(&statement.test);
            eval.block(&statement.body);
        });
        self.block(&statement.orelse);
    }

    /// Follows one turn of a loop; whether it may end early.
    fn turn(&mut self, body: impl FnOnce(&mut Self)) -> bool {
        self.breaks.push(Vec::new());
        body(self);
        let ends = self.breaks.pop().unwrap_or_default();
        let early = !ends.is_empty();
        let now = self.state.clone();
        self.merge(std::iter::once(now).chain(ends));
        early
    }

    /// Follows what may be done any number of times: a value that one turn makes of another is not known.
    pub(super) fn repeat(&mut self, turn: &mut dyn FnMut(&mut Evaluator<'a>)) {
        let outermost = self.sites.is_none();
        let sites = self.sites.get_or_insert_default();
        let (seen, made) = (sites.seen.clone(), std::mem::take(&mut sites.made));
        let mut passes = 0..PASSES;
        let settled = passes.any(|_| {
            let before = self.state.clone();
            self.sites.get_or_insert_default().seen.clone_from(&seen);
            self.perhaps(|eval| eval.turn(|eval| turn(eval)));
            self.make_older();
            !self.widen(&before)
        });
        if outermost {
            self.sites = None;
        } else if let Some(sites) = &mut self.sites {
            sites.made = made;
        }
        if !settled {
            self.lose("a loop changes too much", Unknown::ALL);
        }
    }

    /// Ends the turn of the loop around.
    pub(super) fn break_(&mut self) {
        let now = self.state.clone();
        self.breaks.last_mut().into_iter().for_each(|ends| ends.push(now.clone()));
    }

    pub(super) fn with(&mut self, statement: &'a StmtWith) {
        let folder = self.state.folder.clone();
        let mut back = false;
        let mut early = false;
        for item in &statement.items {
            let value = self.evaluate(&item.context_expr);
            let called = called(&item.context_expr);
            back |= called == Some("chdir");
            early |= matches!(called, Some("suppress" | "raises" | "assertRaises")) || matches!(value, Value::Ref(_));
            let entered = match value {
                // `with open(a) as f` is the file, and `with TemporaryDirectory() as d` is its name.
                Value::File(text) if text.is_own() && called == Some("TemporaryDirectory") => Value::Text(text),
                value @ Value::Ref(_) => {
                    let enter = self.member(&value, "__enter__");
                    if enter.is_callable() { self.apply(&enter, &super::calls::Args::default()) } else { value }
                }
                value => value,
            };
            if let Some(target) = &item.optional_vars {
                self.bind(target, entered);
            }
        }
        if early {
            let start = self.attempt(&statement.body);
            let now = self.state.clone();
            self.merge([now, start]);
        } else {
            self.block(&statement.body);
        }
        if back {
            self.state.folder = folder;
            self.touch();
        }
    }

    /// Follows what may fail at any point; gives what there may be then.
    fn attempt(&mut self, body: &'a [Stmt]) -> State {
        let before = self.state.clone();
        self.points.push(vec![before]);
        self.block(body);
        let mut points = self.points.pop().unwrap_or_default();
        let end = self.state.clone();
        // The scopes of what was called are gone.
        points.iter_mut().for_each(|point| point.forget_scopes(end.scopes.len()));
        self.merge(points.into_iter().chain([end.clone()]));
        let failed = std::mem::replace(&mut self.state, end);
        // What failed inside may fail further out, too.
        self.point();
        failed
    }

    pub(super) fn try_(&mut self, statement: &'a StmtTry) {
        let failed = self.attempt(&statement.body);
        self.block(&statement.orelse);
        let end = std::mem::replace(&mut self.state, failed.clone());
        let mut ends = vec![end];
        for ExceptHandler::ExceptHandler(handler) in &statement.handlers {
            self.state = failed.clone();
            self.branches += 1;
            if let Some(kind) = &handler.type_ {
                self.evaluate(kind);
            }
            if let Some(name) = &handler.name {
                self.set(name.as_str(), Value::Unknown);
            }
            self.block(&handler.body);
            self.branches -= 1;
            ends.push(self.state.clone());
        }
        if !statement.finalbody.is_empty() {
            ends.push(failed);
        }
        self.merge(ends);
        self.block(&statement.finalbody);
    }

    pub(super) fn match_(&mut self, statement: &'a StmtMatch) {
        let subject = self.evaluate(&statement.subject);
        let cases = &statement.cases;
        self.ways(cases.len() + 1, |eval, at| {
            let Some(case) = cases.get(at) else { return };
            eval.case(case, &subject);
        });
    }

    fn case(&mut self, case: &'a MatchCase, subject: &Value) {
        self.pattern(&case.pattern, subject);
        if let Some(guard) = &case.guard {
            self.evaluate(guard);
        }
        self.block(&case.body);
    }

    /// Sets the names of a pattern.
    fn pattern(&mut self, pattern: &'a Pattern, subject: &Value) {
        if !self.enter() {
            return;
        }
        match pattern {
            Pattern::MatchAs(one) => {
                if let Some(inner) = &one.pattern {
                    self.pattern(inner, subject);
                }
                if let Some(name) = &one.name {
                    self.set(name.as_str(), subject.clone());
                }
            }
            Pattern::MatchOr(all) => all.patterns.iter().for_each(|one| self.pattern(one, subject)),
            Pattern::MatchSequence(all) => {
                let row = self.load(subject);
                let element = row.element();
                for (at, one) in all.patterns.iter().enumerate() {
                    let exact = row.elements().filter(|row| row.len() == all.patterns.len());
                    let exact = exact.and_then(|row| row.get(at).cloned());
                    self.pattern(one, &exact.unwrap_or_else(|| element.clone()));
                }
            }
            Pattern::MatchStar(rest) => {
                if let Some(name) = &rest.name {
                    self.set(name.as_str(), Value::many(subject.clone()));
                }
            }
            Pattern::MatchMapping(table) => {
                for (key, one) in table.keys.iter().zip(&table.patterns) {
                    let key = self.evaluate(key);
                    let value = self.item(subject, &key);
                    self.pattern(one, &value);
                }
                if let Some(rest) = &table.rest {
                    self.set(rest.as_str(), Value::Unknown);
                }
            }
            Pattern::MatchClass(class) => {
                for one in &class.arguments.patterns {
                    self.pattern(one, &Value::Unknown);
                }
                for one in &class.arguments.keywords {
                    let value = self.member(subject, one.attr.as_str());
                    self.pattern(&one.pattern, &value);
                }
            }
            Pattern::MatchValue(value) => {
                self.evaluate(&value.value);
            }
            Pattern::MatchSingleton(_) => {}
        }
        self.leave();
    }
}

/// Whether the condition is that the script itself was started.
fn is_main(test: &Expr) -> bool {
    let Expr::Compare(compare) = test else { return false };
    matches!(&*compare.left, Expr::Name(name) if name.id.as_str() == "__name__")
}

/// The last name of what a call calls.
fn called(call: &Expr) -> Option<&str> {
    let Expr::Call(call) = call else { return None };
    match &*call.func {
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}
