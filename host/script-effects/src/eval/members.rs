//! Members and items: a value's attribute by name, and its element by key.

use super::calls::Args;
use super::evaluator::Evaluator;
use super::fold;
use super::library::python::{canonical, constant};
use super::library::{call_effect, node};
use super::objects::partial;
use super::rows::{index_in_row, look_up_item};
use super::state::variable_note;
use super::value::{Object, Value};
use crate::Piece;

/// Members by which code goes around the names of things.
const AROUND: &[&str] =
    &["__subclasses__", "__globals__", "__code__", "__reduce__", "gi_frame", "f_globals", "f_builtins"];

/// Members of functions that only tell of them.
const PLAIN: &[&str] = &["__name__", "__doc__", "__module__", "__qualname__"];

/// Returns whether a name is one of a variable of the environment, as these are written.
fn is_variable(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

impl Evaluator<'_> {
    /// The value of a member.
    pub(super) fn member(&mut self, base: &Value, name: &str) -> Value {
        if AROUND.contains(&name) {
            return Value::Hidden;
        }
        let method = |base: &Value| Value::Method(Box::new(base.clone()), name.to_owned());
        let mut found = Vec::new();
        for base in base.alternatives() {
            found.push(match base {
                Value::Ref(_) if name == "__getattribute__" => partial(&Value::named("builtins.getattr"), base),
                Value::Ref(place) => self.member_at(*place, name),
                Value::Super(this, class) => {
                    self.super_member(this, *class, name).unwrap_or_else(|| method(&Value::Unknown))
                }
                _ if name == "__call__" => base.clone(),
                Value::Named(module)
                    if name.starts_with("__") && !PLAIN.contains(&name) && call_effect(module).is_some() =>
                {
                    Value::Hidden
                }
                Value::Hidden => Value::Hidden,
                Value::Named(module) if module == "__main__" => self.get_global(name),
                Value::Named(module) if module.starts_with("node.") => {
                    let set = self
                        .script_note(&format!("{module}.{name}"))
                        .or_else(|| self.script_note(&format!("{module}.*")));
                    let known = node::member(module, name);
                    set.map_or_else(|| known.clone(), |set| Value::join([set, known.clone()]))
                }
                Value::Named(module) if module == "os.environ" && is_variable(name) => {
                    self.item(base, &Value::text(name))
                }
                Value::Named(module) => {
                    let full = canonical(&format!("{module}.{name}"));
                    let set = self.script_note(&full).or_else(|| self.script_note(&format!("{module}.*")));
                    let known = constant(&full).unwrap_or(Value::Named(full));
                    set.map_or_else(|| known.clone(), |set| Value::join([set, known.clone()]))
                }
                Value::Path(text) => fold::path_member(text, name).unwrap_or_else(|| method(base)),
                Value::File(text) if name == "name" => Value::Text(text.clone()),
                Value::Partial(callee, _) if name == "func" => (**callee).clone(),
                Value::Function(_) | Value::Partial(..) | Value::Method(..) if node::CALLERS.contains(&name) => {
                    method(base)
                }
                Value::Function(_) | Value::Text(_) if name == "constructor" => Value::named("node.Function"),
                Value::Function(_) | Value::Partial(..) | Value::Method(..) => {
                    self.members.get(name).cloned().unwrap_or_else(|| match (name, base) {
                        ("__wrapped__" | "__func__", _) => base.clone(),
                        (_, Value::Function(_) | Value::Partial(..)) => Value::Unknown,
                        // A member of a member of something.
                        _ => self.unknown_member(base, name),
                    })
                }
                Value::Unknown => self.unknown_member(base, name),
                base => method(base),
            });
        }
        Value::join(found)
    }

    /// The member of an unknown value: one that any object has, or unknown.
    fn unknown_member(&mut self, base: &Value, name: &str) -> Value {
        let method = match base {
            Value::Unknown => Value::Method(Box::new(Value::Unknown), name.to_owned()),
            _ => Value::Unknown,
        };
        let known = self.members.get(name).cloned();
        let methods = self.methods_named(name).map(|methods| Value::Guess(Box::new(methods)));
        Value::join(known.into_iter().chain(methods).chain([method]))
    }

    fn member_at(&mut self, at: usize, name: &str) -> Value {
        let stored = self.value_at(at);
        let mut found = Vec::new();
        for one in stored.alternatives() {
            found.push(match one {
                Value::Object(object) => match name {
                    "__class__" if object.any.is_none() => object.class.map_or(Value::Unknown, Value::Ref),
                    "__call__" if object.any.is_some() => Value::Ref(at),
                    // What is set by way of it is not seen.
                    "__dict__" => {
                        self.set_member(&Value::Ref(at), super::state::ANY, Value::Unknown);
                        Value::Unknown
                    }
                    _ => match self.object_member(at, object, name) {
                        Some(value) => value,
                        None if object.any.is_some() => self.common_class_member(at, name),
                        None => self.hooked_member(object, at, name),
                    },
                },
                // Of an object of JavaScript a key is a member.
                Value::Dict(items) if items.iter().any(|(key, _)| key.known_text() == Some(name)) => {
                    look_up_item(items, &Value::text(name))
                }
                one if one.is_row() => Value::Method(Box::new(Value::Ref(at)), name.to_owned()),
                one => self.member(one, name),
            });
        }
        Value::join(found)
    }

    /// The member of an object that was never set: the class's lookup hook gives it, or it is unknown.
    fn hooked_member(&mut self, object: &Object, at: usize, name: &str) -> Value {
        let hook = object.class.filter(|_| !name.starts_with("__")).and_then(|class| {
            self.class_member(class, "__getattr__", 0).or_else(|| self.class_member(class, "__getattribute__", 0))
        });
        match hook {
            Some(hook) => self.apply(&partial(&hook, &Value::Ref(at)), &Args::new(vec![Value::text(name)])),
            None => Value::Method(Box::new(Value::Unknown), name.to_owned()),
        }
    }

    /// Members that every class has.
    fn common_class_member(&mut self, class: usize, name: &str) -> Value {
        match name {
            "_make" | "from_dict" | "parse_obj" | "model_validate" => {
                let any = self.instance(class, &Args { open: true, ..Args::default() });
                partial(&Value::Unknown, &any)
            }
            _ => Value::Method(Box::new(Value::Unknown), name.to_owned()),
        }
    }

    /// The element of a value at a key.
    pub(super) fn item(&mut self, base: &Value, key: &Value) -> Value {
        match base {
            Value::OneOf(values) => {
                let values: Vec<Value> = values.iter().map(|base| self.item(base, key)).collect();
                Value::join(values)
            }
            Value::Ref(at) => {
                if !self.enter() {
                    return Value::Unknown;
                }
                let stored = self.value_at(*at);
                let found: Vec<Value> = stored
                    .alternatives()
                    .iter()
                    .map(|one| match one {
                        Value::Object(object) => self.item_of_object(base, object, key),
                        one => self.item(one, key),
                    })
                    .collect();
                self.leave();
                Value::join(found)
            }
            Value::Named(name) => self.item_of_named(name, key),
            Value::Dict(items) => look_up_item(items, key),
            Value::List(values) => {
                index_in_row(values.len(), key).and_then(|at| values.get(at).cloned()).unwrap_or_else(|| base.element())
            }
            _ => base.element(),
        }
    }

    fn item_of_object(&mut self, base: &Value, object: &Object, key: &Value) -> Value {
        let method = self.member(base, "__getitem__");
        if let Value::Partial(..) = method {
            return self.apply(&method, &Args::new(vec![key.clone()]));
        }
        // A row with names, whose places are its fields.
        Value::join(object.fields.values().cloned().chain([Value::Unknown]))
    }

    fn item_of_named(&mut self, name: &str, key: &Value) -> Value {
        match (name, key.known_text()) {
            ("os.environ" | "os.environb", Some(name)) => {
                let set =
                    self.script_note(&variable_note(Some(name))).or_else(|| self.script_note(&variable_note(None)));
                let piece = if name == "HOME" { Piece::Home } else { Piece::Variable(name.to_owned()) };
                let outside = Value::piece(piece);
                set.map_or_else(|| outside.clone(), |set| Value::join([set, outside.clone()]))
            }
            ("os.environ" | "os.environb", None) => Value::piece(Piece::Unknown),
            ("sys.argv", _) => match key {
                Value::Int(at) => usize::try_from(*at).map_or(Value::Unknown, |at| Value::piece(Piece::Argument(at))),
                _ => Value::Unknown,
            },
            ("sys.modules", Some(module)) => Value::Named(canonical(module)),
            ("builtins.globals()", Some(name)) => self.get(name),
            ("sys.modules" | "builtins.globals()", None) => Value::Hidden,
            (full, Some(name)) if full.starts_with("node.") => self.member(&Value::named(full), name),
            (full, None) if node::may_be_hidden_effect(full) => Value::Hidden,
            (full, key) if full.ends_with(".__dict__") => {
                let module = Value::named(full.trim_end_matches(".__dict__"));
                key.map_or(Value::Hidden, |name| self.member(&module, name))
            }
            _ => Value::Unknown,
        }
    }
}
