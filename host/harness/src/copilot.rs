//! Copilot CLI: two spellings of one event, distinguished by the payload's keys, and flat replies.

use serde::Serialize;
use serde_json::{Map, Value};

use super::capabilities::{COPILOT, Capabilities, Surface};
use super::nested::line;
use super::read::{Protocol, decode_common, to_outcome_payload};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, End, Event, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Copilot;

static TOOLS: &[Tool] = &[
    tool(&["bash", "shell"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["powershell"], Shape::Command(Dialect::PowerShell, &["command"])),
    // Input for a running shell.
    tool(&["write_bash"], Shape::Command(Dialect::Bash, &["input"])),
    tool(&["write_powershell"], Shape::Command(Dialect::PowerShell, &["input"])),
    tool(&["create"], Shape::File("Write")),
    tool(&["edit"], Shape::File("Edit")),
    tool(&["str_replace_editor"], Shape::Editor),
    tool(&["view"], Shape::File("Read")),
    tool(&["glob", "Glob"], Shape::Folder("Glob")),
    tool(&["grep", "Grep"], Shape::Folder("Grep")),
    tool(&["web_fetch"], Shape::Named("WebFetch")),
    tool(&["task"], Shape::Named("Agent")),
];

static PROTOCOL: Protocol = Protocol { tools: TOOLS, directories: &["cwd"], ..Protocol::USUAL };

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    permission_decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
}

/// A message to the user.
#[derive(Serialize)]
struct Progress<'a> {
    r#type: &'static str,
    message: &'a str,
}

impl Harness for Copilot {
    fn capabilities(&self) -> &'static Capabilities {
        &COPILOT
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        let has = |key: &str| payload.contains_key(key);
        // VS Code may run the same hooks file, but expects another reply.
        if has("hook_event_name") && has("tool_use_id") && !has("toolArgs") {
            return DetectionConfidence::None;
        }
        let camel = has("toolArgs") || has("toolName") && has("sessionId") && !has("toolInput") && !has("hookName");
        // Other harnesses with this spelling and a timestamp also have a transcript or a mode.
        let others = has("transcript_path") || has("permission_mode") || has("turn_id");
        let pascal = has("hook_event_name") && has("timestamp") && has("session_id") && has("cwd") && !others;
        DetectionConfidence::from_payload(payload, camel || pascal && !has("cursor_version") && !has("workspaceRoot"))
    }

    fn surface(&self, payload: &Map<String, Value>) -> &'static Surface {
        let snake = payload.contains_key("hook_event_name") || payload.contains_key("tool_name");
        COPILOT.surface(if snake { "PreToolUse" } else { "preToolUse" })
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        // Payloads in camel case don't contain their event.
        let asks = payload.contains_key("toolName") || payload.contains_key("tool_name");
        if let Some(result) = payload.get("toolResult") {
            let ran = matches!(result.get("resultType").and_then(Value::as_str), Some("success" | "failure"));
            if !ran {
                return Ok(decode_common(payload, Event::Other, String::new()));
            }
            return Ok(to_outcome_payload(payload, PROTOCOL.decode(payload), End::Ran));
        }
        if !asks && !payload.contains_key("hook_event_name") {
            return PROTOCOL.decode_unknown(payload, "");
        }
        PROTOCOL.decode(payload)
    }

    fn write(&self, response: &Response, _: &'static Surface) -> String {
        let (permission_decision, reason) = match response {
            Response::Nothing => return String::new(),
            Response::Note(message) => return line(&Progress { r#type: "progress", message }),
            Response::Allow(_) => ("allow", None),
            Response::Ask(reason) => ("ask", Some(reason.as_str())),
            Response::Deny(reason) => ("deny", Some(reason.as_str())),
        };
        line(&Wire { permission_decision, permission_decision_reason: reason })
    }
}
