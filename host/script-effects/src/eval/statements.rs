//! Statements, in the order in which they run.

use super::calls::Args;
use super::evaluator::Evaluator;
use super::library::call_effect;
use super::library::python::canonical;
use super::value::Value;
use crate::ir::{Expression, Operator, Statement};

impl<'a> Evaluator<'a> {
    /// Follows statements.
    pub(super) fn block(&mut self, statements: &'a [Statement]) {
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

    fn statement(&mut self, statement: &'a Statement) {
        match statement {
            Statement::Expression(value) => {
                self.evaluate(value);
            }
            Statement::Assign { targets, value } => {
                let value = self.evaluate(value);
                let value = self.store_value(value);
                targets.iter().for_each(|target| self.bind(target, value.clone()));
            }
            Statement::Update { target, operator, value } => self.update(target, *operator, value),
            Statement::Delete(targets) => targets.iter().for_each(|target| self.delete(target)),
            Statement::Return(value) => {
                let value = value.as_ref().map_or(Value::None, |value| self.evaluate(value));
                self.return_(value);
            }
            Statement::If(branches) => self.if_(branches),
            Statement::For { target, row, body } => self.for_(target, row, body),
            Statement::While { first, setup, test, body } => {
                if *first {
                    self.block(body);
                }
                self.while_(setup, test, body);
            }
            Statement::With { contexts, body } => self.with(contexts, body),
            Statement::Try { body, handlers, otherwise, finally } => self.try_(body, handlers, otherwise, finally),
            Statement::Function(function) => self.define(function),
            Statement::Class(class) => self.class(class),
            Statement::ImportAll(module) => self.import_all(module),
            Statement::Global(names) => self.outer(true, names),
            Statement::Nonlocal(names) => self.outer(false, names),
            Statement::Break => self.break_(),
        }
    }

    /// Sets all names that a module has.
    fn import_all(&mut self, module: &str) {
        if !self.stars.iter().any(|known| known == module) {
            self.stars.push(module.to_owned());
        }
        // It sets names that the script has set, too.
        let names: Vec<String> = self.scope().map(|scope| scope.names.keys().cloned().collect()).unwrap_or_default();
        for own in names {
            let full = canonical(&format!("{module}.{own}"));
            if self.spend(1) && call_effect(&full).is_some() {
                let old = self.get(&own);
                self.set(&own, Value::join([Value::Named(full), old]));
            }
        }
    }

    /// `target += value`: a row stays the same row.
    fn update(&mut self, target: &'a Expression, operator: Operator, value: &'a Expression) {
        let left = self.evaluate(target);
        let right = self.evaluate(value);
        let stored = self.load(&left);
        let method = match operator {
            Operator::Add => "__iadd__",
            Operator::BitOr => "__ior__",
            _ => "",
        };
        if let (Value::Ref(place), false) = (&left, method.is_empty())
            && stored.alternatives().iter().all(Value::is_row)
        {
            self.call_method_at(*place, method, &Args::new(vec![right]));
            return;
        }
        if !method.is_empty() && left.alternatives().iter().any(|one| matches!(one, Value::Ref(_))) {
            let callee = self.member(&left, method);
            self.apply(&callee, &Args::new(vec![right.clone()]));
        }
        let value = self.binary(&left, operator, &right);
        self.bind(target, value);
    }

    fn delete(&mut self, target: &'a Expression) {
        match target {
            Expression::Index(base, key) => {
                let base = self.evaluate(base);
                let key = self.evaluate(key);
                self.delete_item(&base, Some(&key));
            }
            Expression::Slice(base, _) => {
                let base = self.evaluate(base);
                self.delete_item(&base, None);
            }
            Expression::Name(name) => self.unset(name),
            Expression::Tuple(all) => all.iter().for_each(|target| self.delete(target)),
            Expression::Member(base, _) => {
                self.evaluate(base);
            }
            _ => {}
        }
    }

    /// Sets what stands on the left of `=`.
    pub(super) fn bind(&mut self, target: &'a Expression, value: Value) {
        match target {
            Expression::Name(name) => self.set(name, value),
            Expression::Spread(row) => self.bind(row, Value::many(value)),
            Expression::Tuple(targets) | Expression::List(targets) => self.bind_all(targets, &value),
            Expression::Member(base, name) => {
                let base = self.evaluate(base);
                self.set_member(&base, name, value);
            }
            Expression::Index(base, key) => {
                let base = self.evaluate(base);
                let key = self.evaluate(key);
                self.set_item(&base, &key, &value);
            }
            Expression::Slice(base, bounds) => {
                let base = self.evaluate(base);
                bounds.iter().flatten().for_each(|bound| {
                    self.evaluate(bound);
                });
                self.set_slice(&base, bounds.iter().all(Option::is_none), &value);
            }
            _ => {}
        }
    }

    fn bind_all(&mut self, targets: &'a [Expression], value: &Value) {
        let value = &self.load(value);
        let starred = targets.iter().any(Expression::is_spread);
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
