//! Validates values against JSON schemas. Supports the keywords in our schemas, and panics at any other.

use serde_json::Value;

/// Keywords that are only for people.
const SAID: [&str; 7] = ["$schema", "$defs", "title", "description", "default", "format", "examples"];

/// Returns the errors in a value. Empty if it is valid.
pub fn complaints(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let Value::Object(rules) = schema else {
        if schema != &Value::Bool(true) {
            found.push(format!("{at}: nothing may stand here"));
        }
        return;
    };
    for (keyword, rule) in rules {
        let holds = match keyword.as_str() {
            word if SAID.contains(&word) => true,
            "$ref" => {
                let place = rule.as_str().unwrap().strip_prefix('#').expect("a reference within the schema");
                check(root, root.pointer(place).expect("what is referred to is there"), value, at, found);
                true
            }
            "type" => match rule {
                Value::Array(types) => types.iter().any(|name| is_a(value, name)),
                name => is_a(value, name),
            },
            "const" => value == rule,
            "enum" => rule.as_array().unwrap().contains(value),
            "anyOf" => fitting(root, rule, value) > 0,
            "oneOf" => fitting(root, rule, value) == 1,
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= rule.as_u64().unwrap()),
            "uniqueItems" => true,
            "required" => {
                let has = |key: &Value| value.get(key.as_str().unwrap()).is_some();
                !value.is_object() || rule.as_array().unwrap().iter().all(has)
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, rule, item, &format!("{at}/{index}"), found);
                }
                true
            }
            "properties" => {
                for (key, rule) in rule.as_object().unwrap() {
                    if let Some(value) = value.get(key) {
                        check(root, rule, value, &format!("{at}/{key}"), found);
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = rules.get("properties").and_then(Value::as_object);
                for (key, value) in value.as_object().into_iter().flatten() {
                    if known.is_none_or(|known| !known.contains_key(key)) {
                        check(root, rule, value, &format!("{at}/{key}"), found);
                    }
                }
                true
            }
            "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= rule.as_u64().unwrap()),
            other => panic!("the keyword `{other}` is not known here"),
        };
        if !holds {
            found.push(format!("{at}: `{keyword}` does not hold for {value}"));
        }
    }
}

fn fitting(root: &Value, choices: &Value, value: &Value) -> usize {
    let fits = |choice: &&Value| {
        let mut found = Vec::new();
        check(root, choice, value, "", &mut found);
        found.is_empty()
    };
    choices.as_array().unwrap().iter().filter(fits).count()
}

fn is_a(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("`{other}` is no type"),
    }
}
