//! Statements, in the order in which they run.

use ruff_python_ast::{Expr, Number, Operator, Stmt, StmtAugAssign, StmtImportFrom};

use super::calls::Args;
use super::evaluator::Evaluator;
use super::library::effect_of;
use super::library::python::canonical;
use super::value::Value;
use crate::Piece;

impl<'a> Evaluator<'a> {
    /// Follows statements.
    pub(super) fn block(&mut self, statements: &'a [Stmt]) {
        for statement in statements {
            if !self.enter() {
                return;
            }
            self.site = std::ptr::from_ref(statement).addr();
            self.statement(statement);
            self.leave();
            self.point();
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
            Stmt::ImportFrom(import) => self.import_from(import),
            Stmt::Expr(statement) => {
                self.evaluate(&statement.value);
            }
            Stmt::Assign(assign) => {
                let value = self.evaluate(&assign.value);
                let value = self.keep(value);
                assign.targets.iter().for_each(|target| self.bind(target, value.clone()));
            }
            Stmt::AnnAssign(assign) => {
                self.annotation(&assign.annotation);
                if let Some(value) = &assign.value {
                    let value = self.evaluate(value);
                    self.bind(&assign.target, value);
                }
            }
            Stmt::AugAssign(assign) => self.augment(assign),
            Stmt::Delete(delete) => delete.targets.iter().for_each(|target| self.delete(target)),
            Stmt::Return(statement) => {
                let value = statement.value.as_ref().map_or(Value::None, |value| self.evaluate(value));
                self.return_(value);
            }
            Stmt::If(statement) => self.if_(statement),
            Stmt::For(statement) => self.for_(statement),
            Stmt::While(statement) => self.while_(statement),
            Stmt::With(statement) => self.with(statement),
            Stmt::Try(statement) => self.try_(statement),
            Stmt::Match(statement) => self.match_(statement),
            Stmt::FunctionDef(function) => self.define(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Raise(raise) => {
                raise.exc.iter().chain(&raise.cause).for_each(|value| {
                    self.evaluate(value);
                });
            }
            Stmt::Assert(assert) => {
                self.evaluate(&assert.test);
                if let Some(text) = &assert.msg {
                    self.perhaps(|eval| eval.evaluate(text));
                }
            }
            Stmt::Global(global) => self.outer(true, global.names.iter().map(|name| name.as_str().to_owned())),
            Stmt::Nonlocal(nonlocal) => self.outer(false, nonlocal.names.iter().map(|name| name.as_str().to_owned())),
            Stmt::Break(_) | Stmt::Continue(_) => self.break_(),
            Stmt::TypeAlias(_) | Stmt::Pass(_) | Stmt::IpyEscapeCommand(_) => {}
        }
    }

    fn import_from(&mut self, import: &'a StmtImportFrom) {
        let module = import.module.as_ref().map_or("", |module| module.as_str());
        for alias in &import.names {
            let name = alias.name.as_str();
            if name == "*" {
                if !self.stars.iter().any(|known| known == module) {
                    self.stars.push(module.to_owned());
                }
                // It sets names that the script has set, too.
                let names: Vec<String> =
                    self.scope().map(|scope| scope.names.keys().cloned().collect()).unwrap_or_default();
                for own in names {
                    let full = canonical(&format!("{module}.{own}"));
                    if self.spend(1) && effect_of(&full).is_some() {
                        let old = self.get(&own);
                        self.set(&own, Value::join([Value::Named(full), old]));
                    }
                }
            } else {
                let own = alias.asname.as_ref().map_or(name, |own| own.as_str());
                let value = if import.level == 0 { self.member(&Value::named(module), name) } else { Value::Unknown };
                self.set(own, value);
            }
        }
    }

    /// `target += value`: a row stays the same row.
    fn augment(&mut self, assign: &'a StmtAugAssign) {
        let left = self.evaluate(&assign.target);
        let right = self.evaluate(&assign.value);
        let held = self.load(&left);
        let method = match assign.op {
            Operator::Add => "__iadd__",
            Operator::BitOr => "__ior__",
            _ => "",
        };
        if let (Value::Ref(place), false) = (&left, method.is_empty())
            && held.alternatives().iter().all(Value::is_row)
        {
            self.on_place(*place, method, &Args::of(vec![right]));
            return;
        }
        if !method.is_empty() && left.alternatives().iter().any(|one| matches!(one, Value::Ref(_))) {
            let callee = self.member(&left, method);
            self.apply(&callee, &Args::of(vec![right.clone()]));
        }
        let value = self.binary(&left, assign.op, &right);
        self.bind(&assign.target, value);
    }

    fn delete(&mut self, target: &'a Expr) {
        match target {
            Expr::Subscript(subscript) => {
                let base = self.evaluate(&subscript.value);
                let key = self.evaluate(&subscript.slice);
                let key = Some(&key).filter(|_| !subscript.slice.is_slice_expr());
                self.delete_item(&base, key);
            }
            Expr::Name(name) => self.unset(name.id.as_str()),
            Expr::Tuple(all) => all.elts.iter().for_each(|target| self.delete(target)),
            Expr::Attribute(attribute) => {
                self.evaluate(&attribute.value);
            }
            _ => {}
        }
    }

    /// Sets what stands on the left of `=`.
    pub(super) fn bind(&mut self, target: &'a Expr, value: Value) {
        match target {
            Expr::Name(name) => self.set(name.id.as_str(), value),
            Expr::Starred(starred) => {
                let row = Value::many(value);
                self.bind(&starred.value, row);
            }
            Expr::Tuple(tuple) => self.bind_all(&tuple.elts, &value),
            Expr::List(list) => self.bind_all(&list.elts, &value),
            Expr::Attribute(attribute) => {
                let base = self.evaluate(&attribute.value);
                self.set_member(&base, attribute.attr.as_str(), value);
            }
            Expr::Subscript(subscript) => {
                let base = self.evaluate(&subscript.value);
                if let Expr::Slice(slice) = &*subscript.slice {
                    for bound in [&slice.lower, &slice.upper, &slice.step].into_iter().flatten() {
                        self.evaluate(bound);
                    }
                    let whole = slice.lower.is_none() && slice.upper.is_none() && slice.step.is_none();
                    return self.set_slice(&base, whole, &value);
                }
                let key = self.evaluate(&subscript.slice);
                self.set_item(&base, &key, &value);
            }
            _ => {}
        }
    }

    fn bind_all(&mut self, targets: &'a [Expr], value: &Value) {
        let value = &self.load(value);
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
}

/// The number of a literal.
pub(super) fn number(number: &Number) -> Value {
    match number {
        Number::Int(int) => int.as_i64().map_or(Value::Unknown, Value::Int),
        _ => Value::piece(Piece::Unknown),
    }
}
