//! Records payloads as fixtures, for `hook --record`: without secrets and names of this machine, one for each shape.
//!
//! Runs after the reply and doesn't affect it. Errors are ignored.

use std::path::Path;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use guard_contract::call::CallContext;
use guard_platform::paths::native;
use guard_redact::{may_name_secret, redact, shorten};
use guard_state::files::write_in_folder;
use guard_state::hex;

/// The maximum number of files for one harness.
const FILES: usize = 200;

/// The maximum size of a file in bytes.
const FILE_BYTES: usize = 64 << 10;

/// The maximum length of one value's text.
const TEXT_BYTES: usize = 4000;

/// The maximum depth. Deeper values are dropped.
const DEPTH: usize = 32;

/// Keys, without `_` and `-`, whose value identifies a user or a machine.
const WHO: &[&str] = &["user", "username", "login", "logname", "account", "accountname", "host", "hostname"];

/// The replacement for a secret.
const MARK: &str = "[redacted]";

/// Records a payload below a folder, unless one of its shape exists. A relative folder is below `cwd`.
pub(super) fn keep(cwd: &str, folder: &Path, harness: &str, payload: &Map<String, Value>, at: &CallContext) {
    let folder = native(cwd).join(folder);
    let mut roots =
        vec![(at.project_root.clone(), "/repo"), (at.home.clone(), "/home/u"), (at.account_home.clone(), "/home/u")];
    // A project may be in the home, and vice versa.
    roots.sort_by_key(|(root, _)| std::cmp::Reverse(root.len()));
    let roots = roots.as_slice();
    // Errors can't be reported here.
    let count = std::fs::read_dir(folder.join(harness)).map_or(0, |files| files.take(FILES).count());
    let clean = object(payload, roots, DEPTH);
    let Ok(mut text) = serde_json::to_string_pretty(&clean) else { return };
    text.push('\n');
    if count < FILES && text.len() <= FILE_BYTES {
        // Written relative to the folder, so that a link instead of the harness's folder can't lead out of it.
        let _ = write_in_folder(&folder, &Path::new(harness).join(name(payload)), text.as_bytes(), false);
    }
}

/// Returns the file's name: event and tool, for people, and the digest of the shape.
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

/// Appends every key and the type of its value. For a list, the type of its first element.
fn paths(value: &Value, at: &str, depth: usize, found: &mut String) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "flag",
        Value::Number(_) => "number",
        // The event's name is a part of the shape.
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
    map.iter().map(|(key, value)| (clean(key, roots), redact_keyed(key, value, roots, depth))).collect()
}

