//! The common parts of most harnesses' payloads: fields with a few possible names, an event, a tool and its input.
//!
//! An adapter defines its call events and tools, and any differences.

use serde_json::{Map, Value};

use super::payload::unclear_call;
use super::tools::{Tool, calls};
use super::{End, Event, Payload, RAN, Unreadable, events};

/// The payload format of one harness.
pub(super) struct Protocol {
    /// Events before a call, besides the common ones. A payload without an event is about a call.
    pub(super) asking: &'static [&'static str],
    /// Events after a call ran, besides the common ones.
    pub(super) ran: &'static [&'static str],
    /// Events after a person refused a call.
    pub(super) refused: &'static [&'static str],
    /// Events at the end of a session, besides the common ones.
    pub(super) ending: &'static [&'static str],
    /// The tools by their names.
    pub(super) tools: &'static [Tool],
    /// The naming of MCP tools.
    pub(super) mcp: Mcp,
    /// Arguments with the directory in which a command runs.
    pub(super) directories: &'static [&'static str],
}

/// How a harness names MCP tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mcp {
    /// `mcp__server__tool`, the common form.
    Common,
    /// `mcp_server_tool`. The server is assumed to be one word.
    Underscores,
    /// `@server/tool`.
    At,
    /// `mcp_server.tool`.
    Dot,
    /// `MCP:tool`, without the server.
    Colon,
    /// The server's and the tool's name, with this separator.
    Between(&'static str),
}

/// The server's name if the harness doesn't report it.
pub(super) const SERVER: &str = "unknown";

/// Event names that a harness may use when it adopts another one's hooks.
pub(super) const ASKING: [&str; 4] = ["PreToolUse", "preToolUse", "pre_tool_use", "BeforeTool"];
const ENDING: [&str; 3] = ["SessionEnd", "sessionEnd", "session_end"];

const EVENTS: [&str; 3] = ["hook_event_name", "hookEventName", "event"];
const TOOLS: [&str; 2] = ["tool_name", "toolName"];
const INPUTS: [&str; 3] = ["tool_input", "toolInput", "toolArgs"];
const SESSIONS: [&str; 6] = ["session_id", "sessionId", "conversation_id", "conversationId", "trajectory_id", "taskId"];
const MODES: [&str; 2] = ["permission_mode", "permissionMode"];
/// Fields with the type of the agent. The agent's id isn't useful, because it changes in the next session.
const AGENTS: [&str; 2] = ["agent_type", "agentType"];
const IDS: [&str; 3] = ["tool_use_id", "toolUseId", "tool_call_id"];
const PARENTS: [&str; 4] = ["parent_session_id", "parentSessionId", "parent_session", "parentID"];
const RESPONSES: [&str; 4] = ["tool_response", "toolResponse", "tool_result", "toolResult"];
const EXITS: [&str; 3] = ["exit_code", "exitCode", "exit"];
const ROOTS: [&str; 3] = ["workspace_roots", "workspaceRoots", "workspacePaths"];

impl Protocol {
    /// The protocol that most harnesses have in common.
    pub(super) const USUAL: Protocol =
        Protocol { asking: &[], ran: &[], refused: &[], ending: &[], tools: &[], mcp: Mcp::Common, directories: &[] };

    /// Decodes a payload in the usual form.
    pub(super) fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        let event = event(payload)?;
        if event.is_some_and(|event| ENDING.contains(&event) || self.ending.contains(&event)) {
            return Ok(decode_common(payload, Event::SessionEnd, String::new()));
        }
        if event.is_some_and(|event| RAN.contains(&event) || self.ran.contains(&event)) {
            return Ok(to_outcome_payload(payload, self.decode_call(payload), End::Ran));
        }
        if event.is_some_and(|event| self.refused.contains(&event)) {
            return Ok(to_outcome_payload(payload, self.decode_call(payload), End::Refused));
        }
        if !event.is_none_or(|event| ASKING.contains(&event) || self.asking.contains(&event)) {
            return self.decode_unknown(payload, event.unwrap_or_default());
        }
        self.decode_call(payload)
    }

    /// Decodes a payload of an event that the adapter doesn't know. It is a call if it contains one.
    pub(super) fn decode_unknown(&self, payload: &Map<String, Value>, event: &str) -> Result<Payload, Unreadable> {
        if events::is_informative(event) || !events::contains_call(payload) {
            return Ok(decode_common(payload, Event::Other, String::new()));
        }
        let command = payload.get("command").filter(|_| text(payload, &TOOLS) == Ok(None));
        let read = match command.and_then(Value::as_str) {
            Some(command) => self.call(payload, "Bash", Map::from_iter([("command".to_owned(), Value::from(command))])),
            None => self.decode_call(payload),
        };
        Ok(Payload { unknown_event: true, ..read? })
    }

    /// Decodes a payload about a call.
    fn decode_call(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        let Some(name) = text(payload, &TOOLS)? else { return Err(unclear_call("the tool has no name")) };
        let input = INPUTS.iter().find_map(|key| payload.get(*key));
        self.call(payload, name, object(input)?)
    }

    /// Decodes a payload with a known tool and input.
    pub(super) fn call(
        &self,
        payload: &Map<String, Value>,
        name: &str,
        input: Map<String, Value>,
    ) -> Result<Payload, Unreadable> {
        let common = self.mcp.common(name);
        let directory = text(&input, self.directories).map(|text| text.unwrap_or_default().to_owned());
        let calls = calls(self.tools, name, &common, input)?;
        let runs = calls.iter().any(|call| call.dialect.is_some());
        Ok(decode_common(payload, Event::Calls(calls), if runs { directory? } else { String::new() }))
    }
}

