//! VS Code's agents: Claude Code's format, but a decision's reason is for the user, and the model gets a separate
//! message.

use serde_json::{Map, Value};

use super::capabilities::{Capabilities, Surface, VSCODE};
use super::nested::{Nested, line};
use super::read::{Mcp, Protocol, event};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct VsCode;

static TOOLS: &[Tool] = &[
    tool(&["run_in_terminal", "runInTerminal", "runCommands"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["create_and_run_task", "createAndRunTask"], Shape::Commands(&["task"])),
    tool(&["send_to_terminal", "sendToTerminal"], Shape::Command(Dialect::Bash, &["command", "text", "input"])),
    tool(&["create_file", "createFile"], Shape::File("Write")),
    tool(&["replace_string_in_file", "insert_edit_into_file", "edit_file"], Shape::File("Edit")),
    tool(&["multi_replace_string_in_file"], Shape::Files("Edit", &["replacements"])),
    tool(&["editFiles"], Shape::Files("Edit", &["files", "replacements"])),
    tool(&["edit_notebook_file"], Shape::File("NotebookEdit")),
    tool(&["read_file", "readFile"], Shape::File("Read")),
    tool(&["file_search"], Shape::Named("Glob")),
    tool(&["grep_search"], Shape::Named("Grep")),
    tool(&["list_dir"], Shape::Folder("LS")),
    tool(&["fetch_webpage"], Shape::Named("WebFetch")),
    tool(&["runSubagent"], Shape::Named("Agent")),
];

/// Tool names that no other harness uses in an event with this name.
const OWN: [&str; 9] = [
    "run_in_terminal",
    "runInTerminal",
    "create_file",
    "createFile",
    "replace_string_in_file",
    "multi_replace_string_in_file",
    "insert_edit_into_file",
    "editFiles",
    "edit_notebook_file",
];

static PROTOCOL: Protocol = Protocol { tools: TOOLS, mcp: Mcp::Underscores, directories: &["cwd"], ..Protocol::USUAL };

impl Harness for VsCode {
    fn capabilities(&self) -> &'static Capabilities {
        &VSCODE
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        let asks = event(payload).ok().flatten() == Some("PreToolUse");
        let tool = payload.get("tool_name").and_then(Value::as_str);
        DetectionConfidence::from_payload(payload, asks && tool.is_some_and(|tool| OWN.contains(&tool)))
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        PROTOCOL.decode(payload)
    }

    fn write(&self, response: &Response, surface: &'static Surface) -> String {
        let mut reply = Nested::before_tool(response, surface);
        if let (Response::Deny(text), Some(output)) = (response, &mut reply.hook_specific_output) {
            output.additional_context = Some(text);
        }
        line(&reply)
    }
}
