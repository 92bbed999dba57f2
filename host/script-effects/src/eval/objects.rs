//! Classes of the script and their objects.

use super::calls::Args;
use super::evaluator::Evaluator;
use super::state::{ANY, Kind, Scope};
use super::value::{Names, Object, Value};
use crate::Unknown;
use crate::ir::{Class, FIELD, INITIALIZER};

/// Classes below each other.
const DEEP: usize = 8;
/// The maximum number of members of an object.
const MEMBERS: usize = 1024;

impl<'a> Evaluator<'a> {
    /// A class, whose functions know it.
    pub(super) fn class(&mut self, class: &'a Class) {
        let args = self.arguments(&class.bases);
        for (_, value) in args.named.iter().filter(|(name, _)| name == "metaclass") {
            self.call_back(&Args::new(vec![value.clone()]));
        }
        let bases = args.values;
        let Value::Ref(any) = self.store_value(Value::Object(Box::default())) else { return };
        let row = class.fields.clone();
        let object = Object { bases: bases.clone(), row, any: Some(any), ..Object::default() };
        let value = self.store_value(Value::Object(Box::new(object)));
        let Value::Ref(place) = value else { return };
        self.alter(any, |_| Value::Object(Box::new(Object { class: Some(place), ..Object::default() })));
        let this = Some((place, Value::None));
        let scope = Scope { parent: Some(self.current), kind: Kind::Class, this, ..Scope::default() };
        let names = self.within(scope, |eval| {
            eval.block(&class.body);
            eval.scope().map(|scope| scope.names.clone()).unwrap_or_default()
        });
        let members =
            names.iter().filter_map(|(name, value)| Some((name.strip_prefix(FIELD)?.to_owned(), value.clone())));
        let members: Names = members.collect();
        let fields = if members.is_empty() { names } else { members };
        self.alter(place, |old| match old {
            Value::Object(object) => Value::Object(Box::new(Object { fields: fields.clone(), ..(**object).clone() })),
            old => old.clone(),
        });
        for base in bases {
            let hook = self.member(&base, "__init_subclass__");
            if let Value::Partial(..) | Value::Function(_) = hook {
                self.apply(&hook, &Args::new(vec![value.clone()]));
            }
        }
        self.set(&class.name, value);
    }

    /// The member of a class, its own or inherited.
    pub(super) fn class_member(&mut self, place: usize, name: &str, deep: usize) -> Option<Value> {
        if deep >= DEEP || !self.spend(1) {
            return None;
        }
        let stored = self.value_at(place);
        let mut found = Vec::new();
        for one in stored.alternatives() {
            let Value::Object(class) = one else { continue };
            if let Some(value) = class.fields.get(name).or_else(|| class.fields.get(ANY)) {
                found.push(value.clone());
                if !class.loose.iter().any(|loose| loose == name) {
                    continue;
                }
            }
            let base = class.bases.iter().find_map(|base| {
                let values: Vec<Value> = base
                    .alternatives()
                    .iter()
                    .filter_map(|base| match base {
                        Value::Ref(place) => self.class_member(*place, name, deep + 1),
                        _ => None,
                    })
                    .collect();
                (!values.is_empty()).then(|| Value::join(values))
            });
            found.extend(base);
        }
        (!found.is_empty()).then(|| Value::join(found))
    }

    /// The member of an object or a class at a place; `None` if none is seen.
    pub(super) fn object_member(&mut self, place: usize, object: &Object, name: &str) -> Option<Value> {
        let own = Value::Ref(place);
        if object.any.is_some() {
            let found = self.class_member(place, name, 0)?;
            return Some(self.bound(&found, None, &own));
        }
        let mut found: Vec<Value> =
            [object.fields.get(name), object.fields.get(ANY)].into_iter().flatten().cloned().collect();
        if !object.fields.contains_key(name) || object.loose.iter().any(|loose| loose == name) {
            let of_class = object.class.and_then(|class| Some((class, self.class_member(class, name, 0)?)));
            if let Some((class, value)) = of_class {
                found.push(self.bound(&value, Some(&own), &Value::Ref(class)));
            }
        }
        found.extend(self.members.get(name).cloned());
        (!found.is_empty()).then(|| Value::join(found))
    }

