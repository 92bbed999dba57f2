//! JSON schemas of the files that users write, generated from the types that parse them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::suite::Suite;
use guard_config::options::Options;

/// Returns the schema of `guard.toml`.
#[must_use]
pub fn config_schema() -> Value {
    root_schema::<Options>("guard.toml: the configuration of guard-host")
}

/// Returns the schema of a policy's test cases.
#[must_use]
pub fn fixtures_schema() -> Value {
    root_schema::<Suite>("Cases of a policy, for `guard-host test`")
}

fn root_schema<T: JsonSchema>(title: &str) -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
    remove_null(&mut schema);
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), title.into());
    }
    schema
}

/// Removes `null`. A missing key is `None` when it is parsed, and TOML has no `null`.
fn remove_null(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(remove_null),
        Value::Object(object) => {
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    object.extend(only);
                }
            }
            object.values_mut().for_each(remove_null);
        }
        _ => {}
    }
}
