//! Rows and tables: what changes them, under whatever name.

use super::calls::Args;
use super::evaluator::Evaluator;
use super::fold;
use super::value::{ELEMENTS, Value};

impl Evaluator<'_> {
    /// A method of a row or a table at a place, or of an object that no class tells of.
    pub(super) fn call_method_at(&mut self, place: usize, name: &str, args: &Args) -> Value {
        let base = Value::Ref(place);
        let stored = self.load(&base);
        let kept: Vec<Value> = args.values.iter().cloned().map(|value| self.store_value(value)).collect();
        let loaded = self.load_arguments(args);
        let changed = self.call_adding_method(place, name, &stored, &kept, args, &loaded);
        if let Some(value) = changed.or_else(|| self.call_removing_method(place, name, &stored, &kept)) {
            return value;
        }
        match name {
            "sort" | "reverse" | "rotate" => {
                self.call_back(&Args { values: Vec::new(), ..args.clone() });
                self.alter(place, |old| match old {
                    Value::List(values) if name == "reverse" => Value::List(values.iter().rev().cloned().collect()),
                    Value::List(values) if values.len() < 2 => old.clone(),
                    Value::List(_) | Value::Many(_) => Value::many(old.element()),
                    old => old.clone(),
                });
                Value::None
            }
            "__getitem__" => self.item(&base, kept.first().unwrap_or(&Value::Unknown)),
            "union" | "__or__" | "__add__" if matches!(stored, Value::Dict(_)) => Value::Unknown,
            "union" | "__or__" | "__add__" => {
                Value::many(Value::join(std::iter::once(stored.element()).chain(elements(&loaded))))
            }
            "__iter__" | "difference" | "intersection" => stored,
            _ => {
                let results: Vec<Value> =
                    stored.alternatives().iter().map(|stored| self.call_method(stored, name, &loaded)).collect();
                Value::join(results)
            }
        }
    }

    /// A method that puts something into the row or table at a place.
    fn call_adding_method(
        &mut self,
        place: usize,
        name: &str,
        stored: &Value,
        kept: &[Value],
        args: &Args,
        loaded: &Args,
    ) -> Option<Value> {
        let first = kept.first();
        Some(match name {
            // In JavaScript.
            "push" => {
                self.alter(place, |old| with_more(old, kept));
                Value::Unknown
            }
            "unshift" | "splice" | "fill" => {
                self.alter(place, |old| match old {
                    Value::List(_) | Value::Many(_) => {
                        Value::many(Value::join(std::iter::once(old.element()).chain(kept.iter().cloned())))
                    }
                    old => old.clone(),
                });
                Value::many(stored.element())
            }
            "append" | "add" | "appendleft" | "insert" | "put" | "put_nowait" => {
                let (at, value) = match name {
                    "insert" => (first, kept.get(1)),
                    "appendleft" => (Some(&Value::Int(0)), first),
                    _ => (None, first),
                };
                self.alter(place, |old| with_element(old, at, value.unwrap_or(&Value::Unknown)));
                Value::None
            }
            "extend" | "extendleft" | "__iadd__" | "symmetric_difference_update" => {
                let added: Vec<Value> = elements(loaded).collect();
                self.alter(place, |old| with_more(old, &added));
                if name == "__iadd__" { Value::Ref(place) } else { Value::None }
            }
            "update" | "__ior__" => {
                let named = args.named.iter().map(|(name, value)| (Value::text(name), value.clone()));
                let (named, added) = (named.collect::<Vec<_>>(), elements(loaded).collect::<Vec<_>>());
                self.alter(place, |old| with_updates(old, &loaded.values, &named, args.open, &added));
                if name == "__ior__" { Value::Ref(place) } else { Value::None }
            }
            "setdefault" => {
                let key = first.unwrap_or(&Value::Unknown);
                let found = self.item(&Value::Ref(place), key);
                let value = kept.get(1).unwrap_or(&Value::None);
                let known = |old: &Value| matches!(old, Value::Dict(items) if items.iter().any(|(own, _)| own == key));
                if known(stored) {
                    return Some(found);
                }
                self.alter(place, |old| if known(old) { old.clone() } else { with_item(old, key, value) });
                match stored {
                    Value::Dict(items) if items.is_empty() => value.clone(),
                    _ => Value::join([found, value.clone()]),
                }
            }
            "__setitem__" => {
                let (key, value) = (first.unwrap_or(&Value::Unknown), kept.get(1).unwrap_or(&Value::Unknown));
                self.alter(place, |old| with_item(old, key, value));
                Value::None
            }
            _ => return None,
        })
    }

    /// A method that takes something out of the row or table at a place.
    fn call_removing_method(&mut self, place: usize, name: &str, stored: &Value, kept: &[Value]) -> Option<Value> {
        let (base, first) = (Value::Ref(place), kept.first());
        let zero = Value::Int(0);
        Some(match name {
            // In JavaScript.
            "shift" if first.is_none() => {
                let removed = self.item(&base, &zero);
                self.alter(place, |old| without_item(old, Some(&zero)));
                removed
            }
            "pop" | "popleft" | "popitem" | "get_nowait" | "__delitem__" | "remove" | "discard" => {
                // A set gives any of its elements.
                let key = match name {
                    "popleft" => Some(&zero),
                    "popitem" | "remove" | "discard" => None,
                    _ => first,
                };
                let removed = match (key, name) {
                    (_, "popitem") => pair(stored),
                    (_, "remove" | "discard") => Value::None,
                    (Some(key), _) => self.item(&base, key),
                    (None, _) => stored.element(),
                };
                self.alter(place, |old| without_item(old, key));
                let default = kept.get(1).cloned().filter(|_| matches!(stored, Value::Dict(_)));
                Value::join([removed].into_iter().chain(default))
            }
            "clear" => {
                self.alter(place, |old| match old {
                    Value::Dict(_) => Value::Dict(Vec::new()),
                    Value::List(_) | Value::Many(_) => Value::List(Vec::new()),
                    old => old.clone(),
                });
                Value::None
            }
            _ => return None,
        })
    }

    /// The arguments with what their rows and tables hold.
    pub(super) fn load_arguments(&mut self, args: &Args) -> Args {
        Args {
            values: args.values.iter().map(|value| self.load(value)).collect(),
            named: args.named.iter().map(|(name, value)| (name.clone(), self.load(value))).collect(),
            open: args.open,
        }
    }

    /// Sets what a value holds at a key.
    pub(super) fn set_item(&mut self, base: &Value, key: &Value, value: &Value) {
        let value = self.store_value(value.clone());
        let bases = base.alternatives();
        self.ways(bases.len(), |eval, at| match bases.get(at) {
            Some(Value::Ref(place)) => eval.alter(*place, |old| with_item(old, key, &value)),
            Some(Value::Named(name)) if name == "builtins.globals()" => {
                eval.set_global(key.known_text().unwrap_or(super::state::ANY), value.clone());
            }
            Some(Value::Named(name)) if name == "os.environ" || name == "os.environb" => {
                eval.set_global(&super::state::variable_note(key.known_text()), value.clone());
            }
            Some(Value::Named(name)) if name.ends_with(".__dict__") => {
                let inner = Value::named(name.trim_end_matches(".__dict__"));
                eval.set_member(&inner, key.known_text().unwrap_or(super::state::ANY), value.clone());
            }
            _ => {}
        });
    }

    /// Sets what a row holds between two places.
    pub(super) fn set_slice(&mut self, base: &Value, whole: bool, value: &Value) {
        let value = self.load(value);
        let added: Vec<Value> = each_element(&value).collect();
        let bases = base.alternatives();
        self.ways(bases.len(), |eval, at| {
            let Some(Value::Ref(place)) = bases.get(at) else { return };
            eval.alter(*place, |old| match old {
                Value::List(_) | Value::Many(_) if whole && value.is_row() => value.clone(),
                Value::List(_) | Value::Many(_) => Value::many(Value::join(each_element(old).chain(added.clone()))),
                old => old.clone(),
            });
        });
    }

    /// Takes away what a value holds at a key.
    pub(super) fn delete_item(&mut self, base: &Value, key: Option<&Value>) {
        let bases = base.alternatives();
        self.ways(bases.len(), |eval, at| {
            if let Some(Value::Ref(place)) = bases.get(at) {
                eval.alter(*place, |old| without_item(old, key));
            }
        });
    }
}

