//! Payloads kept as fixtures, for `hook --record`: without secrets, without names of this machine, one a shape.
//!
//! Works after the reply and changes nothing about it. What cannot be written is not written.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::cache::hex;
use crate::call::Circumstances;
use crate::files::put;
use crate::redact::{redact, shorten};

/// The most files in the folder of one harness.
const FILES: usize = 200;

/// The largest file.
const FILE_BYTES: usize = 64 << 10;

/// The longest text of one value.
const TEXT_BYTES: usize = 4000;

/// Deeper values are left out.
const DEPTH: usize = 32;

/// What stands in the place of a secret.
const MARK: &str = "[redacted]";

/// Keeps a payload below a folder, unless one of its shape is there. A folder that is not absolute lies below `cwd`.
pub(super) fn keep(cwd: &str, folder: &Path, harness: &str, payload: &Map<String, Value>, at: &Circumstances) {
    let folder = Path::new(cwd).join(folder).join(harness);
    let mut roots =
        vec![(at.project_root.clone(), "/repo"), (at.home.clone(), "/home/u"), (at.account_home.clone(), "/home/u")];
    // A project may lie in the home, and the other way round.
    roots.sort_by_key(|(root, _)| std::cmp::Reverse(root.len()));
    let roots = roots.as_slice();
    // Nobody waits for this, and nobody is told.
    let count = std::fs::read_dir(&folder).map_or(0, |files| files.take(FILES).count());
    let clean = object(payload, roots, DEPTH);
    let Ok(mut text) = serde_json::to_string_pretty(&clean) else { return };
    text.push('\n');
    if count < FILES && text.len() <= FILE_BYTES {
        let _ = put(&folder, &PathBuf::from(name(payload)), text.as_bytes(), false);
    }
}

/// The event and the tool, for people, and the digest of the shape.
fn name(payload: &Map<String, Value>) -> String {
    const EVENTS: [&str; 6] =
        ["hook_event_name", "hookEventName", "hookName", "agent_action_name", "event", "hook_event"];
    const TOOLS: [&str; 3] = ["tool_name", "toolName", "tool"];
    let told = |keys: &[&str]| keys.iter().find_map(|key| payload.get(*key)?.as_str());
    let within = |key: &str, name: &str| payload.get(key)?.get(name)?.as_str();
    let tool = told(&TOOLS).or_else(|| within("toolCall", "name")).or_else(|| within("preToolUse", "toolName"));
    let mut shape = String::new();
    paths(&Value::Object(payload.clone()), "", DEPTH, &mut shape);
    shape.push_str(tool.unwrap_or_default());
    let digest: String = hex(&Sha256::digest(&shape)).chars().take(8).collect();
    let plain = |text: &str| -> String {
        let part = text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40);
        part.map(|c| if c == '_' { '-' } else { c.to_ascii_lowercase() }).collect()
    };
    let parts = [told(&EVENTS).map(plain), tool.map(plain), Some(digest)];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    format!("{}.in.json", parts.join("-"))
}

/// Every key and the kind of its value; of a list what its first element is.
fn paths(value: &Value, at: &str, depth: usize, found: &mut String) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "flag",
        Value::Number(_) => "number",
        // Which event it is belongs to the shape.
        Value::String(text) if at.to_ascii_lowercase().ends_with("event_name") => text,
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    };
    found.push_str(&format!("{at}={kind}\n"));
    match value {
        Value::Array(values) => values.iter().take(1).for_each(|value| paths(value, &format!("{at}[]"), depth, found)),
        Value::Object(map) => map.iter().for_each(|(key, value)| paths(value, &format!("{at}.{key}"), depth, found)),
        _ => {}
    }
}

