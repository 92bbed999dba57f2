//! OpenCode, Kilo, Amp, Pi and OpenClaw: the protocol of this program's plugins.
//!
//! The plugins send Claude Code's fields under their own event names, and expect `{"decision": ..., "reason": ...}`. A
//! plugin blocks the call if it gets no such reply.

use serde_json::{Map, Value};

use super::capabilities::{AMP, Capabilities, KILO, OPENCLAW, OPENCODE, PI, Surface};
use super::nested::{Nested, line};
use super::read::{Mcp, Protocol, event};
use super::response::Response;
use super::tools::{Shape, Tool, tool};
use super::{DetectionConfidence, Harness, Payload, Unreadable};
use guard_contract::call::Dialect;

/// A harness with a plugin of this program.
pub(super) struct Plugin {
    capabilities: &'static Capabilities,
    protocol: &'static Protocol,
}

pub(super) static OF_AMP: Plugin = Plugin {
    capabilities: &AMP,
    protocol: &Protocol {
        asking: &["tool.call"],
        ran: &["tool.call ran"],
        refused: &["tool.call refused"],
        tools: AMP_TOOLS,
        directories: &["workdir", "cwd"],
        ..Protocol::USUAL
    },
};

pub(super) static OF_KILO: Plugin = Plugin {
    capabilities: &KILO,
    protocol: &Protocol {
        asking: &["kilo.tool.execute.before"],
        tools: OPENCODE_TOOLS,
        directories: &["workdir"],
        ..Protocol::USUAL
    },
};

pub(super) static OF_OPENCODE: Plugin = Plugin {
    capabilities: &OPENCODE,
    protocol: &Protocol {
        asking: &["tool.execute.before"],
        tools: OPENCODE_TOOLS,
        directories: &["workdir"],
        ..Protocol::USUAL
    },
};

/// The second asking event is for calls without a screen.
pub(super) static OF_PI: Plugin = Plugin {
    capabilities: &PI,
    protocol: &Protocol {
        asking: &["pi.tool_call", "pi.tool_call print"],
        ran: &["pi.tool_call ran"],
        refused: &["pi.tool_call refused"],
        tools: PI_TOOLS,
        ..Protocol::USUAL
    },
};

/// The second asking event is for calls without a Gateway.
pub(super) static OF_OPENCLAW: Plugin = Plugin {
    capabilities: &OPENCLAW,
    protocol: &Protocol {
        asking: &["openclaw.before_tool_call", "openclaw.before_tool_call exec"],
        ran: &["openclaw.before_tool_call ran"],
        refused: &["openclaw.before_tool_call refused"],
        ending: &["openclaw.before_tool_call session_end"],
        tools: OPENCLAW_TOOLS,
        mcp: Mcp::Between("__"),
        directories: &["workdir"],
    },
};

static OPENCODE_TOOLS: &[Tool] = &[
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
    tool(&["background_process"], Shape::MayRun(Dialect::Bash, &["command"])),
];

static OPENCLAW_TOOLS: &[Tool] = &[
    // In Codex's own runtime, the name of the first tool starts with the machine on which it runs.
    tool(&["exec", "gateway_exec", "node_exec"], Shape::Command(Dialect::Bash, &["command"])),
    // Both type into a running program, which may be a shell.
    tool(&["process"], Shape::MayRun(Dialect::Bash, &["data", "text", "literal"])),
    tool(&["terminal"], Shape::MayRun(Dialect::Bash, &["data"])),
    tool(&["write"], Shape::File("Write")),
    tool(&["edit"], Shape::File("Edit")),
    tool(&["read", "view_image"], Shape::File("Read")),
    tool(&["apply_patch"], Shape::Patch(&["input"])),
    tool(&["web_fetch"], Shape::Named("WebFetch")),
    tool(&["sessions_spawn"], Shape::Named("Agent")),
];

static AMP_TOOLS: &[Tool] = &[
    tool(&["shell_command", "Bash"], Shape::Command(Dialect::Bash, &["command", "cmd"])),
    tool(&["create_file"], Shape::File("Write")),
    tool(&["edit_file"], Shape::File("Edit")),
    tool(&["Read", "read_file", "upload_thread_file"], Shape::File("Read")),
    tool(&["download_thread_file"], Shape::Files("Write", &["destination"])),
    tool(&["glob"], Shape::Folder("Glob")),
    tool(&["Grep"], Shape::Folder("Grep")),
];

static PI_TOOLS: &[Tool] = &[
    tool(&["bash"], Shape::Command(Dialect::Bash, &["command"])),
    tool(&["write"], Shape::File("Write")),
    tool(&["edit"], Shape::File("Edit")),
    tool(&["read"], Shape::File("Read")),
    tool(&["find"], Shape::Folder("Glob")),
    tool(&["grep"], Shape::Folder("Grep")),
    tool(&["ls"], Shape::Folder("LS")),
];

impl Harness for Plugin {
    fn capabilities(&self) -> &'static Capabilities {
        self.capabilities
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        let event = event(payload).ok().flatten();
        let Protocol { asking, ran, refused, ending, .. } = self.protocol;
        DetectionConfidence::certain(
            event.is_some_and(|event| [asking, ran, refused, ending].iter().any(|own| own.contains(&event))),
        )
    }

    fn surface(&self, payload: &Map<String, Value>) -> &'static Surface {
        self.capabilities.surface(event(payload).ok().flatten().unwrap_or_default())
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        self.protocol.decode(payload)
    }

    fn write(&self, response: &Response, _: &'static Surface) -> String {
        let (decision, reason) = match response {
            Response::Nothing | Response::Allow(_) => ("allow", None),
            Response::Note(text) => ("allow", Some(text.as_str())),
            Response::Ask(text) => ("ask", Some(text.as_str())),
            Response::Deny(text) => ("deny", Some(text.as_str())),
        };
        line(&Nested { decision: Some(decision), reason, ..Nested::default() })
    }
}
