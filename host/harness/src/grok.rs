//! Grok Build: payloads with both spellings at once, and a reply in both forms, because older builds only know one.

use serde_json::{Map, Value};

use super::capabilities::{Capabilities, GROK, Surface};
use super::nested::{Nested, line};
use super::payload::unclear_call;
use super::read::{Mcp, Protocol};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Event, Harness, Payload, Unreadable};
use guard_contract::call::{Dialect, ToolCall};

pub(super) struct Grok;

static TOOLS: &[Tool] = &[
    tool(&["run_terminal_command", "run_terminal_cmd", "monitor"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["write", "write_file", "create_file"], Shape::File("Write")),
    tool(&["edit", "edit_file", "search_replace", "str_replace"], Shape::File("Edit")),
    tool(&["read_file", "read"], Shape::File("Read")),
    tool(&["list_dir"], Shape::Folder("LS")),
    tool(&["grep"], Shape::Folder("Grep")),
    tool(&["glob"], Shape::Folder("Glob")),
    tool(&["spawn_subagent"], Shape::Named("Agent")),
];

static PROTOCOL: Protocol =
    Protocol { tools: TOOLS, mcp: Mcp::Between("__"), directories: &["cwd", "working_directory"], ..Protocol::USUAL };

impl Harness for Grok {
    fn capabilities(&self) -> &'static Capabilities {
        &GROK
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        let own = ["toolInputTruncated", "workspaceRoot", "toolInput"];
        DetectionConfidence::from_payload(payload, own.iter().any(|key| payload.contains_key(*key)))
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        let mut decoded = PROTOCOL.decode(payload)?;
        let whole = payload.get("toolInputTruncated").is_none_or(|cut| *cut == Value::Bool(false) || cut.is_null());
        if matches!(decoded.event, Event::Calls(_)) && !whole {
            return Err(unclear_call("the harness has cut the tool's input short"));
        }
        if let Event::Calls(calls) | Event::CallsEnded(_, calls) = &mut decoded.event {
            calls.iter_mut().filter(|call| call.tool.starts_with("mcp__")).for_each(unwrap);
        }
        Ok(decoded)
    }

    fn write(&self, response: &Response, surface: &'static Surface) -> String {
        let nested = Nested::before_tool(response, surface);
        line(&match response {
            // Some builds read one form, some the other.
            Response::Ask(text) | Response::Deny(text) => {
                Nested { decision: Some("deny"), reason: Some(text), ..nested }
            }
            Response::Nothing | Response::Note(_) | Response::Allow(_) => nested,
        })
    }
}

/// Moves up the arguments of a server's tool, which are one level deeper, next to the tool's name.
fn unwrap(call: &mut ToolCall) {
    let is_named = call.input.get("tool_name").and_then(Value::as_str) == Some(&call.original_tool);
    if is_named && let Some(Value::Object(arguments)) = call.input.get_mut("tool_input") {
        call.input = std::mem::take(arguments);
    }
}
