//! The effect of a loop on values, for any number of turns.

use std::rc::Rc;

use super::evaluator::Evaluator;
use super::state::State;
use super::value::Value;

impl Evaluator<'_> {
    /// Makes open what a turn of a loop changed since; whether it changed anything.
    pub(super) fn widen(&mut self, before: &State) -> bool {
        let mut changed = false;
        let units = (before.scopes.len() + before.places.len()) / 64;
        if !self.spend(1 + units) {
            return false;
        }
        if !Rc::ptr_eq(&before.scopes, &self.state.scopes) {
            let scopes = Rc::make_mut(&mut self.state.scopes);
            for (old, now) in before.scopes.iter().zip(scopes).filter(|(old, now)| !Rc::ptr_eq(old, now)) {
                for (name, value) in &mut Rc::make_mut(now).names {
                    match old.names.get(name) {
                        Some(old) if !is_news(old, value) => {}
                        Some(_) => {
                            changed = true;
                            *value = Value::join([std::mem::replace(value, Value::None), Value::Unknown]);
                        }
                        None => changed = true,
                    }
                }
            }
        }
        if !Rc::ptr_eq(&before.places, &self.state.places) {
            let places = Rc::make_mut(&mut self.state.places);
            for (old, now) in before.places.iter().zip(places).filter(|(old, now)| !Rc::ptr_eq(old, now)) {
                if is_news(old, now) {
                    changed = true;
                    *now = Rc::new(widen_value(old, now));
                }
            }
        }
        if changed {
            self.versions += 1;
            self.state.version = self.versions;
        }
        changed
    }
}

/// Returns whether a turn made a value of another one that it was not before. Of what is not known, only what acts is
/// new.
fn is_news(old: &Value, now: &Value) -> bool {
    if old == now {
        return false;
    }
    let new_in = |old: Option<&Value>, now: &Value| old.is_none_or(|old| is_news(old, now));
    match (old, now) {
        (Value::Object(old), Value::Object(now)) => {
            now.fields.iter().any(|(name, value)| new_in(old.fields.get(name), value))
        }
        (Value::Many(old), Value::List(_) | Value::Many(_) | Value::OneOf(_)) => is_news(old, &now.element()),
        (Value::Dict(old), Value::Dict(now)) => now.iter().any(|(key, value)| {
            let known = old.iter().filter(|(own, _)| own == key).map(|(_, value)| value.clone());
            let known: Vec<Value> = known.collect();
            known.is_empty() || is_news(&Value::join(known), value)
        }),
        _ if old.is_open() => {
            let functions = |value: &Value| matches!(value, Value::Function(_) | Value::Partial(..));
            let previous = old.alternatives();
            now.alternatives().iter().any(|one| match one {
                Value::Named(_) => one.is_callable() && !previous.contains(one),
                one => functions(one) && !previous.iter().any(functions),
            })
        }
        _ => true,
    }
}

/// The value of a place after any number of turns, given the value before and after one turn.
fn widen_value(old: &Value, now: &Value) -> Value {
    let rows =
        |value: &Value| value.alternatives().iter().all(|value| matches!(value, Value::List(_) | Value::Many(_)));
    let open = |old: &Value, now: &Value| {
        if is_news(old, now) { Value::join([now.clone(), Value::Unknown]) } else { now.clone() }
    };
    match (old, now) {
        (Value::Object(before), Value::Object(after)) => {
            let mut after = after.clone();
            for (name, value) in &mut after.fields {
                if let Some(before) = before.fields.get(name) {
                    *value = open(before, value);
                }
            }
            Value::Object(after)
        }
        (Value::Many(before), _) if rows(now) => {
            Value::many(open(before, &Value::join([(**before).clone(), now.element()])))
        }
        _ if rows(old) && rows(now) => Value::many(now.element()),
        _ => tables(old, now),
    }
}

/// One table of all that some tables may hold; none of it if one is no table.
pub(super) fn merge_tables(all: &Value) -> Value {
    let mut items: Vec<(Value, Value)> = Vec::new();
    for table in all.alternatives() {
        let Value::Dict(more) = table else { return Value::Unknown };
        for (key, value) in more {
            match items.iter_mut().find(|(known, _)| known == key) {
                Some((_, own)) if own == value => {}
                Some((_, own)) => *own = Value::join([own.clone(), value.clone()]),
                None => items.push((key.clone(), value.clone())),
            }
        }
    }
    Value::Dict(items)
}

/// All that tables may hold; what changed is not known.
fn tables(old: &Value, now: &Value) -> Value {
    let (Value::Dict(before), Value::Dict(mut items)) = (old, merge_tables(now)) else {
        return Value::join([old.clone(), now.clone(), Value::Unknown]);
    };
    for (key, value) in &mut items {
        match before.iter().find(|(known, _)| known == key) {
            Some((_, before)) if is_news(before, value) => *value = Value::join([value.clone(), Value::Unknown]),
            _ => {}
        }
    }
    Value::Dict(items)
}
