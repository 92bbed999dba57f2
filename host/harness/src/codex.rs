//! Codex: the events `PreToolUse` and `PermissionRequest`, whose replies are validated strictly.
//!
//! Codex ignores a reply with an unknown key and runs the call, so only known keys are used. A permission request is
//! denied or left to the person, but never granted, because a granted command may leave the sandbox.

use serde_json::{Map, Value};

use super::capabilities::{CODEX, Capabilities, Surface};
use super::nested::{Behavior, Nested, Output, line};
use super::read::{Protocol, event};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Codex;

const REQUEST: &str = "PermissionRequest";

static TOOLS: &[Tool] = &[
    tool(
        &["Bash", "shell", "local_shell", "exec_command", "unified_exec", "container.exec"],
        Shape::Command(Dialect::Bash, &["command", "cmd"]),
    ),
    tool(&["view_image"], Shape::File("Read")),
    tool(&["spawn_agent", "collaborationspawn_agent"], Shape::Named("Agent")),
];

static PROTOCOL: Protocol = Protocol { asking: &[REQUEST], tools: TOOLS, directories: &["workdir"], ..Protocol::USUAL };

impl Harness for Codex {
    fn capabilities(&self) -> &'static Capabilities {
        &CODEX
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        DetectionConfidence::from_payload(payload, payload.contains_key("turn_id"))
    }

    fn surface(&self, payload: &Map<String, Value>) -> &'static Surface {
        CODEX.surface(event(payload).ok().flatten().unwrap_or_default())
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        PROTOCOL.decode(payload)
    }

    fn write(&self, response: &Response, surface: &'static Surface) -> String {
        if surface.event != REQUEST {
            return line(&Nested::before_tool(response, surface));
        }
        let decision = match response {
            Response::Deny(message) => Some(Behavior { behavior: "deny", message }),
            Response::Nothing | Response::Note(_) | Response::Allow(_) | Response::Ask(_) => None,
        };
        let output =
            decision.map(|decision| Output { hook_event_name: REQUEST, decision: Some(decision), ..Output::default() });
        let system_message = if let Response::Note(text) = response { Some(text.as_str()) } else { None };
        line(&Nested { system_message, hook_specific_output: output, ..Nested::default() })
    }
}
