//! Cline: the editor extension, whose arguments are texts, and the terminal program, whose calls may contain several
//! commands.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::capabilities::{CLINE, Capabilities, Surface};
use super::nested::line;
use super::payload::unclear_call;
use super::read::{Mcp, Protocol, decode_common, mcp, object, text};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Event, Harness, Payload, Unreadable, events};
use guard_contract::call::{Dialect, ToolCall};
use guard_contract::shell_word::word;

pub(super) struct Cline;

/// The program's event. The extension's is `PreToolUse`.
const TOOL_CALL: &str = "tool_call";

/// The surfaces of the program's tools whose arguments can be replaced with ones that fail and do nothing. The
/// replacement command and path are for POSIX systems.
const RUN_COMMANDS: &str = "tool_call run_commands";
const READ_FILES: &str = "tool_call read_files";
const EDITOR: &str = "tool_call editor";

/// A path that can't exist, because its parent isn't a folder.
const NO_FILE: &str = "/dev/null/held-by-guard-host";

static TOOLS: &[Tool] = &[
    tool(&["execute_command"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["run_commands"], Shape::Commands(&["commands", "command", "cmd"])),
    tool(&["write_to_file", "new_rule"], Shape::File("Write")),
    tool(&["replace_in_file"], Shape::File("Edit")),
    tool(&["editor"], Shape::Editor),
    tool(&["read_file"], Shape::File("Read")),
    tool(&["read_files"], Shape::Files("Read", &["files", "paths", "file_paths"])),
    tool(&["list_files", "list_code_definition_names"], Shape::Folder("LS")),
    tool(&["search_files"], Shape::Folder("Grep")),
    tool(&["fetch_web_content", "web_fetch"], Shape::Named("WebFetch")),
    tool(&["spawn_agent"], Shape::Named("Agent")),
];

static PROTOCOL: Protocol =
    Protocol { tools: TOOLS, mcp: Mcp::Between("__"), directories: &["cwd"], ..Protocol::USUAL };

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    cancel: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_modification: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    override_input: Option<Value>,
}

impl Harness for Cline {
    fn capabilities(&self) -> &'static Capabilities {
        &CLINE
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        DetectionConfidence::certain(payload.contains_key("hookName") || payload.contains_key("clineVersion"))
    }

    fn surface(&self, payload: &Map<String, Value>) -> &'static Surface {
        let text = |object: &Map<String, Value>, key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
        let name = payload.get(TOOL_CALL).and_then(Value::as_object).and_then(|call| text(call, "name"));
        match (text(payload, "hookName").as_deref(), name.as_deref()) {
            (Some(TOOL_CALL), Some("run_commands")) if !cfg!(windows) => CLINE.surface(RUN_COMMANDS),
            (Some(TOOL_CALL), Some("read_files")) if !cfg!(windows) => CLINE.surface(READ_FILES),
            (Some(TOOL_CALL), Some("editor")) if !cfg!(windows) => CLINE.surface(EDITOR),
            (event, _) => CLINE.surface(event.unwrap_or_default()),
        }
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        let event = text(payload, &["hookName"])?;
        let is_known = matches!(event, None | Some("PreToolUse" | TOOL_CALL));
        let (name, input) = match event {
            Some("PreToolUse") => extension_call(payload)?,
            // The program's own arguments are complete. The fields next to them are texts with the same content.
            Some(TOOL_CALL) if !payload.contains_key(TOOL_CALL) => extension_call(payload)?,
            Some(event) if event == TOOL_CALL || !events::is_informative(event) && payload.contains_key(TOOL_CALL) => {
                match payload.get(TOOL_CALL) {
                    Some(Value::Object(call)) => (text(call, &["name"])?, call.get("input")),
                    _ => extension_call(payload)?,
                }
            }
            Some(other) if events::is_informative(other) || !events::contains_call(payload) => {
                return Ok(decode_common(payload, Event::Other, String::new()));
            }
            Some(_) if payload.contains_key("preToolUse") => extension_call(payload)?,
            Some(other) => return PROTOCOL.decode_unknown(payload, other),
            None => return Err(unclear_call("it names no event")),
        };
        let Some(name) = name else { return Err(unclear_call("the tool has no name")) };
        // One tool also accepts its commands without a key.
        let input = match input {
            Some(bare @ (Value::Array(_) | Value::String(_))) if name == "run_commands" && !is_object(bare) => {
                Map::from_iter([("commands".to_owned(), bare.clone())])
            }
            other => object(other)?,
        };
        if matches!(name, "use_mcp_tool" | "access_mcp_resource") {
            return server_call(payload, name, &input);
        }
        Ok(Payload { unknown_event: !is_known, ..PROTOCOL.call(payload, name, input)? })
    }

    fn write(&self, response: &Response, surface: &'static Surface) -> String {
        let whole = surface.keys.contains(&"context");
        line(&match response {
            Response::Nothing | Response::Allow(_) => Wire::default(),
            Response::Note(text) if whole => Wire { context: Some(text), ..Wire::default() },
            Response::Note(text) => Wire { context_modification: Some(text), ..Wire::default() },
            Response::Ask(text) | Response::Deny(text) => match surface.event {
                RUN_COMMANDS => {
                    let commands = [format!("printf '%s\\n' {} >&2; exit 1", word(text))];
                    Wire { override_input: Some(json!({ "commands": commands })), ..Wire::default() }
                }
                READ_FILES => {
                    let nothing = json!({ "files": [{ "path": NO_FILE }] });
                    Wire { context: Some(text), override_input: Some(nothing), ..Wire::default() }
                }
                // With a line number, no file is created.
                EDITOR => {
                    let nothing = json!({ "path": NO_FILE, "new_text": "", "insert_line": 1 });
                    Wire { context: Some(text), override_input: Some(nothing), ..Wire::default() }
                }
                _ => Wire { cancel: true, error_message: Some(text), ..Wire::default() },
            },
        })
    }
}

/// Returns the tool and its arguments from the extension's payload. The key of the name differs between builds.
fn extension_call(payload: &Map<String, Value>) -> Result<(Option<&str>, Option<&Value>), Unreadable> {
    let Some(Value::Object(before)) = payload.get("preToolUse") else {
        return Err(unclear_call("`preToolUse` is not an object"));
    };
    Ok((text(before, &["toolName", "tool"])?, before.get("parameters").or_else(|| before.get("input"))))
}

/// Returns whether the text is a JSON object.
fn is_object(value: &Value) -> bool {
    value.as_str().is_some_and(|text| serde_json::from_str::<Map<String, Value>>(text).is_ok())
}

/// Returns the call of a server's tool, whose arguments are a JSON object.
fn server_call(payload: &Map<String, Value>, name: &str, input: &Map<String, Value>) -> Result<Payload, Unreadable> {
    let server = text(input, &["server_name"])?;
    let used = text(input, &["tool_name", "uri"])?;
    let (Some(server), Some(used)) = (server, used) else {
        return Err(unclear_call("the server or its tool has no name"));
    };
    let call = ToolCall::new(&mcp(server, used), object(input.get("arguments"))?);
    let call = ToolCall { original_tool: name.to_owned(), ..call };
    Ok(decode_common(payload, Event::Calls(vec![call]), String::new()))
}
