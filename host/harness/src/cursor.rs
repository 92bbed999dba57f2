//! Cursor: an event for each kind of call, and flat replies that require a permission.
//!
//! Cursor may block a call because of an unknown reply format, so other harnesses' formats are never used.

use serde::Serialize;
use serde_json::{Map, Value};

use super::capabilities::{CURSOR, Capabilities, Surface};
use super::nested::line;
use super::payload::unclear_call;
use super::read::{Mcp, Protocol, SERVER, decode_common, event, mcp, object, text};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Event, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Cursor;

static TOOLS: &[Tool] = &[
    tool(&["Shell"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["Write"], Shape::Editor),
    tool(&["StrReplace", "Edit", "search_replace", "edit_file"], Shape::File("Edit")),
    tool(&["Delete"], Shape::File("Edit")),
    tool(&["Read"], Shape::File("Read")),
    tool(&["Grep"], Shape::Folder("Grep")),
    tool(&["Glob"], Shape::Folder("Glob")),
    tool(&["List", "LS"], Shape::Folder("LS")),
];

static PROTOCOL: Protocol =
    Protocol { tools: TOOLS, mcp: Mcp::Colon, directories: &["working_directory", "cwd"], ..Protocol::USUAL };

#[derive(Serialize)]
struct Wire<'a> {
    permission: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_message: Option<&'a str>,
}

impl Harness for Cursor {
    fn capabilities(&self) -> &'static Capabilities {
        &CURSOR
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        let event = event(payload).ok().flatten().unwrap_or_default();
        let its_own = event.starts_with("before") && CURSOR.has(event);
        match DetectionConfidence::certain(its_own || payload.contains_key("cursor_version")) {
            DetectionConfidence::None if CURSOR.has(event) => DetectionConfidence::Possible,
            confidence_in => confidence_in,
        }
    }

    fn surface(&self, payload: &Map<String, Value>) -> &'static Surface {
        match event(payload).ok().flatten() {
            Some(event) if CURSOR.has(event) => CURSOR.surface(event),
            Some(_) => CURSOR.surface("other"),
            None => CURSOR.usual_surface(),
        }
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        match event(payload)? {
            Some("beforeShellExecution") => {
                PROTOCOL.call(payload, "Shell", arguments_in_payload(payload, &["command"]))
            }
            Some("beforeReadFile") => {
                let read = PROTOCOL.call(payload, "Read", arguments_in_payload(payload, &["file_path"]))?;
                Ok(Payload { directory: String::new(), ..read })
            }
            Some("beforeMCPExecution") => {
                let Some(name) = text(payload, &["tool_name"])? else {
                    return Err(unclear_call("the tool has no name"));
                };
                let call = guard_contract::call::ToolCall::new(&mcp(SERVER, name), object(payload.get("tool_input"))?);
                let call = guard_contract::call::ToolCall { original_tool: name.to_owned(), ..call };
                Ok(decode_common(payload, Event::Calls(vec![call]), String::new()))
            }
            _ => PROTOCOL.decode(payload),
        }
    }

    fn write(&self, response: &Response, surface: &'static Surface) -> String {
        let (permission, text) = match response {
            Response::Nothing | Response::Allow(_) => ("allow", None),
            Response::Note(text) => ("allow", Some(text.as_str())),
            Response::Ask(text) | Response::Deny(text) => ("deny", Some(text.as_str())),
        };
        let agent_message = text.filter(|_| surface.keys.contains(&"agent_message"));
        line(&Wire { permission, user_message: text, agent_message })
    }
}

/// Returns the arguments that are in the payload itself.
fn arguments_in_payload(payload: &Map<String, Value>, keys: &[&str]) -> Map<String, Value> {
    let found = keys.iter().filter_map(|key| Some(((*key).to_owned(), payload.get(*key)?.clone())));
    found.collect()
}
