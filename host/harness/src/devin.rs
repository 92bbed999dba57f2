//! Devin CLI: Claude Code's payloads without a directory, and a block in two forms.

use serde_json::{Map, Value};

use super::capabilities::{Capabilities, DEVIN, Surface};
use super::nested::{Nested, line};
use super::read::Protocol;
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Devin;

static TOOLS: &[Tool] = &[
    tool(&["exec"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["write"], Shape::File("Write")),
    tool(&["edit"], Shape::File("Edit")),
    tool(&["read"], Shape::File("Read")),
    tool(&["grep"], Shape::Folder("Grep")),
    tool(&["glob"], Shape::Folder("Glob")),
];

static PROTOCOL: Protocol = Protocol { tools: TOOLS, directories: &["cwd", "workdir"], ..Protocol::USUAL };

impl Harness for Devin {
    fn capabilities(&self) -> &'static Capabilities {
        &DEVIN
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        let has = |key: &str| payload.contains_key(key);
        let tool = payload.get("tool_name").and_then(Value::as_str).unwrap_or_default();
        let known = TOOLS.iter().any(|each| each.names.contains(&tool));
        // Among the harnesses with these tool names, it is the only one with neither a directory nor a transcript.
        DetectionConfidence::from_payload(
            payload,
            known && has("hook_event_name") && !has("cwd") && !has("transcript_path"),
        )
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        PROTOCOL.decode(payload)
    }

    fn write(&self, response: &Response, _: &'static Surface) -> String {
        match response {
            Response::Ask(reason) | Response::Deny(reason) => {
                line(&Nested { decision: Some("block"), reason: Some(reason), ..Nested::default() })
            }
            Response::Nothing | Response::Note(_) | Response::Allow(_) => String::new(),
        }
    }
}
