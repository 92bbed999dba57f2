//! [`Value`]: what is known of a value of Python.

use std::collections::BTreeMap;

use super::calls::Args;
use crate::{Piece, Text};

pub(super) type Names = BTreeMap<String, Value>;

/// The maximum number of elements of a list, and of alternatives.
pub(super) const ELEMENTS: usize = 256;
const ALTERNATIVES: usize = 16;
/// The maximum size of a value.
const HEAVY: usize = 1 << 16;
/// Values inside each other.
const DEEP: usize = 6;

/// An object of the script, or a class.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Object {
    /// The place of its class, if it is an object of one.
    pub(super) class: Option<usize>,
    pub(super) fields: Names,
    /// Fields that it may have or not.
    pub(super) loose: Vec<String>,
    /// The bases of a class.
    pub(super) bases: Vec<Value>,
    /// The fields of a class that stand with their types, in their order.
    pub(super) row: Vec<String>,
    /// The place of an object that stands for all objects of this class; an object has none.
    pub(super) any: Option<usize>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Value {
    #[default]
    Unknown,
    /// Something that was looked up by a name that is not known, or past the names: calling it may do anything.
    Hidden,
    None,
    Bool(bool),
    Int(i64),
    /// A text, or bytes.
    Text(Text),
    /// An object of `pathlib`.
    Path(Text),
    List(Vec<Value>),
    Dict(Vec<(Value, Value)>),
    /// A row of an unknown number of these.
    Many(Box<Value>),
    OneOf(Vec<Value>),
    /// A module or what it holds, by its full name.
    Named(String),
    /// A member of a value, by name.
    Method(Box<Value>, String),
    /// A function of the script.
    Function(usize),
    /// A callable that has some of its arguments.
    Partial(Box<Value>, Box<Args>),
    /// A member that an unknown value may have: a method of a class of the script.
    Guess(Box<Value>),
    /// A reference to the place of a value that can be changed under each of its names: a row, a table, an object or a
    /// class.
    Ref(usize),
    /// The object at such a place.
    Object(Box<Object>),
    /// An object as its class's bases see it: the object, and the place of the class.
    Super(Box<Value>, usize),
    /// An open file, and where it lies.
    File(Text),
    /// A client of a server.
    Client,
}

impl Value {
    pub(super) fn text(text: &str) -> Value {
        Value::Text(Text::literal(text))
    }

    pub(super) fn piece(piece: Piece) -> Value {
        Value::Text(Text::of(piece))
    }

    pub(super) fn named(name: &str) -> Value {
        Value::Named(name.to_owned())
    }

    pub(super) fn many(value: Value) -> Value {
        Value::Many(Box::new(value))
    }

    /// One of several; equal ones are one.
    pub(super) fn join(values: impl IntoIterator<Item = Value>) -> Value {
        let mut found: Vec<Value> = Vec::new();
        for value in values {
            let parts = match value {
                Value::OneOf(values) => values,
                value => vec![value],
            };
            for part in parts {
                if !found.contains(&part) {
                    found.push(part);
                }
            }
        }
        if found.len() > ALTERNATIVES {
            let lost = found.split_off(ALTERNATIVES);
            let open = if lost.iter().any(Value::acts) { Value::Hidden } else { Value::Unknown };
            if !found.contains(&open) {
                found.push(open);
            }
        }
        match found.len() {
            0 => Value::Unknown,
            1 => found.swap_remove(0),
            _ => Value::OneOf(found),
        }
    }

    /// Its alternatives, one by one.
    pub(super) fn alternatives(&self) -> &[Value] {
        match self {
            Value::OneOf(values) => values,
            value => std::slice::from_ref(value),
        }
    }

    /// The text that it is as an argument of a call, or as a part of another text.
    pub(super) fn to_text(&self) -> Option<Text> {
        match self {
            Value::Text(text) | Value::Path(text) => Some(text.clone()),
            Value::Int(number) => Some(Text::literal(&number.to_string())),
            Value::Bool(true) => Some(Text::literal("True")),
            Value::Bool(false) => Some(Text::literal("False")),
            Value::None => Some(Text::literal("None")),
            _ => None,
        }
    }

    /// The same, with what is not known as a part that is not.
    pub(super) fn to_text_part(&self) -> Text {
        self.to_text().unwrap_or_else(|| Text::of(Piece::Unknown))
    }

