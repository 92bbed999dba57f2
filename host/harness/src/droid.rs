//! Factory Droid: Claude Code's format with its own tools.

use serde_json::{Map, Value};

use super::capabilities::{Capabilities, DROID, Surface};
use super::nested::{Nested, line};
use super::read::{Mcp, Protocol};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Droid;

static TOOLS: &[Tool] = &[
    tool(&["Execute"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["Create"], Shape::File("Write")),
    tool(&["Edit"], Shape::File("Edit")),
    tool(&["LS"], Shape::Folder("LS")),
    tool(&["Glob"], Shape::Folder("Glob")),
    tool(&["Grep"], Shape::Folder("Grep")),
    tool(&["FetchUrl"], Shape::Named("WebFetch")),
];

static PROTOCOL: Protocol =
    Protocol { tools: TOOLS, mcp: Mcp::Between("___"), directories: &["cwd"], ..Protocol::USUAL };

impl Harness for Droid {
    fn capabilities(&self) -> &'static Capabilities {
        &DROID
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        let mode = payload.get("permission_mode").and_then(Value::as_str);
        let its_own = mode.is_some_and(|mode| matches!(mode, "off" | "spec") || mode.starts_with("auto-"));
        DetectionConfidence::from_payload(payload, its_own)
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        PROTOCOL.decode(payload)
    }

    fn write(&self, response: &Response, surface: &'static Surface) -> String {
        line(&Nested::before_tool(response, surface))
    }
}