/// The elements of a row, if they are known; otherwise one element that represents all.
fn each_element(row: &Value) -> impl Iterator<Item = Value> + use<> {
    row.elements().unwrap_or_else(|| vec![row.element()]).into_iter()
}

/// The elements of all rows that a call is given.
fn elements(args: &Args) -> impl Iterator<Item = Value> {
    args.values.iter().flat_map(each_element)
}

/// The keys, values or items of a table, as a row.
pub(super) fn view(items: &[(Value, Value)], what: &str) -> Value {
    let part = |(key, value): &(Value, Value)| match what {
        "keys" => key.clone(),
        "values" => value.clone(),
        _ => Value::List(vec![key.clone(), value.clone()]),
    };
    Value::List(items.iter().map(part).collect())
}

/// A key and a value of a table.
fn pair(table: &Value) -> Value {
    let mut keys = Vec::new();
    let mut values = Vec::new();
    for table in table.alternatives() {
        let Value::Dict(items) = table else { return Value::Unknown };
        keys.extend(items.iter().map(|(key, _)| key.clone()));
        values.extend(items.iter().map(|(_, value)| value.clone()));
    }
    Value::List(vec![Value::join(keys), Value::join(values)])
}

/// A row with one more, behind all or at a place.
fn with_element(old: &Value, at: Option<&Value>, value: &Value) -> Value {
    match (old, at) {
        (Value::List(values), None) if values.len() < ELEMENTS => {
            Value::List(values.iter().chain([value]).cloned().collect())
        }
        (Value::List(values), Some(Value::Int(at))) if values.len() < ELEMENTS && *at >= 0 => {
            let at = usize::try_from(*at).unwrap_or(usize::MAX).min(values.len());
            let mut values = values.clone();
            values.insert(at, value.clone());
            Value::List(values)
        }
        (Value::List(_) | Value::Many(_), _) => Value::many(Value::join(each_element(old).chain([value.clone()]))),
        _ => old.clone(),
    }
}