    /// A function of a class as a method of an object.
    fn bound(&mut self, value: &Value, this: Option<&Value>, class: &Value) -> Value {
        let mut found = Vec::new();
        for one in value.alternatives() {
            let kind = match one {
                Value::Function(at) => self.functions.get(*at).map(|function| function.kind),
                _ => None,
            };
            use super::functions::Kind::{Method, OfClass, Property};
            found.push(match (kind, this) {
                (Some(OfClass), _) => partial(one, class),
                (Some(Property), Some(this)) => self.apply(one, &Args::new(vec![this.clone()])),
                (Some(Method), Some(this)) => partial(one, this),
                _ => one.clone(),
            });
        }
        Value::join(found)
    }

    /// A new object of a class.
    pub(super) fn instance(&mut self, class: usize, args: &Args) -> Value {
        let stored = self.value_at(class);
        let Value::Object(kind) = &*stored else { return Value::Unknown };
        let this = self.store_value(Value::Object(Box::new(Object { class: Some(class), ..Object::default() })));
        if self.class_member(class, "__new__", 0).is_some() {
            // What it makes is not followed.
            self.call_back(args);
        }
        match self.class_member(class, INITIALIZER, 0) {
            Some(init) => {
                let init = self.bound(&init, Some(&this), &Value::Ref(class));
                self.apply(&init, args);
            }
            None => {
                self.fill(&this, class, kind, args);
                if let Some(after) = self.class_member(class, "__post_init__", 0) {
                    let after = self.bound(&after, Some(&this), &Value::Ref(class));
                    self.apply(&after, &Args::default());
                }
            }
        }
        this
    }

    /// The fields in their order, those of the bases first.
    fn field_names(&self, class: usize, deep: usize) -> Vec<String> {
        let stored = self.value_at(class);
        let Value::Object(kind) = &*stored else { return Vec::new() };
        let mut row = Vec::new();
        if deep < DEEP {
            for base in &kind.bases {
                if let Value::Ref(base) = base {
                    row.extend(self.field_names(*base, deep + 1));
                }
            }
        }
        for name in &kind.row {
            if !row.contains(name) && row.len() < MEMBERS {
                row.push(name.clone());
            }
        }
        row
    }

    /// Sets the fields of an object from arguments.
    fn fill(&mut self, this: &Value, class: usize, kind: &Object, args: &Args) {
        let row = self.field_names(class, 0);
        for (name, value) in row.iter().zip(&args.values) {
            self.set_member(this, name, value.clone());
        }
        for (name, value) in &args.named {
            self.set_member(this, name, value.clone());
        }
        if args.open {
            self.set_member(this, ANY, Value::Unknown);
        }
        let has_argument = |name: &String| {
            args.named_argument(name).is_some() || row.iter().take(args.values.len()).any(|own| own == name)
        };
        for name in row.iter().filter(|name| !has_argument(name)) {
            // `field(default_factory=list)`
            if let Some(Value::Partial(callee, maker)) = self.class_member(class, name, 0)
                && *callee == Value::named("dataclasses.field")
            {
                let made = maker.named_argument("default_factory").cloned();
                let value = match made {
                    Some(factory) => self.apply(&factory, &Args::default()),
                    None => maker.named_argument("default").cloned().unwrap_or(Value::Unknown),
                };
                self.set_member(this, name, value);
            }
        }
        if row.is_empty() && !kind.bases.is_empty() {
            self.call_back(args);
        }
    }

