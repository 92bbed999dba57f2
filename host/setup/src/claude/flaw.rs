//! Finds the flaw in a settings file for which Claude Code skips the file with all its hooks.
//!
//! Claude Code validates a file against a schema and rejects it as a whole.

use serde_json::Value;

/// The types of handlers, and the text key that each requires.
const TYPES: [(&str, &str); 5] =
    [("command", "command"), ("prompt", "prompt"), ("agent", "prompt"), ("http", "url"), ("mcp_tool", "tool")];

/// Returns the first flaw in other programs' hooks. This program's own handlers are checked elsewhere.
pub(super) fn flaw(settings: &Value, is_own: impl Fn(&Value) -> bool) -> Option<String> {
    let skipped = |place: &str, why: &str| Some(format!("`{place}` {why}, so Claude Code skips the whole file"));
    if !settings.is_object() && !settings.is_null() {
        return Some("it isn't a JSON object, so Claude Code skips the whole file".to_owned());
    }
    let hooks = settings.get("hooks")?;
    let Some(events) = hooks.as_object() else { return skipped("hooks", "isn't an object") };
    for (event, groups) in events {
        let place = format!("hooks.{event}");
        let Some(groups) = groups.as_array() else { return skipped(&place, "isn't a list") };
        for (group, number) in groups.iter().zip(0..) {
            let place = format!("{place}[{number}]");
            if group.get("matcher").is_some_and(|matcher| !matcher.is_string() && !matcher.is_null())
                && !holds_own(group, &is_own)
            {
                return skipped(&format!("{place}.matcher"), "isn't text");
            }
            let Some(handlers) = group.get("hooks").and_then(Value::as_array) else {
                return skipped(&format!("{place}.hooks"), "isn't a list");
            };
            for (handler, number) in handlers.iter().zip(0..).filter(|(handler, _)| !is_own(handler)) {
                let place = format!("{place}.hooks[{number}]");
                if let Some((key, why)) = flaw_of_handler(handler) {
                    return skipped(&format!("{place}{key}"), why);
                }
            }
        }
    }
    None
}

fn holds_own(group: &Value, is_own: impl Fn(&Value) -> bool) -> bool {
    group.get("hooks").and_then(Value::as_array).is_some_and(|handlers| handlers.iter().any(is_own))
}

/// Returns the key of a handler that the schema rejects, and why.
fn flaw_of_handler(handler: &Value) -> Option<(&'static str, &'static str)> {
    let Some(kind) = handler.get("type").and_then(Value::as_str) else { return Some((".type", "is missing")) };
    let Some((_, key)) = TYPES.iter().find(|(name, _)| *name == kind) else { return Some((".type", "is unknown")) };
    if !handler.get(key).is_some_and(Value::is_string) {
        return Some(match *key {
            "command" => (".command", "is missing"),
            "prompt" => (".prompt", "is missing"),
            "url" => (".url", "is missing"),
            _ => (".tool", "is missing"),
        });
    }
    let timeout = handler.get("timeout")?;
    (!timeout.as_f64().is_some_and(|seconds| seconds > 0.0)).then_some((".timeout", "isn't a positive number"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn flaw_in(settings: &Value) -> String {
        flaw(settings, |handler| handler["command"] == "own").unwrap_or_default()
    }

    #[test]
    fn a_malformed_hook_of_another_program_is_found() {
        let with = |handler: Value| json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "x" }, handler] }] } });
        for (settings, place) in [
            (with(json!({ "command": "x" })), "hooks.Stop[0].hooks[1].type"),
            (with(json!({ "type": "comand", "command": "x" })), ".type`"),
            (with(json!({ "type": "command" })), ".command`"),
            (with(json!({ "type": "command", "command": ["x"] })), ".command`"),
            (with(json!({ "type": "prompt", "command": "x" })), ".prompt`"),
            (with(json!({ "type": "http", "headers": {} })), ".url`"),
            (with(json!({ "type": "command", "command": "x", "timeout": "20" })), ".timeout`"),
            (with(json!({ "type": "command", "command": "x", "timeout": 0 })), ".timeout`"),
            (with(json!("x")), "hooks.Stop[0].hooks[1].type"),
            (json!({ "hooks": [] }), "`hooks`"),
            (json!({ "hooks": { "PreToolUse": {} } }), "`hooks.PreToolUse`"),
            (
                json!({ "hooks": { "PreToolUse": [{ "type": "command", "command": "x" }] } }),
                "`hooks.PreToolUse[0].hooks`",
            ),
            (json!({ "hooks": { "PreToolUse": [{ "matcher": 7, "hooks": [] }] } }), ".matcher`"),
            (json!([]), "JSON"),
        ] {
            let flaw = flaw_in(&settings);
            assert!(flaw.contains(place), "{settings}: {flaw}");
        }
    }

    #[test]
    fn what_claude_code_takes_is_no_flaw() {
        let handlers = json!([
            { "type": "command", "command": "x", "timeout": 0.5, "async": true, "later": 1 },
            { "type": "prompt", "prompt": "x" },
            { "type": "http", "url": "http://localhost:1/" },
            { "type": "mcp_tool", "server": "s", "tool": "t" },
            // This program's handler, which is reported as a registration.
            { "command": "own" },
        ]);
        for settings in [
            json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": handlers }, { "hooks": [] }] } }),
            json!({ "hooks": {} }),
            json!({ "permissions": { "allow": 7 } }),
            json!(null),
        ] {
            assert_eq!(flaw_in(&settings), "", "{settings}");
        }
    }
}
