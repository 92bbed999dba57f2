//! OpenCode and Amp: what our own plugins in them send and read.
//!
//! They send Claude Code's fields under an event's name of their own, and read `{"decision": ..., "reason": ...}`. A
//! plugin holds the call if it gets no such reply, so these bytes are all there is to agree on.

use serde::Serialize;
use serde_json::{Map, Value};

use super::capabilities::{AMP, Capabilities, OPENCODE, Surface};
use super::nested::line;
use super::read::{Protocol, event};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

pub(super) struct OpenCode;

pub(super) struct Amp;

static OF_OPENCODE: &[Tool] = &[
    tool(&["bash"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["write"], Shape::File("Write")),
    tool(&["edit"], Shape::File("Edit")),
    tool(&["multiedit"], Shape::File("MultiEdit")),
    tool(&["patch"], Shape::Patch(&["patchText"])),
    tool(&["read"], Shape::File("Read")),
    tool(&["glob"], Shape::Folder("Glob")),
    tool(&["grep"], Shape::Folder("Grep")),
    tool(&["list"], Shape::Folder("LS")),
    tool(&["webfetch"], Shape::Named("WebFetch")),
    tool(&["task"], Shape::Named("Agent")),
];

static OF_AMP: &[Tool] = &[
    tool(&["shell_command", "Bash"], Shape::Command(Dialect::Bash, &["command", "cmd"])),
    tool(&["create_file"], Shape::File("Write")),
    tool(&["edit_file"], Shape::File("Edit")),
    tool(&["Read", "read_file", "upload_thread_file"], Shape::File("Read")),
    tool(&["download_thread_file"], Shape::Files("Write", &["destination"])),
    tool(&["glob"], Shape::Folder("Glob")),
    tool(&["Grep"], Shape::Folder("Grep")),
];

static OPENCODE_PROTOCOL: Protocol = Protocol {
    asking: &["tool.execute.before"],
    ending: &["session.deleted"],
    tools: OF_OPENCODE,
    directories: &["workdir"],
    ..Protocol::USUAL
};

static AMP_PROTOCOL: Protocol =
    Protocol { asking: &["tool.call"], tools: OF_AMP, directories: &["workdir", "cwd"], ..Protocol::USUAL };

#[derive(Serialize)]
struct Wire<'a> {
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl Harness for OpenCode {
    fn capabilities(&self) -> &'static Capabilities {
        &OPENCODE
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        confidence_in(payload, &OPENCODE_PROTOCOL)
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        OPENCODE_PROTOCOL.decode(payload)
    }

    fn write(&self, said: &Response, _: &'static Surface) -> String {
        reply(said)
    }
}

impl Harness for Amp {
    fn capabilities(&self) -> &'static Capabilities {
        &AMP
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        confidence_in(payload, &AMP_PROTOCOL)
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        AMP_PROTOCOL.decode(payload)
    }

    fn write(&self, said: &Response, _: &'static Surface) -> String {
        reply(said)
    }
}

fn confidence_in(payload: &Map<String, Value>, protocol: &Protocol) -> DetectionConfidence {
    let event = event(payload).ok().flatten();
    DetectionConfidence::certain(
        event.is_some_and(|event| protocol.asking.contains(&event) || protocol.ending.contains(&event)),
    )
}

fn reply(said: &Response) -> String {
    let (decision, reason) = match said {
        Response::Nothing | Response::Grant(_) => ("allow", None),
        Response::Note(text) => ("allow", Some(text.as_str())),
        Response::Ask(text) => ("ask", Some(text.as_str())),
        Response::Deny(text) => ("deny", Some(text.as_str())),
    };
    line(&Wire { decision, reason })
}
