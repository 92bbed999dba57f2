//! Qwen Code: Claude Code's format with its own tools.

use serde_json::{Map, Value};

use super::capabilities::{Capabilities, QWEN, Surface};
use super::nested::{Nested, line};
use super::read::Protocol;
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Qwen;

static TOOLS: &[Tool] = &[
    tool(&["run_shell_command", "monitor"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["write_file"], Shape::File("Write")),
    tool(&["edit", "replace"], Shape::File("Edit")),
    tool(&["notebook_edit"], Shape::File("NotebookEdit")),
    tool(&["read_file"], Shape::File("Read")),
    tool(&["read_many_files"], Shape::Files("Read", &["include", "paths"])),
    tool(&["glob"], Shape::Folder("Glob")),
    tool(&["grep_search", "search_file_content"], Shape::Folder("Grep")),
    tool(&["list_directory"], Shape::Folder("LS")),
    tool(&["web_fetch"], Shape::Named("WebFetch")),
    tool(&["web_search"], Shape::Named("WebSearch")),
    tool(&["task", "agent"], Shape::Named("Agent")),
];

static PROTOCOL: Protocol = Protocol { tools: TOOLS, directories: &["directory", "dir_path"], ..Protocol::USUAL };

impl Harness for Qwen {
    fn capabilities(&self) -> &'static Capabilities {
        &QWEN
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        let has = |key: &str| payload.contains_key(key);
        let mode = payload.get("permission_mode").and_then(Value::as_str);
        let has_own_fields = has("timestamp") && has("permission_mode") && has("hook_event_name") && !has("toolName");
        DetectionConfidence::from_payload(
            payload,
            has_own_fields || mode.is_some_and(|mode| matches!(mode, "auto_edit" | "yolo")),
        )
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        PROTOCOL.decode(payload)
    }

    fn write(&self, response: &Response, surface: &'static Surface) -> String {
        line(&Nested::before_tool(response, surface))
    }
}
