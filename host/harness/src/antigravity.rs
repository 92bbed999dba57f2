//! Antigravity: a call under `toolCall`, and replies that always need a decision.
//!
//! An allow there only passes the call on, so it is used for an abstain.

use serde_json::{Map, Value};

use super::capabilities::{ANTIGRAVITY, Capabilities, Surface};
use super::nested::{Nested, line};
use super::payload::unclear_call;
use super::read::{Mcp, Protocol, object, text};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Antigravity;

/// Input sent to a running shell is a command. The name of its argument differs between builds, so each text among the
/// arguments is treated as one.
const SENT: Shape = Shape::Commands(&["sent"]);

static TOOLS: &[Tool] = &[
    tool(&["run_command"], Shape::Command(Dialect::Bash, &["CommandLine", "Command", "command"])),
    tool(&["send_command_input", "manage_task:send_input"], SENT),
    tool(&["write_to_file"], Shape::File("Write")),
    tool(&["replace_file_content", "multi_replace_file_content"], Shape::File("Edit")),
    tool(&["view_file"], Shape::File("Read")),
    tool(&["list_dir"], Shape::Folder("LS")),
    tool(&["find_by_name"], Shape::Folder("Glob")),
    tool(&["grep_search"], Shape::Folder("Grep")),
    tool(&["read_url_content"], Shape::Named("WebFetch")),
    tool(&["search_web"], Shape::Named("WebSearch")),
];

static PROTOCOL: Protocol = Protocol { tools: TOOLS, mcp: Mcp::Underscores, directories: &["Cwd"], ..Protocol::USUAL };

impl Harness for Antigravity {
    fn capabilities(&self) -> &'static Capabilities {
        &ANTIGRAVITY
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        DetectionConfidence::certain(payload.contains_key("toolCall") || payload.contains_key("workspacePaths"))
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        let call = match payload.get("toolCall") {
            // Payloads of other events have the workspace paths.
            None | Some(Value::Null) if payload.contains_key("workspacePaths") => {
                return PROTOCOL.decode_unknown(payload, "");
            }
            None | Some(Value::Null) => return Err(unclear_call("it names neither a call nor a workspace")),
            Some(Value::Object(call)) => call,
            Some(_) => return Err(Unreadable::Malformed("`toolCall` is not an object".to_owned())),
        };
        let Some(name) = text(call, &["name"])? else { return Err(unclear_call("the tool has no name")) };
        let input = object(call.get("args"))?;
        let action = input.get("Action").and_then(Value::as_str);
        let looks = action.is_some_and(|action| matches!(action, "list" | "kill" | "status"));
        match name {
            "manage_task" if !looks => PROTOCOL.call(payload, "manage_task:send_input", add_sent_texts(input)),
            "send_command_input" => PROTOCOL.call(payload, name, add_sent_texts(input)),
            _ => PROTOCOL.call(payload, name, input),
        }
    }

    fn write(&self, response: &Response, _: &'static Surface) -> String {
        let (decision, reason) = match response {
            Response::Nothing => ("allow", None),
            Response::Note(text) => ("allow", Some(text.as_str())),
            Response::Allow(_) => ("auto_approve", None),
            Response::Ask(text) => ("force_ask", Some(text.as_str())),
            Response::Deny(text) => ("deny", Some(text.as_str())),
        };
        line(&Nested { decision: Some(decision), reason, ..Nested::default() })
    }
}

/// Adds all texts of the input under `sent`, except the action and names of shells.
fn add_sent_texts(mut input: Map<String, Value>) -> Map<String, Value> {
    let texts = input.iter().filter(|(key, value)| *key != "Action" && !key.ends_with("Id") && value.is_string());
    let texts = texts.map(|(_, value)| value.clone()).collect();
    input.insert("sent".to_owned(), Value::Array(texts));
    input
}