fn object(map: &Map<String, Value>, roots: &[(String, &'static str)], depth: usize) -> Map<String, Value> {
    map.iter().map(|(key, value)| (clean(key, roots), of_key(key, value, roots, depth))).collect()
}

/// A value under a key that may say that it is a secret, or who somebody is.
fn of_key(key: &str, value: &Value, roots: &[(String, &'static str)], depth: usize) -> Value {
    let lower = key.to_ascii_lowercase();
    match value {
        Value::String(text) if !text.is_empty() && (lower.ends_with("id") || lower.ends_with("email")) => {
            Value::from(key)
        }
        Value::String(_) if redact(&format!("{key}=anything")) == format!("{key}={MARK}") => MARK.into(),
        _ => value_of(value, roots, depth),
    }
}

fn value_of(value: &Value, roots: &[(String, &'static str)], depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::Null };
    match value {
        Value::String(text) => clean(text, roots).into(),
        Value::Array(values) => values.iter().map(|value| value_of(value, roots, depth)).collect(),
        Value::Object(map) => Value::Object(object(map, roots, depth)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A text without secrets and without the places of this machine.
fn clean(text: &str, roots: &[(String, &'static str)]) -> String {
    // JSON in a text holds keys that tell secrets.
    if let Some(inner) = serde_json::from_str::<Map<String, Value>>(text).ok().filter(|_| text.starts_with('{')) {
        return Value::Object(object(&inner, roots, DEPTH / 4)).to_string();
    }
    let mut text = redact(text);
    for (root, other) in roots.iter().filter(|(root, _)| root.len() > 1) {
        text = moved(&text, root, |_| Some((*other).to_owned()));
    }
    for homes in ["/home/", "/Users/"] {
        text = moved(&text, homes, |user| (!user.is_empty()).then(|| format!("{homes}u")));
    }
    shorten(&text, TEXT_BYTES)
}

/// The text with each folder `root`, as a whole name, replaced. A `root` with a slash at its end takes the next name with
/// it, which is given to `other`.
fn moved(text: &str, root: &str, other: impl Fn(&str) -> Option<String>) -> String {
    let of_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(root) {
        out.push_str(before);
        let end = if root.ends_with('/') { after.find(|c| !of_name(c)).unwrap_or(after.len()) } else { 0 };
        let (user, left) = after.split_at_checked(end).unwrap_or(("", after));
        let whole = root.ends_with('/') || !left.starts_with(of_name);
        match other(user).filter(|_| whole && !out.ends_with(of_name)) {
            Some(other) => out.push_str(&other),
            None => out.extend([root, user]),
        }
        rest = left;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn roots() -> Vec<(String, &'static str)> {
        vec![("/home/bob/code/app".to_owned(), "/repo"), ("/home/bob".to_owned(), "/home/u")]
    }

    fn cleaned(payload: Value) -> Value {
        let Value::Object(map) = payload else { panic!("an object") };
        Value::Object(object(&map, &roots(), DEPTH))
    }

    #[test]
    fn secrets_and_places_of_the_machine_are_gone() {
        let payload = json!({
            "session_id": "5f0c", "user_email": "bob@example.org", "cwd": "/home/bob/code/app/src",
            "transcript_path": "/home/bob/.claude/projects/x.jsonl",
            "tool_name": "Bash", "n": 3,
            "tool_input": {
                "command": "cat /home/bobby/x /Users/eve/y; curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789'",
                "env": { "API_TOKEN": "hunter2", "HOME": "/home/bob" },
            },
            "toolArgs": "{\"password\": \"hunter2\", \"path\": \"/home/bob/code/app-2/x\"}",
        });
        let clean = cleaned(payload);
        assert_eq!((&clean["session_id"], &clean["user_email"]), (&json!("session_id"), &json!("user_email")));
        assert_eq!((&clean["cwd"], &clean["n"]), (&json!("/repo/src"), &json!(3)));
        assert_eq!(clean["transcript_path"], "/home/u/.claude/projects/x.jsonl");
        assert_eq!(clean["tool_input"]["env"], json!({ "API_TOKEN": "[redacted]", "HOME": "/home/u" }));
        assert_eq!(clean["toolArgs"], "{\"password\":\"[redacted]\",\"path\":\"/home/u/code/app-2/x\"}");
        let text = clean.to_string();
        for word in ["hunter2", "abcdefghij", "bob", "eve", "5f0c"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
        assert!(text.contains("cat /home/u/x /Users/u/y; curl -H "), "{text}");
    }

    #[test]
    fn one_name_a_shape() {
        let of = |payload: Value| name(payload.as_object().unwrap());
        let payload = |event: &str, command: &str| json!({ "hook_event_name": event, "tool_name": "Bash", "tool_input": { "command": command } });
        let first = of(payload("PreToolUse", "ls"));
        assert!(first.starts_with("pretooluse-bash-") && first.ends_with(".in.json"), "{first}");
        assert_eq!(first, of(payload("PreToolUse", "rm -rf /")));
        assert_ne!(first, of(payload("PostToolUse", "ls")));
        assert_ne!(first, of(json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {} })));
        assert!(of(json!({ "tool_name": "../../x", "event": "/" })).starts_with("x-"));
    }
}
