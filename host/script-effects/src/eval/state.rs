//! [`State`]: what names stand for, and what the rows, tables and objects hold that they share.

use std::rc::Rc;

use super::Language;
use super::evaluator::Evaluator;
use super::library;
use super::library::python::canonical;
use super::value::{Names, Object, Value};
use super::widen::merge_tables;
use crate::{Text, Unknown};

/// The maximum number of variables of a function.
const NAMES: usize = 1024;
/// The maximum number of lists, tables and objects.
const PLACES: usize = 1 << 14;
/// A name that stands for all names that are set by one that is not known.
pub(super) const ANY: &str = "*";

/// The owner of a scope.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// The script, or a function.
    #[default]
    Function,
    Class,
    /// A comprehension.
    Row,
}

/// The variables of a function, or of the script.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) names: Names,
    /// Names that belong to the script.
    pub(super) global: Vec<String>,
    /// Names that belong to the function around it.
    pub(super) nonlocal: Vec<String>,
    /// The scope around it in the text.
    pub(super) parent: Option<usize>,
    pub(super) kind: Kind,
    /// The class of the method, and its object.
    pub(super) this: Option<(usize, Value)>,
}

/// All that branches may change. A copy shares what is not changed.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) scopes: Rc<Vec<Rc<Scope>>>,
    pub(super) places: Rc<Vec<Rc<Value>>>,
    /// The next place.
    pub(super) next: usize,
    /// A number that no other state has, of which a function may see something else.
    pub(super) version: usize,
    /// Where the code changed to, if it did.
    pub(super) folder: Option<Text>,
}

impl State {
    pub(super) fn new() -> State {
        State { scopes: Rc::new(vec![Rc::new(Scope::default())]), ..State::default() }
    }

    /// Forgets the scopes behind a number of them.
    pub(super) fn forget_scopes(&mut self, count: usize) {
        if self.scopes.len() > count {
            Rc::make_mut(&mut self.scopes).truncate(count);
        }
    }

    /// Returns whether both are the same copy.
    pub(super) fn is_same(&self, other: &State) -> bool {
        Rc::ptr_eq(&self.scopes, &other.scopes)
            && Rc::ptr_eq(&self.places, &other.places)
            && self.next == other.next
            && self.folder == other.folder
    }
}

