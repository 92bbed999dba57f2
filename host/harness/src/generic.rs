//! The plain protocol: Claude Code's payload on stdin, `{"decision":"allow"}` or `{"decision":"block","reason":...}` on
//! stdout, exit code 0.
//!
//! For programs that support two answers. There is no prompt, so an ask blocks and explains how a person can approve
//! the call. This protocol is never detected from the payload: it must be selected. Another harness's payload may still
//! be recognized as such.

use serde::Serialize;
use serde_json::{Map, Value};

use super::capabilities::{Capabilities, GENERIC, Surface};
use super::claude::Claude;
use super::nested::line;
use super::payload::unclear_call;
use super::read::event;
use super::response::Response;
use super::{DetectionConfidence, Event, Harness, Payload, Unreadable, events};

pub(super) struct Generic;

const EXPECTED: &str =
    "it names no call; expected: {\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"ls\"}, \"cwd\": \"/repo\"}";

#[derive(Serialize)]
#[serde(tag = "decision", rename_all = "lowercase")]
enum Wire<'a> {
    Allow,
    Block { reason: &'a str },
}

impl Harness for Generic {
    fn capabilities(&self) -> &'static Capabilities {
        &GENERIC
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        Claude.confidence_in(payload)
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        let is_empty = payload.is_empty();
        let name = event(payload).ok().flatten().unwrap_or_default();
        let read = super::detect(payload, &Claude).decode(payload)?;
        // Programs with this protocol expect an answer about a call.
        match read.event {
            Event::Calls(calls) if calls.is_empty() && !is_empty => Err(unclear_call(EXPECTED)),
            Event::SessionStart => Ok(Payload { event: Event::Other, ..read }),
            Event::Other if !events::is_informative(name) => Err(unclear_call(EXPECTED)),
            // An event with any name gets this protocol's answer.
            event => Ok(Payload { event, unknown_event: false, ..read }),
        }
    }

    fn defers(&self) -> bool {
        false
    }

    fn write(&self, response: &Response, _: &'static Surface) -> String {
        line(&match response {
            Response::Nothing | Response::Note(_) | Response::Allow(_) => Wire::Allow,
            Response::Ask(reason) | Response::Deny(reason) => Wire::Block { reason },
        })
    }
}
