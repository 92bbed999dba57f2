//! Hermes Agent: shell hooks for snake_case events, the call's id under `extra`, and `{"action": "block", "message":
//! ...}`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::capabilities::{Capabilities, HERMES, Surface};
use super::nested::line;
use super::read::{Mcp, Protocol, event};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Event, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct Hermes;

/// The event before a tool call.
const BEFORE: &str = "pre_tool_call";
/// The event after a tool call.
const AFTER: &str = "post_tool_call";

static TOOLS: &[Tool] = &[
    tool(&["terminal"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["execute_code"], Shape::Code("python3", "code")),
    // It types `data` into a running program, which may be a shell.
    tool(&["process"], Shape::MayRun(Dialect::Bash, &["data"])),
    tool(&["write_file"], Shape::File("Write")),
    tool(&["patch"], Shape::EditOrPatch("patch")),
    tool(&["read_file"], Shape::File("Read")),
    tool(&["search_files"], Shape::Folder("Grep")),
    tool(&["delegate_task"], Shape::Named("Agent")),
];

static PROTOCOL: Protocol = Protocol {
    asking: &[BEFORE],
    ran: &[AFTER],
    tools: TOOLS,
    mcp: Mcp::Common,
    directories: &["workdir"],
    ..Protocol::USUAL
};

#[derive(Serialize)]
struct Wire<'a> {
    action: &'static str,
    message: &'a str,
}

impl Harness for Hermes {
    fn capabilities(&self) -> &'static Capabilities {
        &HERMES
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        let name = event(payload).ok().flatten();
        let marked = matches!(name, Some(BEFORE | AFTER)) && payload.get("extra").is_some_and(Value::is_object);
        DetectionConfidence::from_payload(payload, marked)
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        let mut decoded = PROTOCOL.decode(payload)?;
        let extra = |key: &str| payload.get("extra")?.get(key)?.as_str();
        if decoded.call.is_empty() {
            decoded.call = extra("tool_call_id").unwrap_or_default().to_owned();
        }
        decoded.failed |= extra("status") == Some("error");
        // It also reports calls that a hook blocked.
        if extra("status") == Some("blocked") && matches!(decoded.event, Event::CallsEnded(..)) {
            decoded.event = Event::Other;
        }
        Ok(decoded)
    }

    fn write(&self, response: &Response, _: &'static Surface) -> String {
        match response {
            Response::Nothing | Response::Allow(_) | Response::Note(_) => String::new(),
            Response::Ask(text) | Response::Deny(text) => line(&Wire { action: "block", message: text }),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::End;
    use super::*;

    fn decode(event: &str, tool: &str, input: Value, extra: Value) -> Result<Payload, Unreadable> {
        let payload = json!({ "hook_event_name": event, "tool_name": tool, "tool_input": input, "session_id": "s",
            "cwd": "/w", "extra": extra });
        let payload = payload.as_object().unwrap();
        assert_eq!(Hermes.confidence_in(payload), DetectionConfidence::Certain);
        assert_eq!(super::super::detect(payload, super::super::default()).name(), "hermes");
        Hermes.decode(payload)
    }

    /// Returns each call's tool, and its command or path.
    fn calls(tool: &str, input: Value) -> Vec<(String, String)> {
        let Event::Calls(calls) = decode(BEFORE, tool, input, json!({})).unwrap().event else { panic!("no calls") };
        let main = |input: &Map<String, Value>| {
            let value = ["command", "file_path", "path"].iter().find_map(|key| input.get(*key)?.as_str());
            value.unwrap_or_default().to_owned()
        };
        calls.iter().map(|call| (call.tool.clone(), main(&call.input))).collect()
    }

    #[test]
    fn a_tool_is_read_by_its_own_name() {
        for (tool, input, common, main) in [
            ("terminal", json!({ "command": "df -h" }), "Bash", "df -h"),
            (
                "execute_code",
                json!({ "code": "import os\nprint(os.name)" }),
                "Bash",
                "python3 -c 'import os\nprint(os.name)'",
            ),
            ("process", json!({ "action": "write", "data": "uptime" }), "Bash", "uptime"),
            ("process", json!({ "action": "list" }), "process", ""),
            ("write_file", json!({ "path": "a.md", "content": "x" }), "Write", "a.md"),
            ("patch", json!({ "path": "a.md", "old_string": "x", "new_string": "y" }), "Edit", "a.md"),
            ("read_file", json!({ "path": "a.md" }), "Read", "a.md"),
            ("search_files", json!({ "pattern": "x", "path": "src" }), "Grep", "src"),
            ("mcp__box__put", json!({ "x": 1 }), "mcp__box__put", ""),
        ] {
            assert_eq!(calls(tool, input), [(common.to_owned(), main.to_owned())], "{tool}");
        }
    }

    #[test]
    fn every_file_of_a_patch_and_the_one_named_beside_it_is_judged() {
        let patch = "*** Begin Patch\n*** Update File: a\n-x\n+y\n*** Delete File: b\n*** End Patch";
        let found = calls("patch", json!({ "mode": "patch", "patch": patch, "path": "c", "new_string": "z" }));
        let files: Vec<&str> = found.iter().map(|(_, path)| path.as_str()).collect();
        assert_eq!(files, ["a", "b", "c"]);
    }

    #[test]
    fn a_known_tool_without_its_arguments_is_unclear() {
        for (tool, input) in [
            ("terminal", json!({})),
            ("execute_code", json!({})),
            ("execute_code", json!({ "code": ["print(1)"] })),
            ("patch", json!({ "mode": "replace" })),
            ("patch", json!({ "mode": "patch", "patch": "+x" })),
            ("write_file", json!({ "content": "x" })),
        ] {
            let read = decode(BEFORE, tool, input.clone(), json!({}));
            assert!(matches!(read, Err(Unreadable::Unclear(_))), "{tool} {input}: {read:?}");
        }
    }

    #[test]
    fn the_id_and_the_failure_of_a_call_are_in_extra() {
        let input = json!({ "command": "df" });
        let before = decode(BEFORE, "terminal", input.clone(), json!({ "tool_call_id": "c1" })).unwrap();
        assert_eq!((before.call.as_str(), before.failed), ("c1", false));
        let after = decode(AFTER, "terminal", input, json!({ "tool_call_id": "c1", "status": "error" })).unwrap();
        assert!(matches!(after.event, Event::CallsEnded(End::Ran, _)) && after.failed, "{after:?}");
    }

    #[test]
    fn a_blocked_call_has_not_run() {
        let told = decode(AFTER, "terminal", json!({ "command": "df" }), json!({ "status": "blocked" })).unwrap();
        assert_eq!(told.event, Event::Other);
    }

    #[test]
    fn an_ask_blocks_and_a_note_says_nothing() {
        let write = |response: Response| Hermes.write(&response, HERMES.usual_surface());
        for response in [Response::Ask("look".to_owned()), Response::Deny("look".to_owned())] {
            assert_eq!(write(response), "{\"action\":\"block\",\"message\":\"look\"}\n".trim_end());
        }
        for response in [Response::Nothing, Response::Note("look".to_owned())] {
            assert_eq!(write(response), "");
        }
    }
}
