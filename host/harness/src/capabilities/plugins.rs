//! Harnesses whose plugins call the hook, and the plain protocol.
//!
//! The plugins are part of this program. They expect `{"decision": allow | deny | ask, "reason": ...}`, and block a
//! call if they get no such reply.

use super::{
    Abstain, Ask, Capabilities, Confidence, Fail, FileScope, Format, OnSilence, OnUnknownKey, Prompting, Surface, file,
};
use Confidence::{High, Medium};
use FileScope::{Project, User};
use Format::{Json, Plugin};

const PLUGIN: Surface = Surface {
    tells_user: true,
    abstain: Abstain::Token("{\"decision\":\"allow\"}"),
    on_silence: OnSilence::Broken,
    keys: &["decision", "reason"],
    ..Surface::for_event("tool.execute.before")
};

/// The capabilities of `opencode`.
pub static OPENCODE: Capabilities = Capabilities {
    name: "opencode",
    title: "OpenCode",
    surfaces: &[PLUGIN],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: false,
    on_crash: Fail::Closed,
    on_exit_one: Fail::Closed,
    on_timeout: Fail::Closed,
    timeout_ms: None,
    files: &[
        file("./.opencode/plugins/guard-host.js", Plugin, Project, High),
        file("~/.config/opencode/plugins/guard-host.js", Plugin, User, High),
    ],
    on_unknown_key: OnUnknownKey::Ignored,
    confidence: Medium,
    unverified: &[
        "version 2, which has a different plugin interface that still changes",
        "whether the name of an MCP tool differs from other tools' names",
    ],
    sources: &["the plugin interface's types of 1.18.33", "threads of the vendor's repository up to 2.0.26"],
};

/// The capabilities of `kilo`.
pub static KILO: Capabilities = Capabilities {
    name: "kilo",
    title: "Kilo",
    surfaces: &[Surface { event: "kilo.tool.execute.before", ..PLUGIN }],
    files: &[file("~/.config/kilo/plugins/guard-host.js", Plugin, User, High)],
    unverified: &["the extension for editors", "whether the name of an MCP tool differs from other tools' names"],
    sources: &["runs of 7.7.7"],
    confidence: High,
    ..OPENCODE
};

/// The capabilities of `pi`.
pub static PI: Capabilities = Capabilities {
    name: "pi",
    title: "Pi",
    surfaces: &[
        // The plugin itself prompts, and reports the answer.
        Surface { event: "pi.tool_call", ask: Ask::Person, answered_by_person: true, ..PLUGIN },
        Surface { event: "pi.tool_call print", ..PLUGIN },
    ],
    modes: &[("interactive", Prompting::Person), ("print", Prompting::Nobody)],
    files: &[
        file("./.pi/extensions/guard-host.ts", Plugin, Project, High),
        file("~/.pi/agent/extensions/guard-host.ts", Plugin, User, High),
    ],
    unverified: &["the tool names of other extensions, which aren't listed anywhere"],
    sources: &["the vendor's documentation of 0.73.1", "runs of 0.73.1"],
    confidence: High,
    ..OPENCODE
};

/// The capabilities of `openclaw`.
pub static OPENCLAW: Capabilities = Capabilities {
    name: "openclaw",
    title: "OpenClaw",
    // The plugin requests the prompt, and reports the answer. Programs with permission to approve can also answer.
    surfaces: &[
        Surface { event: "openclaw.before_tool_call", ask: Ask::Person, ..PLUGIN },
        Surface { event: "openclaw.before_tool_call exec", ..PLUGIN },
    ],
    timeout_ms: Some(15_000),
    files: &[
        file("~/.openclaw/extensions/guard-host/index.mjs", Plugin, User, High),
        file("~/.openclaw/extensions/guard-host/openclaw.plugin.json", Json, User, High),
    ],
    unverified: &[
        "the folder of a command. The payload has the agent's workspace, but `exec` may run in a sandbox, on a paired machine, or where the session was started",
        "arguments that another plugin changes afterwards, which OpenClaw doesn't show to this one",
        "the variables that `exec` sets for a command, and keys that `process` sends one by one",
        "agents that OpenClaw starts as separate programs (ACP). They have their own hooks",
        "whether an approval shows at most 512 characters of the message",
    ],
    sources: &["the source and documentation of 2026.9.6", "runs of 2026.9.6"],
    ..OPENCODE
};

/// The capabilities of `amp`.
pub static AMP: Capabilities = Capabilities {
    name: "amp",
    title: "Amp",
    // The plugin itself prompts, and reports the answer.
    surfaces: &[Surface { event: "tool.call", ask: Ask::Person, answered_by_person: true, ..PLUGIN }],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: false,
    on_crash: Fail::Closed,
    on_exit_one: Fail::Closed,
    on_timeout: Fail::Closed,
    timeout_ms: None,
    files: &[
        file("./.amp/plugins/guard-host.ts", Plugin, Project, Medium),
        file("~/.config/amp/plugins/guard-host.ts", Plugin, User, Medium),
    ],
    on_unknown_key: OnUnknownKey::Ignored,
    confidence: Medium,
    unverified: &[
        "the types of a plugin's answers",
        "the order in which several plugins are called",
        "how the older setting `amp.permissions` works with a program",
    ],
    sources: &["two third-party sources of 2026-08"],
};

/// The capabilities of `generic`.
pub static GENERIC: Capabilities = Capabilities {
    name: "generic",
    title: "the plain protocol",
    surfaces: &[Surface { event: "PreToolUse", tells_user: false, ..PLUGIN }],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: true,
    on_crash: Fail::Unknown,
    // In this protocol, everything except an allow is a block.
    on_exit_one: Fail::Closed,
    on_timeout: Fail::Unknown,
    timeout_ms: None,
    files: &[],
    on_unknown_key: OnUnknownKey::Unknown,
    confidence: High,
    unverified: &["how your program treats a missing reply"],
    sources: &["this program's own documentation"],
};
