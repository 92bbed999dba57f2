//! `policy`: the results of your Rego rules.
//! The tag `rule` contains the name of your rule.
//!
//! ## Why
//! Your rules decide what they report, and why.
//!
//! ## Examples
//! - denied: `git push --force origin main`, with a text that denies forced pushes to `main`
//! - asked: `$PROGRAM x`, with a text that asks if the command is not fully understood
//! - passes: `git push --force origin topic`, with the same text
//!
//! ## Settings
//! - `text`: the rules; or use a Rego file as the settings file.
//! - `files`: modules by path; or use a folder as the settings file.
//! - `data`: the value of `data`.

use guard_sdk::serde_json::Value;
use guard_sdk::{Outcome, Rule};
use policy_input_document::RuleAnswer;

pub(crate) const RULE: Rule =
    Rule { id: "policy", summary: "the result of a rule in Rego", default: Outcome::Deny, ceiling: Outcome::Deny };

/// Returns the answers in the value of `deny`, `ask`, `warn` or `allow`.
///
/// # Errors
///
/// If the value has an unknown shape. Ignoring it might ignore a deny.
pub(crate) fn answers(outcome: Outcome, head: &str, value: &Value) -> Result<Vec<RuleAnswer>, String> {
    match value {
        Value::Null | Value::Bool(false) => Ok(Vec::new()),
        Value::Bool(true) => Ok(vec![rule_answer(outcome, head, &format!("the rule `{head}` holds"), "")]),
        Value::Array(items) => items.iter().map(|item| answer(outcome, head, item)).collect(),
        Value::Object(object) if !is_answer(value) => {
            object.iter().map(|(name, item)| answer(outcome, name, item)).collect()
        }
        one => Ok(vec![answer(outcome, head, one)?]),
    }
}

fn is_answer(value: &Value) -> bool {
    value.get("message").is_some_and(Value::is_string)
}

/// Returns the answer for one message, with or without details.
fn answer(outcome: Outcome, name: &str, value: &Value) -> Result<RuleAnswer, String> {
    let unknown = |what: &str| {
        Err(format!("`{name}` gives {what}: a message is a text, or an object with `message`, `remedy` and `rule`"))
    };
    match value {
        Value::String(message) => Ok(rule_answer(outcome, name, message, "")),
        Value::Object(object) => {
            let text = |key: &str| match object.get(key) {
                None => Ok(None),
                Some(Value::String(text)) => Ok(Some(text.as_str())),
                Some(other) => {
                    unknown(&format!("an object whose `{key}` is {}", kind(other))).map(|_: RuleAnswer| None)
                }
            };
            match object.keys().find(|key| !matches!(key.as_str(), "message" | "remedy" | "rule")) {
                Some(key) => unknown(&format!("an object with `{key}`")),
                None => match text("message")? {
                    Some(message) => {
                        let name = text("rule")?.unwrap_or(name);
                        Ok(rule_answer(outcome, name, message, text("remedy")?.unwrap_or_default()))
                    }
                    None => unknown("an object without `message`"),
                },
            }
        }
        other => unknown(kind(other)),
    }
}

fn rule_answer(outcome: Outcome, rule: &str, message: &str, remedy: &str) -> RuleAnswer {
    RuleAnswer { outcome, rule: rule.to_owned(), message: message.to_owned(), remedy: remedy.to_owned() }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use guard_sdk::serde_json::json;

    use super::*;

    fn told(value: &Value) -> Result<Vec<[String; 3]>, String> {
        let said = answers(Outcome::Ask, "ask", value)?;
        assert!(said.iter().all(|one| one.outcome == Outcome::Ask));
        Ok(said.into_iter().map(|one| [one.rule, one.message, one.remedy]).collect())
    }

    fn row(rule: &str, message: &str, remedy: &str) -> [String; 3] {
        [rule, message, remedy].map(str::to_owned)
    }

    #[test]
    fn every_described_shape_is_read() {
        assert_eq!(told(&json!(["a", { "message": "b", "remedy": "c", "rule": "d" }])), {
            Ok(vec![row("ask", "a", ""), row("d", "b", "c")])
        });
        assert_eq!(told(&json!({ "x": "a", "y": { "message": "b" } })), {
            Ok(vec![row("x", "a", ""), row("y", "b", "")])
        });
        assert_eq!(told(&json!("a")), Ok(vec![row("ask", "a", "")]));
        assert_eq!(told(&json!({ "message": "a", "rule": "r" })), Ok(vec![row("r", "a", "")]));
        assert_eq!(told(&json!(true)), Ok(vec![row("ask", "the rule `ask` holds", "")]));
        for nothing in [json!(false), json!(null), json!([]), json!({})] {
            assert_eq!(told(&nothing), Ok(Vec::new()), "{nothing}");
        }
    }

    #[test]
    fn another_shape_is_an_error_and_never_silence() {
        for (value, part) in [
            (json!(1), "`ask` gives a number"),
            (json!([1]), "`ask` gives a number"),
            (json!([["a"]]), "`ask` gives a list"),
            (json!([null]), "`ask` gives null"),
            (json!({ "x": true }), "`x` gives a boolean"),
            (json!([{ "msg": "a" }]), "`ask` gives an object with `msg`"),
            (json!([{ "rule": "a" }]), "`ask` gives an object without `message`"),
            (json!([{ "message": 1 }]), "`ask` gives an object whose `message` is a number"),
            (json!([{ "message": "a", "remedy": [] }]), "`ask` gives an object whose `remedy` is a list"),
        ] {
            let error = told(&value).unwrap_err();
            assert!(error.starts_with(part), "{value}: {error}");
        }
    }
}
