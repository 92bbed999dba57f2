//! Takes the secrets of a call out of what policies say of it, and keeps policies from speaking as others.
//!
//! A policy sees the call as it is and may quote any piece of it, changed or not. Its own words stay as they are.

use serde_json::{Map, Value};

use guard_contract::call::{CallContext, PATH_KEYS, ToolCall};
use guard_contract::policy::{Entry, Source};
use guard_contract::syntax::{Analysis, Word};
use guard_contract::verdict::{CALLED, WATCHED};
use guard_contract::{Decision, outcome_named};
use guard_harness::text;
use guard_redact::{Secrets, may_name_secret, shorten};

/// The longest text of a finding that is kept. No reply shows more of it.
const TEXT_BYTES: usize = 4 << 10;

/// The secrets of a call: those of its input, of where it happens, and of the commands that it comes to.
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

/// Learns the texts of a value that is written into the file at `path`. As deep as the reader of JSON goes, which is 128.
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

/// Learns a field of an object whose `value` is a secret of the name `pair`.
fn learn_field(secrets: &mut Secrets, (key, value): (&str, &Value), pair: Option<&str>, path: &str, is_setter: bool) {
    match (pair, value) {
        (Some(name), Value::String(text)) if matches!(key, "val" | "value") => secrets.learn_value(name, text),
        _ => learn(secrets, key, value, path, is_setter),
    }
}

/// The name of the secret in an object such as `{"name": "DB_PASSWORD", "value": "..."}`.
fn pair(map: &Map<String, Value>, is_setter: bool) -> Option<&str> {
    let mut names = ["name", "key"].into_iter().filter_map(|key| map.get(key)?.as_str());
    if is_setter { Some("secret") } else { names.find(|name| may_name_secret(name)) }
}

/// Whether a tool sets a secret or a variable of an environment: `mcp__x__add_secret`, `mcp__x__create_env`.
fn sets_secrets(tool: &str) -> bool {
    let Some((_, name)) = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) else { return false };
    let name = name.to_ascii_lowercase();
    let has = |words: &[&str]| name.split(['_', '-']).any(|part| words.contains(&part));
    has(&["add", "create", "put", "set", "update", "upsert"]) && has(&["env", "envs", "secret", "secrets"])
}

/// The analysis of a call without its secrets, to be shown.
#[must_use]
pub fn without_secrets(analysis: &Analysis, secrets: &Secrets) -> Option<Analysis> {
    // Words of the contract, whatever the call holds.
    const FIXED: [&str; 6] = ["severity", "coverage", "exists", "kind", "operation", "operator"];
    fn hide(value: &mut Value, secrets: &Secrets) {
        match value {
            Value::String(text) => *text = secrets.hide_word(text),
            Value::Array(values) => values.iter_mut().for_each(|value| hide(value, secrets)),
            Value::Object(map) => {
                let given = map.iter_mut().filter(|(key, _)| !FIXED.contains(&key.as_str()));
                given.for_each(|(_, value)| hide(value, secrets));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut value = serde_json::to_value(analysis).ok()?;
    hide(&mut value, secrets);
    serde_json::from_value(value).ok()
}

/// Takes the secrets out of every text of a decision.
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

/// Confines the texts of a policy of others to lines that are plainly its own.
pub(crate) fn confine(decision: &mut Decision, entry: &Entry) {
    for finding in &mut decision.findings {
        finding.message = text::confined(&finding.message, &entry.name);
        finding.remedy = text::confined(&finding.remedy, &entry.name);
        finding.tags.retain(|(name, _)| name != CALLED && name != WATCHED);
        // The built-in policies that read rules have one rule of their own, and tell the name of the user's. One without
        // a name is called by its outcome.
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

    /// The value in the text of the field that has it, without the secrets of the call.
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