fn with_more(old: &Value, more: &[Value]) -> Value {
    match old {
        Value::List(values) if values.len() + more.len() <= ELEMENTS => {
            Value::List(values.iter().chain(more).cloned().collect())
        }
        Value::List(_) | Value::Many(_) => Value::many(Value::join(each_element(old).chain(more.iter().cloned()))),
        old => old.clone(),
    }
}

/// A table with all that is in others, or a row with all that is in others.
fn with_updates(old: &Value, others: &[Value], named: &[(Value, Value)], open: bool, elements: &[Value]) -> Value {
    let Value::Dict(_) = old else { return with_more(old, elements) };
    let mut all = old.clone();
    for other in others {
        match other {
            Value::Dict(items) => {
                for (key, value) in items {
                    all = with_item(&all, key, value);
                }
            }
            // Pairs.
            Value::List(pairs) => {
                for one in pairs.iter().flat_map(Value::alternatives) {
                    let known = match one {
                        Value::List(pair) => pair.split_first().and_then(|(key, rest)| Some((key, rest.first()?))),
                        _ => None,
                    };
                    let (key, value) = known.unwrap_or((&Value::Unknown, &Value::Unknown));
                    all = with_item(&all, key, value);
                }
            }
            _ => all = with_item(&all, &Value::Unknown, &Value::Unknown),
        }
    }
    for (key, value) in named {
        all = with_item(&all, key, value);
    }
    if open { with_item(&all, &Value::Unknown, &Value::Unknown) } else { all }
}

/// Returns whether a key is known as a whole.
fn is_key(key: &Value) -> bool {
    match key {
        Value::Text(text) | Value::Path(text) => text.known().is_some(),
        Value::Int(_) | Value::Bool(_) | Value::None => true,
        Value::List(values) => values.iter().all(is_key),
        _ => false,
    }
}

