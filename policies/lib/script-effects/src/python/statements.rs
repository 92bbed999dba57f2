//! Statements, in the order in which they run.

use ruff_python_ast::{ExceptHandler, Expr, Number, Parameters, Stmt, StmtFor, StmtIf, StmtTry, StmtWith};

use super::names::canonical;
use super::reader::{Body, Function, Reader, Scope};
use super::value::{ELEMENTS, Value};
use crate::{Piece, Unknown};

/// The most turns of a loop over known values that are followed one by one.
const TURNS: usize = 64;

impl<'a> Reader<'a> {
    /// Follows statements.
    pub(super) fn block(&mut self, statements: &'a [Stmt]) {
        for statement in statements {
            if !self.enter() {
                return;
            }
            self.statement(statement);
            self.leave();
        }
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.name.as_str();
                    match &alias.asname {
                        Some(own) => self.set(own.as_str(), Value::Named(canonical(name))),
                        None => {
                            let first = name.split('.').next().unwrap_or(name);
                            self.set(first, Value::Named(canonical(first)));
                        }
                    }
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map_or("", |module| module.as_str());
                for alias in &import.names {
                    let name = alias.name.as_str();
                    if name == "*" {
                        self.stars.push(module.to_owned());
                    } else if import.level == 0 {
                        let own = alias.asname.as_ref().map_or(name, |own| own.as_str());
                        let value = self.member(&Value::named(module), name);
                        self.set(own, value);
                    }
                }
            }
            Stmt::Expr(statement) => {
                self.eval(&statement.value);
            }
            Stmt::Assign(assign) => {
                let value = self.eval(&assign.value);
                assign.targets.iter().for_each(|target| self.bind(target, value.clone()));
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    let value = self.eval(value);
                    self.bind(&assign.target, value);
                }
            }
            Stmt::AugAssign(assign) => {
                let left = self.eval(&assign.target);
                let right = self.eval(&assign.value);
                let value = self.binary(&left, assign.op, &right);
                self.bind(&assign.target, value);
            }
            Stmt::Delete(delete) => {
                for target in &delete.targets {
                    if let Expr::Subscript(_) = target {
                        self.eval(target);
                    }
                }
            }
            Stmt::Return(statement) => {
                let value = statement.value.as_ref().map_or(Value::None, |value| self.eval(value));
                if let Some(returned) = self.returned.last_mut().filter(|returned| returned.len() < ELEMENTS) {
                    returned.push(value);
                }
            }
            Stmt::If(statement) => self.if_(statement),
            Stmt::For(statement) => self.for_(statement),
            Stmt::While(statement) => {
                self.eval(&statement.test);
                self.repeat(&|reader| reader.block(&statement.body));
                self.block(&statement.orelse);
            }
            Stmt::With(statement) => self.with(statement),
            Stmt::Try(statement) => self.try_(statement),
            Stmt::Match(statement) => {
                self.eval(&statement.subject);
                let bodies = statement.cases.iter().map(|case| move |reader: &mut Reader<'a>| reader.block(&case.body));
                let bodies: Vec<_> = bodies.collect();
                let mut branches: Vec<&dyn Fn(&mut Reader<'a>)> = Vec::new();
                bodies.iter().for_each(|body| branches.push(body));
                self.branch(&branches);
            }
            Stmt::FunctionDef(function) => {
                function.decorator_list.iter().for_each(|decorator| {
                    self.eval(&decorator.expression);
                });
                let value = self.function(Some(&function.parameters), Body::Block(&function.body));
                self.set(function.name.as_str(), value);
            }
            Stmt::ClassDef(class) => {
                self.scopes.push(Scope::default());
                self.block(&class.body);
                let scope = self.scopes.pop().unwrap_or_default();
                for (name, value) in scope.names {
                    if !matches!(value, Value::Function(_)) {
                        self.set_member(&name, value);
                    }
                }
                self.set(class.name.as_str(), Value::Unknown);
            }
            Stmt::Raise(raise) => {
                raise.exc.iter().for_each(|value| {
                    self.eval(value);
                });
            }
            Stmt::Assert(assert) => {
                self.eval(&assert.test);
            }
            Stmt::Global(global) => self.outer(global.names.iter().map(|name| name.as_str())),
            Stmt::Nonlocal(nonlocal) => self.outer(nonlocal.names.iter().map(|name| name.as_str())),
            Stmt::TypeAlias(_) | Stmt::Pass(_) | Stmt::Break(_) | Stmt::Continue(_) | Stmt::IpyEscapeCommand(_) => {}
        }
    }

    fn outer<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.outer.extend(names.map(str::to_owned));
        }
    }

    /// A function that may be called.
    pub(super) fn function(&mut self, parameters: Option<&'a Parameters>, body: Body<'a>) -> Value {
        self.functions.push(Function { parameters, body, called: false, active: 0 });
        Value::Function(self.functions.len().saturating_sub(1))
    }

    /// Follows the functions that nothing was seen to call.
    pub(super) fn uncalled(&mut self) {
        let mut at = 0;
        while let Some(function) = self.functions.get(at).copied() {
            if !function.called {
                self.perhaps(|reader| reader.call_function(at, None));
            }
            at += 1;
        }
    }

    fn if_(&mut self, statement: &'a StmtIf) {
        let test = self.eval(&statement.test);
        let alone = statement.elif_else_clauses.is_empty();
        // `if __name__ == "__main__":` holds.
        if alone && is_main(&statement.test) {
            return self.block(&statement.body);
        }
        let mut bodies: Vec<&'a [Stmt]> = vec![&statement.body];
        for clause in &statement.elif_else_clauses {
            if let Some(test) = &clause.test {
                self.eval(test);
            }
            bodies.push(&clause.body);
        }
        if test == Value::Bool(false) {
            bodies.remove(0);
        }
        let complete = statement.elif_else_clauses.last().is_some_and(|clause| clause.test.is_none());
        let bodies: Vec<_> = bodies.into_iter().map(|body| move |reader: &mut Reader<'a>| reader.block(body)).collect();
        let nothing = |_: &mut Reader<'a>| {};
        let mut branches: Vec<&dyn Fn(&mut Reader<'a>)> = Vec::new();
        bodies.iter().for_each(|body| branches.push(body));
        if !complete {
            branches.push(&nothing);
        }
        self.branch(&branches);
    }

    fn for_(&mut self, statement: &'a StmtFor) {
        let row = self.eval(&statement.iter);
        match row.elements().filter(|elements| elements.len() <= TURNS) {
            Some(elements) => {
                for element in elements {
                    self.bind(&statement.target, element);
                    self.block(&statement.body);
                }
            }
            None => {
                let element = row.element();
                self.repeat(&|reader| {
                    reader.bind(&statement.target, element.clone());
                    reader.block(&statement.body);
                });
            }
        }
        self.block(&statement.orelse);
    }

    /// Follows what may be done any number of times: a value that one turn makes of another is not known.
    fn repeat(&mut self, turn: &dyn Fn(&mut Reader<'a>)) {
        let nothing = |_: &mut Reader<'a>| {};
        let before = self.scopes.last().map(|scope| scope.names.clone()).unwrap_or_default();
        self.branch(&[turn, &nothing]);
        if !self.spend(1 + before.len()) {
            return;
        }
        let Some(scope_names) = self.scopes.last().map(|scope| &scope.names) else { return };
        let changed: Vec<String> = before
            .iter()
            .filter(|(name, value)| scope_names.get(*name).is_some_and(|now| now != *value))
            .map(|(name, _)| name.clone())
            .collect();
        if changed.is_empty() {
            return;
        }
        for name in changed {
            self.change(&name, |value| match value {
                // A row that grows.
                Value::List(values) => Value::many(Value::join(values)),
                value => Value::join([value, Value::Unknown]),
            });
        }
        self.branch(&[turn, &nothing]);
    }

    fn with(&mut self, statement: &'a StmtWith) {
        for item in &statement.items {
            let value = self.eval(&item.context_expr);
            // `with open(a) as f` is the file, and `with TemporaryDirectory() as d` is its name.
            let value = match value {
                Value::File(text) if text.is_own() && is_folder(&item.context_expr) => Value::Text(text),
                value => value,
            };
            if let Some(target) = &item.optional_vars {
                self.bind(target, value);
            }
        }
        self.block(&statement.body);
    }

    fn try_(&mut self, statement: &'a StmtTry) {
        self.block(&statement.body);
        let bodies = statement.handlers.iter().map(|handler| {
            let ExceptHandler::ExceptHandler(handler) = handler;
            move |reader: &mut Reader<'a>| reader.block(&handler.body)
        });
        let bodies: Vec<_> = bodies.collect();
        let nothing = |_: &mut Reader<'a>| {};
        let mut branches: Vec<&dyn Fn(&mut Reader<'a>)> = vec![&nothing];
        bodies.iter().for_each(|body| branches.push(body));
        self.branch(&branches);
        self.block(&statement.orelse);
        self.block(&statement.finalbody);
    }

    /// Sets what stands on the left of `=`.
    pub(super) fn bind(&mut self, target: &'a Expr, value: Value) {
        match target {
            Expr::Name(name) => self.set(name.id.as_str(), value),
            Expr::Starred(starred) => self.bind(&starred.value, Value::Unknown),
            Expr::Tuple(tuple) => self.bind_all(&tuple.elts, &value),
            Expr::List(list) => self.bind_all(&list.elts, &value),
            Expr::Attribute(attribute) => {
                self.eval(&attribute.value);
                self.set_member(attribute.attr.as_str(), value);
            }
            Expr::Subscript(subscript) => {
                let key = self.eval(&subscript.slice);
                if let Expr::Name(name) = &*subscript.value {
                    self.change(name.id.as_str(), |old| with_item(old, &key, value));
                }
            }
            _ => {}
        }
    }

    fn bind_all(&mut self, targets: &'a [Expr], value: &Value) {
        let starred = targets.iter().any(Expr::is_starred_expr);
        let rows: Vec<Vec<Value>> = value.alternatives().iter().filter_map(Value::elements).collect();
        let fits = !starred && !rows.is_empty() && rows.iter().all(|row| row.len() == targets.len());
        let all = fits && rows.len() == value.alternatives().len();
        let element = value.element();
        for (at, target) in targets.iter().enumerate() {
            let one = Value::join(rows.iter().filter_map(|row| row.get(at).cloned()));
            self.bind(target, if all { one } else { element.clone() });
        }
    }

    /// Notes what a member of some object is set to.
    fn set_member(&mut self, name: &str, value: Value) {
        let known = self.members.remove(name);
        let value = known.map_or(value.clone(), |known| Value::join([known, value])).bounded();
        if self.members.len() < 1024 {
            self.members.insert(name.to_owned(), value);
        } else {
            self.lose("the code has too many members", Unknown::ALL);
        }
    }
}

/// A row or a table of which one element is set.
fn with_item(old: Value, key: &Value, value: Value) -> Value {
    match (old, key) {
        (Value::Dict(mut items), key) if items.len() < ELEMENTS => {
            items.retain(|(known, _)| known != key);
            items.push((key.clone(), value));
            Value::Dict(items)
        }
        (Value::List(mut values), Value::Int(at)) => {
            if let Some(place) = usize::try_from(*at).ok().and_then(|at| values.get_mut(at)) {
                *place = value;
            }
            Value::List(values)
        }
        (Value::List(values), _) => Value::many(Value::join(values.into_iter().chain([value]))),
        _ => Value::Unknown,
    }
}

/// Whether the condition is that the script itself was started.
fn is_main(test: &Expr) -> bool {
    let Expr::Compare(compare) = test else { return false };
    matches!(&*compare.left, Expr::Name(name) if name.id.as_str() == "__name__")
}

/// Whether the call makes a folder, which `with` names by its path.
fn is_folder(call: &Expr) -> bool {
    let Expr::Call(call) = call else { return false };
    match &*call.func {
        Expr::Attribute(attribute) => attribute.attr.as_str() == "TemporaryDirectory",
        Expr::Name(name) => name.id.as_str() == "TemporaryDirectory",
        _ => false,
    }
}

/// The number of a literal.
pub(super) fn number(number: &Number) -> Value {
    match number {
        Number::Int(int) => int.as_i64().map_or(Value::Unknown, Value::Int),
        _ => Value::piece(Piece::Unknown),
    }
}
