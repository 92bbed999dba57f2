//! Kiro and Amazon Q Developer CLI: an event in two spellings, and exit codes only.

use serde_json::{Map, Value};

use super::capabilities::{Capabilities, KIRO, Surface};
use super::read::{ASKING, Mcp, Protocol, event};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Kiro;

static TOOLS: &[Tool] = &[
    tool(&["execute_bash", "executeBash", "shell"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["execute_cmd"], Shape::Command(Dialect::Unknown, &["command"])),
    tool(&["fs_write", "fsWrite", "write"], Shape::Editor),
    tool(&["fs_append", "fsAppend", "str_replace", "strReplace", "delete_file"], Shape::File("Edit")),
    tool(&["fs_read", "fsRead", "read"], Shape::Files("Read", &["operations", "paths"])),
    tool(&["read_file", "readFile"], Shape::File("Read")),
    tool(&["read_multiple_files", "readMultipleFiles"], Shape::Files("Read", &["paths"])),
];

static PROTOCOL: Protocol =
    Protocol { tools: TOOLS, mcp: Mcp::At, directories: &["cwd", "working_dir"], ..Protocol::USUAL };

/// Tool names that no other harness uses.
const OWN: [&str; 8] =
    ["execute_bash", "executeBash", "execute_cmd", "fs_write", "fsWrite", "fs_append", "fs_read", "fsRead"];

impl Harness for Kiro {
    fn capabilities(&self) -> &'static Capabilities {
        &KIRO
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        let asks = event(payload).ok().flatten().is_some_and(|event| ASKING.contains(&event));
        let tool = payload.get("tool_name").and_then(Value::as_str).unwrap_or_default();
        DetectionConfidence::from_payload(payload, asks && (OWN.contains(&tool) || tool.starts_with('@')))
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        PROTOCOL.decode(payload)
    }

    fn write(&self, _: &Response, _: &'static Surface) -> String {
        String::new()
    }
}
