//! Mistral Vibe: Claude Code's fields under its own event, and `{"decision": "deny", "reason": ...}`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::capabilities::{Capabilities, Surface, VIBE};
use super::nested::line;
use super::read::{Mcp, Protocol, event};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Vibe;

/// The event before a tool call.
const PRE_TOOL: &str = "pre_tool";

static TOOLS: &[Tool] = &[
    tool(&["file_system.bash", "process.start"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["file_system.write_file"], Shape::File("Write")),
    tool(&["file_system.search_replace"], Shape::File("Edit")),
    tool(&["file_system.read_file"], Shape::File("Read")),
    tool(&["agents.spawn"], Shape::Named("Agent")),
];

static PROTOCOL: Protocol =
    Protocol { asking: &[PRE_TOOL], tools: TOOLS, mcp: Mcp::Dot, directories: &["cwd"], ..Protocol::USUAL };

#[derive(Default, Serialize)]
struct Wire<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
}

impl Harness for Vibe {
    fn capabilities(&self) -> &'static Capabilities {
        &VIBE
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        DetectionConfidence::from_payload(payload, event(payload).ok().flatten() == Some(PRE_TOOL))
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        let mut payload = payload.clone();
        // A list of edits is under the key of a text.
        if let Some(Value::Object(input)) = payload.get_mut("tool_input")
            && let Some(list @ Value::Array(_)) = input.get("content").cloned()
        {
            input.remove("content");
            input.insert("edits".to_owned(), list);
        }
        PROTOCOL.decode(&payload)
    }

    fn write(&self, response: &Response, _: &'static Surface) -> String {
        match response {
            Response::Nothing | Response::Allow(_) => String::new(),
            Response::Note(text) => line(&Wire { system_message: Some(text), ..Wire::default() }),
            Response::Ask(text) | Response::Deny(text) => {
                line(&Wire { decision: Some("deny"), reason: Some(text), ..Wire::default() })
            }
        }
    }
}
