//! Gemini CLI: the event `BeforeTool`, and a decision at the top level of the reply.

use serde_json::{Map, Value};

use super::capabilities::{Capabilities, GEMINI, Surface};
use super::nested::{Nested, line};
use super::read::{Mcp, Protocol, event};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Gemini;

/// Event names that no other harness uses.
const EVENTS: [&str; 7] =
    ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection"];

static TOOLS: &[Tool] = &[
    tool(&["run_shell_command"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["write_file"], Shape::File("Write")),
    tool(&["replace"], Shape::File("Edit")),
    tool(&["read_file"], Shape::File("Read")),
    tool(&["read_many_files"], Shape::Files("Read", &["include", "paths"])),
    tool(&["glob"], Shape::Folder("Glob")),
    tool(&["grep_search", "search_file_content"], Shape::Folder("Grep")),
    tool(&["list_directory"], Shape::Folder("LS")),
    tool(&["web_fetch"], Shape::Named("WebFetch")),
    tool(&["google_web_search"], Shape::Named("WebSearch")),
    tool(&["invoke_agent"], Shape::Named("Agent")),
];

static PROTOCOL: Protocol =
    Protocol { tools: TOOLS, mcp: Mcp::Underscores, directories: &["dir_path", "directory"], ..Protocol::USUAL };

impl Harness for Gemini {
    fn capabilities(&self) -> &'static Capabilities {
        &GEMINI
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        let event = event(payload).ok().flatten();
        DetectionConfidence::certain(event.is_some_and(|event| EVENTS.contains(&event)))
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        let mut decoded = PROTOCOL.decode(payload)?;
        // The harness's information about the server is more reliable than the tool's name.
        let context = payload.get("mcp_context").and_then(Value::as_object);
        let named = |key| context.and_then(|context| context.get(key)).and_then(Value::as_str);
        if let (Some(server), Some(tool), super::Event::Calls(calls)) =
            (named("server_name"), named("tool_name"), &mut decoded.event)
        {
            for call in calls.iter_mut().filter(|call| call.tool.starts_with("mcp__")) {
                call.tool = super::read::mcp(server, tool);
            }
        }
        Ok(decoded)
    }

    fn write(&self, response: &Response, _: &'static Surface) -> String {
        line(&match response {
            Response::Deny(reason) => Nested { decision: Some("deny"), reason: Some(reason), ..Nested::default() },
            Response::Note(text) => Nested { system_message: Some(text), ..Nested::default() },
            Response::Nothing | Response::Allow(_) | Response::Ask(_) => Nested::default(),
        })
    }
}
