//! Parses JSON without duplicate keys.

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Parses an object. The error is the position, as `LINE:COLUMN`, and the text.
pub(super) fn object(text: &str) -> Result<Value, (String, String)> {
    serde_json::from_str::<UniqueKeys>(text).map(|UniqueKeys(value)| value).map_err(|error| placed(&error))
}

/// Parses any value. The error is as for [`object`].
pub(super) fn any_value(text: &str) -> Result<Value, (String, String)> {
    serde_json::from_str::<NestedValue>(text).map(|NestedValue(value)| value).map_err(|error| placed(&error))
}

/// Returns the `LINE:COLUMN` of an error, and its text.
fn placed(error: &serde_json::Error) -> (String, String) {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let text = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text).to_owned();
    (format!("{line}:{column}"), text)
}

/// A JSON object without duplicate keys, because one of two would be silently ignored.
struct UniqueKeys(Value);

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UniqueVisitor).map(UniqueKeys)
    }
}

/// A nested value.
struct NestedValue(Value);

impl<'de> Deserialize<'de> for NestedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(NestedValue)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, NestedValue(value))) = access.next_entry::<String, NestedValue>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("duplicate key `{key}`")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(NestedValue(value)) = access.next_element()? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}
