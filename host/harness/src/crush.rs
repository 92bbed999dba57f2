//! Crush: the event under `event`, and a flat reply in which an allow skips the prompt.

use serde::Serialize;
use serde_json::{Map, Value};

use super::capabilities::{CRUSH, Capabilities, Surface};
use super::nested::line;
use super::read::{Mcp, Protocol};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Crush;

static TOOLS: &[Tool] = &[
    tool(&["bash"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["write"], Shape::File("Write")),
    tool(&["edit", "multiedit"], Shape::File("Edit")),
    tool(&["view"], Shape::File("Read")),
    tool(&["download"], Shape::File("Write")),
    tool(&["glob"], Shape::Folder("Glob")),
    tool(&["grep"], Shape::Folder("Grep")),
    tool(&["ls"], Shape::Folder("LS")),
    tool(&["fetch", "agentic_fetch"], Shape::Named("WebFetch")),
    tool(&["agent"], Shape::Named("Agent")),
];

static PROTOCOL: Protocol =
    Protocol { tools: TOOLS, mcp: Mcp::Underscores, directories: &["working_dir", "workdir"], ..Protocol::USUAL };

#[derive(Serialize)]
struct Wire<'a> {
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
}

impl Harness for Crush {
    fn capabilities(&self) -> &'static Capabilities {
        &CRUSH
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        let its_own = payload.get("event").is_some_and(Value::is_string) && !payload.contains_key("hook_event_name");
        DetectionConfidence::from_payload(payload, its_own)
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        PROTOCOL.decode(payload)
    }

    fn write(&self, response: &Response, _: &'static Surface) -> String {
        let (decision, reason, context) = match response {
            Response::Nothing => (None, None, None),
            Response::Note(text) => (None, None, Some(text.as_str())),
            Response::Allow(_) => (Some("allow"), None, None),
            Response::Ask(text) | Response::Deny(text) => (Some("deny"), Some(text.as_str()), None),
        };
        line(&Wire { decision, reason, context })
    }
}