impl Evaluator<'_> {
    pub(super) fn scope(&self) -> Option<&Scope> {
        self.state.scopes.get(self.current).map(|scope| &**scope)
    }

    fn scope_mut(&mut self, at: usize) -> Option<&mut Scope> {
        let shared = |count: usize, units: usize| if count > 1 { 1 + units / 32 } else { 0 };
        let names = self.state.scopes.get(at).map_or(0, |scope| shared(Rc::strong_count(scope), scope.names.len()));
        self.spend(names + shared(Rc::strong_count(&self.state.scopes), self.state.scopes.len()));
        Rc::make_mut(&mut self.state.scopes).get_mut(at).map(Rc::make_mut)
    }

    /// Does something in a new scope.
    pub(super) fn within<T>(&mut self, scope: Scope, work: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.current;
        let functions = self.functions.len();
        Rc::make_mut(&mut self.state.scopes).push(Rc::new(scope));
        self.current = self.state.scopes.len().saturating_sub(1);
        let own = self.current;
        let result = work(self);
        // A function that was made inside may still need it.
        if self.functions.len() == functions {
            Rc::make_mut(&mut self.state.scopes).truncate(own);
        }
        self.current = around;
        result
    }

    /// Notes a change of something that any function may see.
    pub(super) fn touch(&mut self) {
        self.state.version = self.new_version();
    }

    fn new_version(&mut self) -> usize {
        self.versions += 1;
        self.versions
    }

    /// Makes one value of what ways lead to.
    pub(super) fn merge(&mut self, ends: impl IntoIterator<Item = State>) {
        let mut ends = ends.into_iter();
        let Some(mut all) = ends.next() else { return };
        for end in ends {
            if !all.is_same(&end) {
                all = self.join_states(&all, &end);
            }
        }
        self.state = all;
    }

    fn join_states(&mut self, one: &State, other: &State) -> State {
        let mut state = one.clone();
        if one.version != other.version {
            state.version = self.new_version();
        }
        if !Rc::ptr_eq(&one.scopes, &other.scopes) {
            self.spend(1 + one.scopes.len() / 64);
            let all = Rc::make_mut(&mut state.scopes);
            for (at, scope) in other.scopes.iter().enumerate() {
                match all.get_mut(at) {
                    Some(own) if Rc::ptr_eq(own, scope) => {}
                    Some(own) => {
                        self.spend(1 + scope.names.len() / 4);
                        join_scopes(self.language, Rc::make_mut(own), scope);
                    }
                    None => all.push(Rc::clone(scope)),
                }
            }
        }
        if !Rc::ptr_eq(&one.places, &other.places) {
            self.spend(1 + one.places.len() / 64);
            let all = Rc::make_mut(&mut state.places);
            for (at, place) in other.places.iter().enumerate() {
                match all.get_mut(at) {
                    Some(own) if Rc::ptr_eq(own, place) => {}
                    Some(own) => {
                        self.spend(1 + place.weight(4) / 16);
                        *own = Rc::new(join_places(own, place));
                    }
                    None => all.push(Rc::clone(place)),
                }
            }
        }
        state.next = one.next.max(other.next);
        if one.folder != other.folder {
            state.folder = Some(Text::of(crate::Piece::Unknown));
        }
        state
    }

    /// Follows each of several ways from here, of which the only one is certain; what there is afterwards is what one of them leads to.
    pub(super) fn ways<T>(&mut self, count: usize, mut way: impl FnMut(&mut Self, usize) -> T) -> Vec<T> {
        if count == 1 {
            return vec![way(self, 0)];
        }
        let before = self.state.clone();
        let mut ends = Vec::new();
        let mut results = Vec::new();
        for at in 0..count {
            self.state = before.clone();
            self.branches += 1;
            results.push(way(self, at));
            self.branches -= 1;
            ends.push(std::mem::take(&mut self.state));
        }
        self.state = before;
        self.merge(ends);
        results
    }

    /// Does something of which it is not certain that it is done.
    pub(super) fn perhaps<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.state.clone();
        self.branches += 1;
        let result = work(self);
        self.branches -= 1;
        let after = std::mem::take(&mut self.state);
        self.state = before.clone();
        self.merge([after, before]);
        result
    }

    /// Notes what there is at this point for what may end here.
    pub(super) fn point(&mut self) {
        let Some(points) = self.points.last() else { return };
        if points.last().is_some_and(|last| last.is_same(&self.state)) {
            return;
        }
        let full = points.len() >= 16;
        let now = self.state.clone();
        let Some(points) = self.points.last_mut() else { return };
        points.push(now.clone());
        if full {
            let points = std::mem::take(points);
            self.merge(points);
            let one = std::mem::replace(&mut self.state, now);
            self.points.last_mut().into_iter().for_each(|points| points.push(one.clone()));
        }
    }

    /// The value of a name.
    pub(super) fn get(&mut self, name: &str) -> Value {
        let mut at = Some(self.current);
        let mut found = None;
        while let Some(scope) = at.and_then(|at| self.state.scopes.get(at)) {
            let global = at != Some(0) && scope.global.iter().any(|global| global == name);
            if let Some(value) = scope.names.get(name).filter(|_| !global) {
                found = Some(value.clone());
                break;
            }
            at = if global { Some(0) } else { scope.parent };
        }
        let any = self.state.scopes.first().and_then(|scope| scope.names.get(ANY)).cloned();
        if let Some(value) = found {
            let value = Value::join([value].into_iter().chain(any));
            let weight = value.weight(8);
            self.mention(&value);
            return if self.spend(weight / 16) { value } else { Value::Unknown };
        }
        if let Some(value) = library::global(self.language, name) {
            let set = self.script_note(&format!("builtins.{name}"));
            return Value::join([value].into_iter().chain(set).chain(any));
        }
        if !self.spend(self.stars.len()) {
            return Value::Unknown;
        }
        let star = self.stars.iter().map(|module| format!("{module}.{name}"));
        let found = star.map(|full| canonical(&full)).find(|full| library::call_effect(full).is_some());
        Value::join(found.map_or(Value::Unknown, Value::Named).alternatives().iter().cloned().chain(any))
    }

    /// The value of a global name of the script.
    pub(super) fn get_global(&mut self, name: &str) -> Value {
        let around = std::mem::replace(&mut self.current, 0);
        let value = self.get(name);
        self.current = around;
        value
    }

    /// The script's note under a name that is no name of Python.
    pub(super) fn script_note(&self, name: &str) -> Option<Value> {
        self.state.scopes.first().and_then(|scope| scope.names.get(name)).cloned()
    }

    /// Sets a name.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.set_in(self.current, name, value);
    }

    /// Sets a name outside of comprehensions, as `:=` does.
    pub(super) fn set_outside(&mut self, name: &str, value: Value) {
        let mut at = self.current;
        while let Some(scope) = self.state.scopes.get(at).filter(|scope| scope.kind == Kind::Row) {
            at = scope.parent.unwrap_or(0);
        }
        self.set_in(at, name, value);
    }

    /// Sets a name of the script.
    pub(super) fn set_global(&mut self, name: &str, value: Value) {
        self.set_in(0, name, value);
    }

    fn set_in(&mut self, at: usize, name: &str, value: Value) {
        let value = self.store_value(value);
        let Some(scope) = self.state.scopes.get(at) else { return };
        let mut place = at;
        if scope.global.iter().any(|global| global == name) {
            place = 0;
        } else if scope.nonlocal.iter().any(|outer| outer == name) {
            let mut next = scope.parent;
            while let Some((at, scope)) = next.and_then(|at| Some((at, self.state.scopes.get(at)?))) {
                if scope.names.contains_key(name) {
                    place = at;
                    break;
                }
                next = scope.parent;
            }
        }
        if self.state.scopes.get(place).is_some_and(|scope| scope.names.get(name) == Some(&value)) {
            return;
        }
        // What a function of the script does not see of another one makes no difference to it.
        if place == 0 || place != self.current {
            self.touch();
        }
        let Some(scope) = self.scope_mut(place) else { return };
        if scope.names.len() >= NAMES && !scope.names.contains_key(name) {
            return self.add_reason("the code has too many variables", Unknown::ALL);
        }
        scope.names.insert(name.to_owned(), value);
    }

    /// Forgets a name.
    pub(super) fn unset(&mut self, name: &str) {
        let current = self.current;
        self.touch();
        if let Some(scope) = self.scope_mut(current) {
            scope.names.remove(name);
        }
    }

    /// Notes names that belong to the script, or to the function around.
    pub(super) fn outer(&mut self, global: bool, names: &[String]) {
        let current = self.current;
        if let Some(scope) = self.scope_mut(current) {
            if global { &mut scope.global } else { &mut scope.nonlocal }.extend_from_slice(names);
        }
    }

    /// A place for what can be changed; other values are themselves.
    pub(super) fn store_value(&mut self, value: Value) -> Value {
        match value.truncate() {
            Value::OneOf(values) if values.iter().any(Value::is_row) => {
                let values: Vec<Value> = values.into_iter().map(|value| self.store_value(value)).collect();
                Value::join(values)
            }
            value if value.is_row() || matches!(value, Value::Object(_)) => {
                let (place, fresh) = self.place_at_site();
                if place >= PLACES {
                    self.add_reason("the code has too many rows", Unknown::ALL);
                    return Value::Unknown;
                }
                self.spend_places();
                self.state.next = self.state.next.max(place + 1);
                let places = Rc::make_mut(&mut self.state.places);
                match places.get_mut(place) {
                    // What was made here in another turn has gone to another place.
                    Some(held) if fresh => *held = Rc::new(value),
                    Some(held) => {
                        self.versions += 1;
                        self.state.version = self.versions;
                        *held = Rc::new(join_places(held, &value));
                        self.shared.insert(place);
                    }
                    None => {
                        places.resize_with(place, Rc::default);
                        places.push(Rc::new(value));
                    }
                }
                Value::Ref(place)
            }
            value => value,
        }
    }

    /// The value at a place.
    pub(super) fn value_at(&self, place: usize) -> Rc<Value> {
        self.state.places.get(place).map(Rc::clone).unwrap_or_default()
    }

    /// The contents of a row or a table; objects stay as they are.
    pub(super) fn load(&mut self, value: &Value) -> Value {
        match value {
            Value::Ref(place) => {
                let Some(stored) = self.state.places.get(*place).map(Rc::clone) else { return Value::Unknown };
                if !self.spend(stored.weight(4) / 16) {
                    return Value::Unknown;
                }
                let own =
                    |stored: &Value| if matches!(stored, Value::Object(_)) { value.clone() } else { stored.clone() };
                Value::join(stored.alternatives().iter().map(own))
            }
            Value::OneOf(values) => {
                let values: Vec<Value> = values.iter().map(|value| self.load(value)).collect();
                Value::join(values)
            }
            value => value.clone(),
        }
    }

    /// Pays for a copy of the places, if another way needs them as they are.
    fn spend_places(&mut self) {
        let copied = Rc::strong_count(&self.state.places) > 1;
        self.spend(if copied { 1 + self.state.places.len() / 64 } else { 0 });
    }

    /// Changes what stands at a place.
    pub(super) fn alter(&mut self, place: usize, change: impl Fn(&Value) -> Value) {
        let old = self.value_at(place);
        self.spend(old.weight(4) / 16);
        let new = Value::join(old.alternatives().iter().map(change)).truncate();
        let new = if self.shared.contains(&place) { join_places(&old, &new) } else { new };
        if new == *old {
            return;
        }
        self.spend_places();
        self.touch();
        if let Some(value) = Rc::make_mut(&mut self.state.places).get_mut(place) {
            *value = Rc::new(new);
        }
    }
}

