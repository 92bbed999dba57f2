//! Redacts a call's secrets in policies' answers, and prevents policies from imitating others.
//!
//! A policy sees the whole call and may quote any part of it, changed or not. The policy's own text isn't redacted.

use serde_json::{Map, Value};

use guard_contract::call::{CallContext, PATH_KEYS, ToolCall};
use guard_contract::policy::{Entry, Source};
use guard_contract::syntax::{Analysis, Word};
use guard_contract::verdict::{CALLED, WATCHED};
use guard_contract::{Decision, outcome_named};
use guard_harness::text;
use guard_redact::{Secrets, may_name_secret, shorten};

/// The maximum length of a finding's text. Replies never show more.
const TEXT_BYTES: usize = 4 << 10;

/// Finds the secrets of a call: in its input, its context, and the commands that it runs.
#[must_use]
pub fn secrets(call: &ToolCall, at: &CallContext, analysis: Option<&Analysis>) -> Secrets {
    let mut secrets = Secrets::default();
    let is_setter = sets_secrets(&call.tool);
    let pair = pair(&call.input, is_setter);
    let path = call.paths().next().unwrap_or_default();
    for (key, value) in &call.input {
        let path = if PATH_KEYS.contains(&key.as_str()) { "" } else { path };
        learn_field(&mut secrets, (key, value), pair, path, is_setter);
    }
    for text in [&call.tool, &call.original_tool, &at.cwd, &at.session] {
        secrets.learn(text);
    }
    for command in analysis.iter().flat_map(|analysis| &analysis.commands) {
        let words: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
        secrets.learn_words(&words);
        for Word { text, .. } in command.redirections.iter().map(|redirection| &redirection.target) {
            secrets.learn(text);
        }
        for assignment in &command.assignments {
            secrets.learn_value(&assignment.name, &assignment.value.text);
        }
    }
    for script in analysis.iter().flat_map(|analysis| &analysis.scripts) {
        secrets.learn(&script.text);
    }
    secrets
}

