//! Windsurf Cascade: an event for each kind of call, and exit codes only.

use serde_json::{Map, Value};

use super::capabilities::{Capabilities, Surface, WINDSURF};
use super::payload::unclear_call;
use super::read::{Protocol, decode_common, mcp, object, text};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Event, Harness, Payload, Unreadable, events};
use guard_contract::call::{Dialect, ToolCall};

pub(super) struct Windsurf;

const EVENT: &str = "agent_action_name";
const SERVER_TOOL: &str = "pre_mcp_tool_use";

/// The events are used as tools.
static TOOLS: &[Tool] = &[
    tool(&["pre_run_command"], Shape::Command(Dialect::Bash, &["command_line"])),
    tool(&["pre_write_code"], Shape::Editor),
    tool(&["pre_read_code"], Shape::File("Read")),
];

static PROTOCOL: Protocol = Protocol { tools: TOOLS, directories: &["cwd"], ..Protocol::USUAL };

impl Harness for Windsurf {
    fn capabilities(&self) -> &'static Capabilities {
        &WINDSURF
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        DetectionConfidence::certain(payload.contains_key(EVENT))
    }

    fn surface(&self, payload: &Map<String, Value>) -> &'static Surface {
        WINDSURF.surface(payload.get(EVENT).and_then(Value::as_str).unwrap_or_default())
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        let event = match payload.get(EVENT) {
            Some(Value::String(event)) => event.as_str(),
            _ => return Err(Unreadable::Malformed(format!("`{EVENT}` is not a string"))),
        };
        if !WINDSURF.has(event) {
            let info = payload.get("tool_info").and_then(Value::as_object);
            let info = info.filter(|info| info.contains_key("command_line") && !events::is_informative(event));
            let Some(info) = info else { return PROTOCOL.decode_unknown(payload, event) };
            return Ok(Payload { unknown_event: true, ..PROTOCOL.call(payload, "pre_run_command", info.clone())? });
        }
        let input = object(payload.get("tool_info"))?;
        if event != SERVER_TOOL {
            return PROTOCOL.call(payload, event, input);
        }
        let server = text(&input, &["mcp_server_name"])?;
        let used = text(&input, &["mcp_tool_name"])?;
        let (Some(server), Some(used)) = (server, used) else {
            return Err(unclear_call("the server or its tool has no name"));
        };
        let call = ToolCall::new(&mcp(server, used), object(input.get("mcp_tool_arguments"))?);
        Ok(decode_common(payload, Event::Calls(vec![call]), String::new()))
    }

    fn write(&self, _: &Response, _: &'static Surface) -> String {
        String::new()
    }
}