impl Mcp {
    /// Returns the common form of an MCP tool's name. Other names are unchanged.
    fn common(self, name: &str) -> String {
        let split = match self {
            Mcp::Common => None,
            Mcp::Underscores if name.starts_with("mcp__") => None,
            Mcp::Underscores => name.strip_prefix("mcp_").and_then(|rest| rest.split_once('_')),
            Mcp::At => name.strip_prefix('@').map(|rest| rest.split_once('/').unwrap_or((rest, "*"))),
            Mcp::Dot => name.strip_prefix("mcp_").and_then(|rest| rest.split_once('.')),
            Mcp::Colon => name.strip_prefix("MCP:").map(|tool| (SERVER, tool.trim())),
            Mcp::Between(_) if name.starts_with("mcp__") => None,
            Mcp::Between(mark) => name.split_once(mark).filter(|(server, tool)| !server.is_empty() && !tool.is_empty()),
        };
        split.map_or_else(|| name.to_owned(), |(server, tool)| mcp(server, tool))
    }
}

/// Returns the common name of an MCP tool.
pub(super) fn mcp(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
}

/// Returns the payload's event. `None` if it has none.
pub(super) fn event(payload: &Map<String, Value>) -> Result<Option<&str>, Unreadable> {
    match EVENTS.iter().find_map(|key| payload.get(*key).filter(|value| !value.is_null())) {
        None => Ok(None),
        Some(Value::String(event)) => Ok(Some(event)),
        Some(_) => Err(Unreadable::Malformed("the event's name is not a string".to_owned())),
    }
}

/// Decodes everything except the event. Invalid informative fields must not prevent a decision.
pub(super) fn decode_common(payload: &Map<String, Value>, event: Event, directory: String) -> Payload {
    let first_text = |keys: &[&str]| {
        let texts = keys.iter().filter_map(|key| payload.get(*key)?.as_str());
        texts.into_iter().find(|text| !text.is_empty()).map(str::to_owned)
    };
    let root = || ROOTS.iter().find_map(|key| payload.get(*key)?.get(0)?.as_str().map(str::to_owned));
    let cwd = first_text(&["cwd"]).or_else(root).or_else(|| first_text(&["workspaceRoot"])).unwrap_or_default();
    Payload {
        event,
        cwd,
        directory,
        session: first_text(&SESSIONS).unwrap_or_default(),
        permission_mode: first_text(&MODES).unwrap_or_default(),
        agent: first_text(&AGENTS).unwrap_or_default(),
        call: first_text(&IDS).unwrap_or_default(),
        parent: first_text(&PARENTS).unwrap_or_default(),
        failed: reports_failure(payload),
        unknown_event: false,
    }
}

/// Returns the text under the first of these keys that is present and not `null`.
pub(super) fn text<'a>(object: &'a Map<String, Value>, keys: &[&str]) -> Result<Option<&'a str>, Unreadable> {
    match keys.iter().find_map(|key| Some((key, object.get(*key).filter(|value| !value.is_null())?))) {
        None => Ok(None),
        Some((_, Value::String(text))) => Ok(Some(text)),
        Some((key, _)) => Err(unclear_call(&format!("`{key}` is not a string"))),
    }
}

/// Parses an input: an object, or a JSON text of one. Empty if it is missing.
pub(super) fn object(input: Option<&Value>) -> Result<Map<String, Value>, Unreadable> {
    match input {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(input)) => Ok(input.clone()),
        Some(Value::String(json)) if json.trim().is_empty() => Ok(Map::new()),
        Some(Value::String(json)) => {
            serde_json::from_str(json).map_err(|_| unclear_call("the tool's input is a text that isn't a JSON object"))
        }
        Some(_) => Err(unclear_call("the tool's input is not an object")),
    }
}

/// Converts a payload that was decoded as a call to one about the outcome of calls. Errors are ignored, because the
/// event only informs.
pub(super) fn to_outcome_payload(payload: &Map<String, Value>, read: Result<Payload, Unreadable>, end: End) -> Payload {
    match read {
        Ok(Payload { event: Event::Calls(calls), .. }) => {
            decode_common(payload, Event::CallsEnded(end, calls), String::new())
        }
        _ => decode_common(payload, Event::Other, String::new()),
    }
}

/// Returns whether a payload reports that a call ran and failed.
pub(super) fn reports_failure(payload: &Map<String, Value>) -> bool {
    if event(payload).ok().flatten().is_some_and(|event| event.ends_with("Failure")) {
        return true;
    }
    let response = RESPONSES.iter().find_map(|key| payload.get(*key));
    let exit = EXITS.iter().find_map(|key| response?.get(*key)).and_then(Value::as_i64);
    let flag = |key: &str| response.and_then(|response| response.get(key)).and_then(Value::as_bool);
    exit.is_some_and(|exit| exit != 0)
        || ["is_error", "isError", "interrupted"].iter().any(|key| flag(key) == Some(true))
}