    /// Sets a member of what may be an object.
    pub(super) fn set_member(&mut self, base: &Value, name: &str, value: Value) {
        let value = self.store_value(value);
        let bases = base.alternatives();
        self.ways(bases.len(), |eval, at| match bases.get(at) {
            Some(Value::Ref(place)) => eval.set_field(*place, name, &value),
            Some(Value::Super(this, _)) => eval.set_member(this, name, value.clone()),
            Some(Value::Named(module)) => {
                eval.set_global(&super::library::python::canonical(&format!("{module}.{name}")), value.clone());
            }
            _ => eval.set_somewhere(name, &value),
        });
    }

    /// Notes what a member of some object is set to.
    fn set_somewhere(&mut self, name: &str, value: &Value) {
        self.touch();
        let known = self.members.remove(name);
        let value = Value::join(known.into_iter().chain([value.clone()])).truncate();
        if self.members.len() < MEMBERS {
            self.members.insert(name.to_owned(), value);
        } else {
            self.add_reason("the code has too many members", Unknown::ALL);
        }
    }

    fn set_field(&mut self, place: usize, name: &str, value: &Value) {
        let with = |fields: &Names, weak: bool| {
            let mut fields = fields.clone();
            let old = fields.get(name).filter(|_| weak || name == ANY).cloned();
            fields.insert(name.to_owned(), Value::join(old.into_iter().chain([value.clone()])));
            fields
        };
        let stored = self.value_at(place);
        for one in stored.alternatives() {
            // Of an object of JavaScript a member is a key.
            if let Value::Dict(_) = one {
                self.set_item(&Value::Ref(place), &Value::text(name), value);
                continue;
            }
            let Value::Object(object) = one else { continue };
            self.spend(1 + object.fields.len() / 8);
            if object.fields.len() >= MEMBERS {
                return self.add_reason("the code has too many members", Unknown::ALL);
            }
            let all = object.class.and_then(|class| match &*self.value_at(class) {
                Value::Object(class) => class.any,
                _ => None,
            });
            if let Some(all) = all.filter(|all| *all != place) {
                self.alter(all, |old| map_object(old, |object| object.fields = with(&object.fields, true)));
            }
            let weak = all == Some(place);
            self.alter(place, |old| map_object(old, |object| object.fields = with(&object.fields, weak)));
        }
    }

    /// The value of `super()` here.
    pub(super) fn super_value(&mut self) -> Value {
        match self.scope().and_then(|scope| scope.this.clone()) {
            Some((class, this)) => Value::Super(Box::new(this), class),
            None => Value::Unknown,
        }
    }

    /// The member that the bases of a class give an object.
    pub(super) fn super_member(&mut self, this: &Value, class: usize, name: &str) -> Option<Value> {
        let stored = self.value_at(class);
        let Value::Object(kind) = &*stored else { return None };
        for base in &kind.bases {
            if let Value::Ref(base) = base
                && let Some(found) = self.class_member(*base, name, 0)
            {
                return Some(self.bound(&found, Some(this), &Value::Ref(*base)));
            }
        }
        None
    }

    /// The functions of this name of all classes of the script, each with an object of its class.
    pub(super) fn methods_named(&mut self, name: &str) -> Option<Value> {
        let known = self.methods.get(name).cloned().unwrap_or_default();
        let mut found = Vec::new();
        for (class, function) in known.into_iter().take(DEEP) {
            if self.guesses > 0 {
                // It is followed at the end, whatever it is given.
                self.imply(function);
            } else if let Value::Object(kind) = &*self.value_at(class)
                && let Some(any) = kind.any
            {
                found.push(self.bound(&Value::Function(function), Some(&Value::Ref(any)), &Value::Ref(class)));
            }
        }
        (!found.is_empty()).then(|| Value::join(found))
    }
}

fn map_object(old: &Value, change: impl Fn(&mut Object)) -> Value {
    match old {
        Value::Object(object) => {
            let mut object = object.clone();
            change(&mut object);
            Value::Object(object)
        }
        old => old.clone(),
    }
}

/// A callable with its first argument.
pub(super) fn partial(callee: &Value, first: &Value) -> Value {
    Value::Partial(Box::new(callee.clone()), Box::new(Args::new(vec![first.clone()])))
}