/// Adds the secrets in a value that is written to the file at `path`. The depth is limited by the JSON parser, to 128.
/// `is_setter`: the tool sets secrets.
fn learn(secrets: &mut Secrets, key: &str, value: &Value, path: &str, is_setter: bool) {
    match value {
        Value::String(text) => {
            secrets.learn_value(key, text);
            secrets.learn_written(path, text);
        }
        Value::Number(number) => secrets.learn_value(key, &number.to_string()),
        Value::Array(values) => values.iter().for_each(|value| learn(secrets, key, value, path, is_setter)),
        Value::Object(map) => {
            let pair = pair(map, is_setter);
            map.iter().for_each(|(key, value)| {
                secrets.learn(key);
                learn_field(secrets, (key, value), pair, path, is_setter);
            });
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Adds the secrets in a field of an object. `pair` is the secret's name if the object's `value` is a secret.
fn learn_field(secrets: &mut Secrets, (key, value): (&str, &Value), pair: Option<&str>, path: &str, is_setter: bool) {
    match (pair, value) {
        (Some(name), Value::String(text)) if matches!(key, "val" | "value") => secrets.learn_value(name, text),
        _ => learn(secrets, key, value, path, is_setter),
    }
}

/// Returns the secret's name in an object such as `{"name": "DB_PASSWORD", "value": "..."}`.
fn pair(map: &Map<String, Value>, is_setter: bool) -> Option<&str> {
    let mut names = ["name", "key"].into_iter().filter_map(|key| map.get(key)?.as_str());
    if is_setter { Some("secret") } else { names.find(|name| may_name_secret(name)) }
}

/// Returns whether a tool sets a secret or an environment variable: `mcp__x__add_secret`, `mcp__x__create_env`.
fn sets_secrets(tool: &str) -> bool {
    let Some((_, name)) = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) else { return false };
    let name = name.to_ascii_lowercase();
    let has = |words: &[&str]| name.split(['_', '-']).any(|part| words.contains(&part));
    has(&["add", "create", "put", "set", "update", "upsert"]) && has(&["env", "envs", "secret", "secrets"])
}

/// Redacts a call's secrets in its analysis, for display.
#[must_use]
pub fn without_secrets(analysis: &Analysis, secrets: &Secrets) -> Option<Analysis> {
    // Keys whose values are words of the contract, which are never redacted.
    const FIXED: [&str; 6] = ["severity", "coverage", "exists", "kind", "operation", "operator"];
    fn hide(value: &mut Value, secrets: &Secrets) {
        match value {
            Value::String(text) => *text = secrets.hide_word(text),
            Value::Array(values) => values.iter_mut().for_each(|value| hide(value, secrets)),
            Value::Object(map) => {
                let variable_keys = map.iter_mut().filter(|(key, _)| !FIXED.contains(&key.as_str()));
                variable_keys.for_each(|(_, value)| hide(value, secrets));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut value = serde_json::to_value(analysis).ok()?;
    hide(&mut value, secrets);
    serde_json::from_value(value).ok()
}

/// Redacts the secrets in every text of a decision.
pub(crate) fn clean(decision: &mut Decision, secrets: &Secrets) {
    let hide = |text: &mut String| {
        if !text.is_empty() {
            *text = secrets.hide(&shorten(text, TEXT_BYTES));
        }
    };
    for finding in &mut decision.findings {
        hide(&mut finding.message);
        hide(&mut finding.remedy);
        for (name, value) in &mut finding.tags {
            hide(name);
            hide(value);
        }
    }
}

/// Limits the texts of a third-party policy to lines that are clearly its own.
pub(crate) fn confine(decision: &mut Decision, entry: &Entry) {
    for finding in &mut decision.findings {
        finding.message = text::confine_text(&finding.message, &entry.name);
        finding.remedy = text::confine_text(&finding.remedy, &entry.name);
        finding.tags.retain(|(name, _)| name != CALLED && name != WATCHED);
        // Built-in policies that evaluate user rules have one rule of their own, and report the user's rule's name. A
        // rule without a name is named after its outcome.
        let is_plain = |name: &str| {
            name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.')) && outcome_named(name).is_none()
        };
        let own = finding.tags.iter().find(|(name, value)| name == "rule" && is_plain(value));
        if let (Source::Builtin(_), Some((_, own))) = (&entry.source, own) {
            finding.tags.push((CALLED.to_owned(), own.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{CallContext, ToolCall, secrets};

    /// Returns the value's text in its field, with the call's secrets redacted.
    fn shown(tool: &str, input: &Value, value: &str) -> String {
        let call = ToolCall::new(tool, input.as_object().cloned().unwrap_or_default());
        secrets(&call, &CallContext::default(), None).hide_under("value", value)
    }

    #[test]
    fn a_value_beside_the_name_of_a_secret_is_hidden() {
        for (tool, input) in [
            ("mcp__a__call", json!({"name": "DB_PASSWORD", "value": "whale"})),
            ("mcp__a__call", json!({"vars": [{"key": "API_TOKEN", "value": "whale"}]})),
            ("mcp__a__add_secret", json!({"secrets": [{"name": "A", "value": "whale"}]})),
            ("mcp__a__create_env", json!({"key": "A", "value": "whale"})),
        ] {
            assert!(!shown(tool, &input, "whale").contains("whale"), "{input}");
        }
        for (tool, input) in [
            ("mcp__a__call", json!({"name": "COLOR", "value": "whale"})),
            ("mcp__a__list_secrets", json!({"name": "COLOR", "value": "whale"})),
            ("mcp__a__call", json!({"name": "DB_PASSWORD", "value": "true"})),
        ] {
            assert!(shown(tool, &input, "whale").contains("whale"), "{input}");
        }
    }
}