    /// The text, if all of it is known.
    pub(super) fn known_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Path(text) => text.known(),
            _ => None,
        }
    }

    /// Returns whether calling it may do something that counts.
    pub(super) fn is_callable(&self) -> bool {
        match self {
            Value::Function(_) | Value::Partial(..) | Value::Method(..) | Value::Hidden => true,
            Value::Ref(_) | Value::Guess(_) => true,
            Value::Named(name) => super::library::call_effect(name).is_some(),
            Value::OneOf(values) => values.iter().any(Value::is_callable),
            _ => false,
        }
    }

    /// Returns whether calling it does something that counts, as far as can be seen.
    fn acts(&self) -> bool {
        match self {
            Value::Method(base, _) => base.acts() || matches!(**base, Value::Path(_)),
            Value::Ref(_) => false,
            Value::OneOf(values) => values.iter().any(Value::acts),
            value => value.is_callable(),
        }
    }

    /// Its elements in order, if it is a row that is known.
    pub(super) fn elements(&self) -> Option<Vec<Value>> {
        match self {
            Value::List(values) => Some(values.clone()),
            Value::Dict(items) => Some(items.iter().map(|(key, _)| key.clone()).collect()),
            Value::Text(text) if text.known().is_some_and(|text| text.len() <= ELEMENTS) => {
                Some(text.known()?.chars().map(|char| Value::text(&char.to_string())).collect())
            }
            _ => None,
        }
    }

    /// The join of its elements.
    pub(super) fn element(&self) -> Value {
        match self {
            Value::Many(value) => (**value).clone(),
            Value::Hidden => Value::Hidden,
            // A row that is empty gives nothing.
            Value::OneOf(values) => {
                let empty = |value: &&Value| value.elements().is_none_or(|elements| !elements.is_empty());
                Value::join(values.iter().filter(empty).map(Value::element))
            }
            value => value.elements().map_or(Value::Unknown, Value::join),
        }
    }

    /// Returns whether nothing is known of it, or of one that it may be.
    pub(super) fn is_open(&self) -> bool {
        self.alternatives().iter().any(|value| matches!(value, Value::Unknown | Value::Hidden))
    }

    /// A row or a table, which can be changed.
    pub(super) fn is_row(&self) -> bool {
        matches!(self, Value::List(_) | Value::Dict(_) | Value::Many(_))
    }

    /// Without what would be nested too deeply, or would be too much.
    pub(super) fn truncate(self) -> Value {
        match self {
            value if !value.is_deeper(DEEP) && value.weight(DEEP) <= HEAVY => value,
            value if value.contains_callable(4 * DEEP) => Value::Hidden,
            _ => Value::Unknown,
        }
    }

    fn contains_callable(&self, left: usize) -> bool {
        let Some(left) = left.checked_sub(1) else { return true };
        self.acts() || self.parts().into_iter().any(|part| part.contains_callable(left))
    }

    /// Returns whether it shares something that can be changed.
    pub(super) fn contains_place(&self) -> bool {
        matches!(self, Value::Ref(_) | Value::Function(_)) || self.parts().into_iter().any(Value::contains_place)
    }

    pub(super) fn parts(&self) -> Vec<&Value> {
        match self {
            Value::List(values) | Value::OneOf(values) => values.iter().collect(),
            Value::Dict(items) => items.iter().flat_map(|(key, value)| [key, value]).collect(),
            Value::Many(value) | Value::Method(value, _) | Value::Super(value, _) | Value::Guess(value) => vec![value],
            Value::Partial(value, args) => {
                let named = args.named.iter().map(|(_, value)| value);
                std::iter::once(&**value).chain(&args.values).chain(named).collect()
            }
            Value::Object(object) => object.fields.values().chain(&object.bases).collect(),
            _ => Vec::new(),
        }
    }

    fn is_deeper(&self, left: usize) -> bool {
        let Some(left) = left.checked_sub(1) else { return true };
        self.parts().into_iter().any(|part| part.is_deeper(left))
    }

    /// How much it holds.
    pub(super) fn weight(&self, left: usize) -> usize {
        let own = match self {
            Value::Text(text) | Value::Path(text) | Value::File(text) => text.weight(),
            Value::Named(name) | Value::Method(_, name) => name.len(),
            _ => 1,
        };
        let Some(left) = left.checked_sub(1) else { return own };
        own + self.parts().into_iter().map(|part| part.weight(left)).sum::<usize>()
    }
}
