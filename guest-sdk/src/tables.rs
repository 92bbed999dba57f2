//! Functions for `#[serde(deserialize_with)]` that only accept tables for structs.
//!
//! Derived implementations also accept a list, with the fields in order. So `audit = []` would mean the defaults, and
//! `audit = ["all"]` would set the level.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A value in the form of a table.
struct Table<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OfTable(PhantomData)).map(Table)
    }
}

struct OfTable<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OfTable<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// Deserializes a table.
///
/// # Errors
///
/// If the value isn't a table, or isn't valid for `T`.
pub fn table<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Table::deserialize(deserializer).map(|Table(value)| value)
}

/// Deserializes a table or a JSON `null`. For optional fields, add `#[serde(default)]`.
///
/// # Errors
///
/// If the value isn't a table, or isn't valid for `T`.
pub fn optional<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<Table<T>>::deserialize(deserializer)?.map(|Table(value)| value))
}

/// Deserializes a list of tables.
///
/// # Errors
///
/// If the value isn't a list of tables, or one isn't valid for `T`.
pub fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(Vec::<Table<T>>::deserialize(deserializer)?.into_iter().map(|Table(value)| value).collect())
}

/// Deserializes a list of tables or a JSON `null`. For optional fields, add `#[serde(default)]`.
///
/// # Errors
///
/// If the value isn't a list of tables, or one isn't valid for `T`.
pub fn optional_list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    let list = Option::<Vec<Table<T>>>::deserialize(deserializer)?;
    Ok(list.map(|list| list.into_iter().map(|Table(value)| value).collect()))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Inner {
        level: Option<u8>,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Outer {
        #[serde(deserialize_with = "super::table")]
        one: Inner,
        #[serde(deserialize_with = "super::optional")]
        perhaps: Option<Inner>,
        #[serde(deserialize_with = "super::list")]
        some: Vec<Inner>,
        #[serde(deserialize_with = "super::optional_list")]
        perhaps_some: Option<Vec<Inner>>,
    }

    #[test]
    fn a_list_is_no_table() {
        let read = serde_json::from_str::<Outer>;
        for text in [
            r#"{ "one": [] }"#,
            r#"{ "perhaps": [1] }"#,
            r#"{ "some": [[1]] }"#,
            r#"{ "perhaps_some": [{}, []] }"#,
            r#"{ "one": { "levle": 1 } }"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let level = |level: u8| Inner { level: Some(level) };
        let whole =
            r#"{ "one": { "level": 1 }, "perhaps": { "level": 2 }, "some": [{ "level": 3 }], "perhaps_some": [] }"#;
        let expected =
            Outer { one: level(1), perhaps: Some(level(2)), some: vec![level(3)], perhaps_some: Some(Vec::new()) };
        assert_eq!(read(whole).unwrap(), expected);
        assert_eq!(read(r#"{ "perhaps": null, "perhaps_some": null }"#).unwrap(), Outer::default());
    }
}