/// The name of the note on a variable of the environment, or on all.
pub(super) fn variable_note(name: Option<&str>) -> String {
    format!("os.environ[{}]", name.unwrap_or(ANY))
}

fn join_scopes(language: Language, one: &mut Scope, other: &Scope) {
    for (name, value) in &other.names {
        let own = one.names.remove(name);
        let joined = match own {
            Some(own) if own == *value => own,
            Some(own) => Value::join([own, value.clone()]),
            None => Value::join([value.clone()].into_iter().chain(library::global(language, name))),
        };
        one.names.insert(name.clone(), joined);
    }
    for (name, value) in &mut one.names {
        if !other.names.contains_key(name)
            && let Some(builtin) = library::global(language, name)
        {
            *value = Value::join([value.clone(), builtin]);
        }
    }
    let new = |own: &[String], more: &[String]| -> Vec<String> {
        more.iter().filter(|name| !own.contains(name)).cloned().collect()
    };
    let (global, nonlocal) = (new(&one.global, &other.global), new(&one.nonlocal, &other.nonlocal));
    one.global.extend(global);
    one.nonlocal.extend(nonlocal);
}

pub(super) fn join_places(one: &Value, other: &Value) -> Value {
    match (one, other) {
        (Value::Object(own), Value::Object(more)) if own.class == more.class && own.any == more.any => {
            Value::Object(Box::new(join_objects(own, more)))
        }
        (Value::Dict(_), Value::Dict(_)) => merge_tables(&Value::join([one.clone(), other.clone()])).truncate(),
        _ => {
            let all = Value::join([one.clone(), other.clone()]);
            let rows = all.alternatives();
            let open = rows.iter().any(|row| matches!(row, Value::Many(_)));
            let only = rows.iter().all(|row| matches!(row, Value::List(_) | Value::Many(_)));
            if open && only { Value::many(all.element()) } else { all }
        }
    }
}

fn join_objects(one: &Object, other: &Object) -> Object {
    let mut all = one.clone();
    let missing = one.fields.keys().filter(|name| !other.fields.contains_key(*name));
    all.loose.extend(missing.cloned());
    for (name, value) in &other.fields {
        match all.fields.get_mut(name) {
            Some(own) if own == value => {}
            Some(own) => *own = Value::join([own.clone(), value.clone()]),
            None => {
                all.loose.push(name.clone());
                all.fields.insert(name.clone(), value.clone());
            }
        }
    }
    all.loose.extend(other.loose.iter().cloned());
    all.loose.sort();
    all.loose.dedup();
    let bases: Vec<Value> = other.bases.iter().filter(|base| !one.bases.contains(base)).cloned().collect();
    all.bases.extend(bases);
    all
}