/// A row or a table of which one element is set.
fn with_item(old: &Value, key: &Value, value: &Value) -> Value {
    match old {
        Value::Dict(items) => {
            let mut items = items.clone();
            // One that is not known may be any of those that are.
            let key = if is_key(key) { key } else { &Value::Unknown };
            if is_key(key) {
                items.retain(|(known, _)| known != key);
            } else if items.iter().any(|(known, own)| known == key && own == value) {
                return old.clone();
            }
            if items.len() >= ELEMENTS {
                let values = Value::join(items.into_iter().map(|(_, value)| value).chain([value.clone()]));
                return Value::Dict(vec![(Value::Unknown, values)]);
            }
            items.push((key.clone(), value.clone()));
            Value::Dict(items)
        }
        Value::List(values) => match index_in_row(values.len(), key) {
            Some(at) => {
                let new = |(own, old): (usize, &Value)| if own == at { value.clone() } else { old.clone() };
                Value::List(values.iter().enumerate().map(new).collect())
            }
            None => Value::many(Value::join(each_element(old).chain([value.clone()]))),
        },
        Value::Many(element) => Value::many(Value::join([(**element).clone(), value.clone()])),
        old => old.clone(),
    }
}

/// The place in a row of a length that a number means.
pub(super) fn index_in_row(length: usize, key: &Value) -> Option<usize> {
    let Value::Int(at) = key else { return None };
    let at = if *at < 0 {
        length.checked_sub(usize::try_from(at.unsigned_abs()).ok()?)?
    } else {
        usize::try_from(*at).ok()?
    };
    (at < length).then_some(at)
}

/// A row or a table without what is at a key.
fn without_item(old: &Value, key: Option<&Value>) -> Value {
    match (old, key) {
        (Value::Dict(items), Some(key)) if is_key(key) => {
            Value::Dict(items.iter().filter(|(known, _)| known != key).cloned().collect())
        }
        (Value::List(values), Some(key)) if index_in_row(values.len(), key).is_some() => {
            let at = index_in_row(values.len(), key);
            let rest = values.iter().enumerate().filter(|(own, _)| Some(*own) != at);
            Value::List(rest.map(|(_, value)| value.clone()).collect())
        }
        (Value::List(_) | Value::Many(_), _) => Value::many(old.element()),
        (old, _) => old.clone(),
    }
}

/// The values of a table at a key.
pub(super) fn look_up_item(items: &[(Value, Value)], key: &Value) -> Value {
    let all = || Value::join(items.iter().map(|(_, value)| value.clone()));
    if !is_key(key) {
        return all();
    }
    // What is set at a key that is not known may stand there, too.
    let known = items.iter().filter(|(own, _)| own == key || !is_key(own));
    if !items.iter().any(|(own, _)| own == key) {
        return all();
    }
    Value::join(known.map(|(_, value)| value.clone()))
}

/// Two rows or tables behind each other.
pub(super) fn concatenate(left: &Value, right: &Value) -> Option<Value> {
    match (left, right) {
        (Value::Dict(_), Value::Dict(_)) => Some(with_updates(left, std::slice::from_ref(right), &[], false, &[])),
        _ => None,
    }
}

/// A part of a row.
pub(super) fn slice(base: &Value, from: Option<&Value>, to: Option<&Value>, step: Option<&Value>) -> Value {
    let parts: Vec<Value> = base.alternatives().iter().map(|base| fold::slice(base, from, to, step)).collect();
    Value::join(parts)
}

/// A table of keys and values, of which the last one counts.
pub(super) fn table(items: Vec<(Value, Value)>) -> Value {
    let none = Value::Dict(Vec::new());
    items.iter().fold(none, |all, (key, value)| with_item(&all, key, value)).truncate()
}

/// A table of pairs.
pub(super) fn table_from_pairs(pairs: &Value) -> Value {
    let none = Value::Dict(Vec::new());
    match pairs {
        Value::Many(pair) => with_updates(&none, &[Value::List(vec![(**pair).clone()])], &[], false, &[]),
        pairs => with_updates(&none, std::slice::from_ref(pairs), &[], false, &[]),
    }
}