/// Redacts a value if its key says that it is a secret or identifies a person.
fn redact_keyed(key: &str, value: &Value, roots: &[(String, &'static str)], depth: usize) -> Value {
    let lower = key.to_ascii_lowercase();
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        _ if may_name_secret(key) => MARK.into(),
        _ if WHO.contains(&lower.replace(['_', '-'], "").as_str()) => anonymize(key, value, roots, depth),
        Value::String(text) if !text.is_empty() && (lower.ends_with("id") || lower.ends_with("email")) => {
            Value::from(key)
        }
        _ => value_of(value, roots, depth),
    }
}

/// Anonymizes a value that identifies a person: every text in it is replaced by its key.
fn anonymize(key: &str, value: &Value, roots: &[(String, &'static str)], depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::Null };
    match value {
        Value::String(text) if !text.is_empty() => Value::from(key),
        Value::Array(values) => values.iter().map(|value| anonymize(key, value, roots, depth)).collect(),
        Value::Object(map) => {
            let of = |(key, value): (&String, &Value)| {
                let value = if may_name_secret(key) { MARK.into() } else { anonymize(key, value, roots, depth) };
                (clean(key, roots), value)
            };
            Value::Object(map.iter().map(of).collect())
        }
        _ => value.clone(),
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

/// Returns a text without secrets and without this machine's paths.
fn clean(text: &str, roots: &[(String, &'static str)]) -> String {
    // JSON in a text has keys that identify secrets.
    if let Some(inner) = serde_json::from_str::<Value>(text).ok().filter(|_| text.starts_with(['{', '['])) {
        return value_of(&inner, roots, DEPTH / 4).to_string();
    }
    let mut text = redact(text);
    for (root, other) in roots.iter().filter(|(root, _)| root.len() > 1) {
        text = moved(&text, root, other);
    }
    for home in HOMES {
        text = home.emptied(&text);
    }
    shorten(&text, TEXT_BYTES)
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// Replaces the folder `root` in a text where it is a whole path.
fn moved(text: &str, root: &str, other: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(root) {
        out.push_str(before);
        let whole = !after.starts_with(is_name_char) && !out.ends_with(is_name_char);
        out.push_str(if whole { other } else { root });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A prefix that is followed by a user's name.
struct Home {
    start: &'static str,
    /// Whether it can be at any depth.
    deep: bool,
}

/// Parents of home directories. The name after it becomes `u` in a fixture.
const HOMES: &[Home] = &[
    Home { start: "/home/", deep: false },
    Home { start: "/Users/", deep: false },
    Home { start: r"\Users\", deep: false },
    Home { start: r"\\Users\\", deep: false },
    Home { start: r"\users\", deep: false },
    Home { start: "/var/folders/", deep: true },
    Home { start: "~", deep: false },
];

/// Folders that contain the parent of homes on some machines. Elsewhere, `home` may be a folder of a project.
const ABOVE: &[&str] = &["/private", "/var", "/export", "/mnt", "/Data"];

impl Home {
    /// Replaces the users' names after this prefix.
    fn emptied(&self, text: &str) -> String {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((before, after)) = rest.split_once(self.start) {
            out.push_str(before);
            let outside = |c: char| !(is_name_char(c) || self.deep && c == '/');
            let (user, left) =
                after.split_at_checked(after.find(outside).unwrap_or(after.len())).unwrap_or((after, ""));
            let named = if self.start == "~" {
                // `HEAD~n` and `~1.2` aren't users.
                user.starts_with(|c: char| c.is_alphabetic() || c == '_') && !out.ends_with(['~', '/', '^'])
            } else {
                !user.is_empty()
            };
            let begins = !out.ends_with(is_name_char) || is_above(&out);
            out.push_str(self.start);
            out.push_str(if named && begins { "u" } else { user });
            rest = left;
        }
        out.push_str(rest);
        out
    }
}

/// Returns whether the folder at the end of the text may contain the parent of homes: a known one, or a drive.
fn is_above(text: &str) -> bool {
    let drive = text.rsplit_once('/').is_some_and(|(_, name)| name.len() == 1);
    drive || ABOVE.iter().any(|above| text.ends_with(above))
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
    fn nothing_below_a_telling_key_is_kept() {
        let clean = cleaned(json!({
            "token": ["tok1"], "secret_list": [{ "a": "tok1" }], "password": 987_654, "max_tokens": 4096,
            "credentials": { "user": "bob", "value": "hunter2" }, "has_password": true,
            "user": "bob", "username": "bob", "HOSTNAME": "lair", "host": { "name": "lair", "port": 22, "pass": "tok1" },
            "text": "password = \"hunter2\"\npassword  =  'hunter2'; x",
            "list": "[{\"password\": 987654, \"user\": \"bob\"}]",
        }));
        assert_eq!(
            clean,
            json!({
                "token": "[redacted]", "secret_list": "[redacted]", "password": "[redacted]", "max_tokens": 4096,
                "credentials": "[redacted]", "has_password": true,
                "user": "user", "username": "username", "HOSTNAME": "HOSTNAME",
                "host": { "name": "name", "port": 22, "pass": "[redacted]" },
                "text": "password = \"[redacted]\"\npassword  =  '[redacted]'; x",
                "list": "[{\"password\":\"[redacted]\",\"user\":\"user\"}]",
            })
        );
    }

    #[test]
    fn homes_of_others_name_nobody() {
        for (text, expected) in [
            ("ls ~bob/x ~/y HEAD~2 HEAD~n a~b", "ls ~u/x ~/y HEAD~2 HEAD~n a~b"),
            ("/home/eve /Users/eve/x", "/home/u /Users/u/x"),
            (r"dir C:\Users\eve\x", r"dir C:\Users\u\x"),
            (r#"x "C:\\Users\\eve\\x""#, r#"x "C:\\Users\\u\\x""#),
            ("C:/Users/eve /mnt/c/Users/eve /private/Users/eve", "C:/Users/u /mnt/c/Users/u /private/Users/u"),
            ("/private/var/folders/xy/T/bob 'x'", "/private/var/folders/u 'x'"),
            ("src/home/page.tsx", "src/home/page.tsx"),
        ] {
            assert_eq!(clean(text, &roots()), expected);
        }
    }

    #[test]
    fn a_link_in_the_place_of_the_harness_is_not_followed() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let payload = json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash" });
        let keep = |harness: &str| {
            keep("/", folder.path(), harness, payload.as_object().unwrap(), &CallContext::default());
        };
        std::os::unix::fs::symlink(other.path(), folder.path().join("linked")).unwrap();
        keep("linked");
        keep("own");
        assert_eq!(std::fs::read_dir(other.path()).unwrap().count(), 0);
        assert_eq!(std::fs::read_dir(folder.path().join("own")).unwrap().count(), 1);
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
