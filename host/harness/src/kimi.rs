//! Kimi Code CLI: Claude Code's payloads, and exit code 2 for a deny. No other reply is used.

use serde_json::{Map, Value};

use super::capabilities::{Capabilities, KIMI, Surface};
use super::read::Protocol;
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Kimi;

static TOOLS: &[Tool] = &[
    tool(&["Bash", "Shell"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["Write", "WriteFile"], Shape::File("Write")),
    tool(&["Edit", "StrReplaceFile"], Shape::File("Edit")),
    tool(&["Read", "ReadFile"], Shape::File("Read")),
    tool(&["Glob"], Shape::Folder("Glob")),
    tool(&["Grep"], Shape::Folder("Grep")),
    tool(&["FetchURL"], Shape::Named("WebFetch")),
];

static PROTOCOL: Protocol = Protocol { tools: TOOLS, directories: &["cwd"], ..Protocol::USUAL };

impl Harness for Kimi {
    fn capabilities(&self) -> &'static Capabilities {
        &KIMI
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        DetectionConfidence::from_payload(
            payload,
            payload.contains_key("client_type") || payload.contains_key("session_title"),
        )
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        PROTOCOL.decode(payload)
    }

    fn write(&self, _: &Response, _: &'static Surface) -> String {
        String::new()
    }
}
