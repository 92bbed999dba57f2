//! Branches, loops, and what may end early.

use super::evaluator::Evaluator;
use super::state::State;
use super::value::Value;
use crate::Unknown;
use crate::ir::{Block, Branch, Expression};

/// The maximum number of evaluated iterations of a loop over known values.
pub(super) const TURNS: usize = 64;
/// The maximum number of evaluations of a loop over unknown values.
const PASSES: usize = 16;

impl<'a> Evaluator<'a> {
    pub(super) fn if_(&mut self, branches: &'a [Branch]) {
        let mut bodies: Vec<&'a Block> = Vec::new();
        for (at, branch) in branches.iter().enumerate() {
            let test = branch.test.as_ref().map(|test| match at {
                0 => self.evaluate(test),
                _ => self.perhaps(|eval| eval.evaluate(test)),
            });
            if at > 0 || test != Some(Value::Bool(false)) {
                bodies.push(&branch.body);
            }
        }
        self.ways(bodies.len(), |eval, at| bodies.get(at).into_iter().for_each(|body| eval.block(body)));
    }

    pub(super) fn for_(&mut self, target: &'a Expression, row: &'a Expression, body: &'a Block) {
        let row = self.evaluate(row);
        let row = self.load(&row);
        match row.elements().filter(|elements| elements.len() <= TURNS) {
            Some(elements) if !elements.is_empty() => {
                let branches = self.branches;
                let mut ends = Vec::new();
                for element in elements {
                    let early = self.turn(|eval| {
                        eval.bind(target, element);
                        eval.block(body);
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
                    eval.bind(target, element.clone());
                    eval.block(body);
                });
                self.turn_branches = outer;
            }
        }
    }

    /// A loop with a test. `setup` runs before each test.
    pub(super) fn while_(&mut self, setup: &'a Block, test: &'a Expression, body: &'a Block) {
        self.block(setup);
        self.evaluate(test);
        self.repeat(&mut |eval| {
            eval.evaluate(test);
            eval.block(body);
            if !setup.is_empty() {
                eval.block(setup);
                eval.evaluate(test);
            }
        });
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
            self.end_turn();
            !self.widen(&before)
        });
        if outermost {
            self.sites = None;
        } else if let Some(sites) = &mut self.sites {
            sites.made = made;
        }
        if !settled {
            self.add_reason("a loop changes too much", Unknown::ALL);
        }
    }

    /// Ends the turn of the loop around.
    pub(super) fn break_(&mut self) {
        let now = self.state.clone();
        self.breaks.last_mut().into_iter().for_each(|ends| ends.push(now.clone()));
    }

    pub(super) fn with(&mut self, contexts: &'a [(Expression, Option<Expression>)], body: &'a Block) {
        let folder = self.state.folder.clone();
        let mut back = false;
        let mut early = false;
        for (context, target) in contexts {
            let value = self.evaluate(context);
            let called = callee_name(context);
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
            if let Some(target) = target {
                self.bind(target, entered);
            }
        }
        if early {
            let start = self.attempt(body);
            let now = self.state.clone();
            self.merge([now, start]);
        } else {
            self.block(body);
        }
        if back {
            self.state.folder = folder;
            self.touch();
        }
    }

    /// Follows what may fail at any point; gives what there may be then.
    fn attempt(&mut self, body: &'a Block) -> State {
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

    pub(super) fn try_(&mut self, body: &'a Block, handlers: &'a [Branch], otherwise: &'a Block, finally: &'a Block) {
        let failed = self.attempt(body);
        self.block(otherwise);
        let end = std::mem::replace(&mut self.state, failed.clone());
        let mut ends = vec![end];
        for handler in handlers {
            self.state = failed.clone();
            self.branches += 1;
            if let Some(class) = &handler.test {
                self.evaluate(class);
            }
            self.block(&handler.body);
            self.branches -= 1;
            ends.push(self.state.clone());
        }
        if !finally.is_empty() {
            ends.push(failed);
        }
        self.merge(ends);
        self.block(finally);
    }
}

/// The last name of what a call calls.
fn callee_name(call: &Expression) -> Option<&str> {
    let Expression::Call(callee, _) = call else { return None };
    match &**callee {
        Expression::Member(_, name) | Expression::Name(name) => Some(name),
        _ => None,
    }
}
