//! The harnesses that start a file of this program: a script, or a short plugin.
//!
//! Each file blocks the call if the program is missing, fails, or prints an invalid reply.

use serde_json::json;

use super::json::FLAT;
use super::{FailClosed, Hook, Layout, RegistrationSpec, TimeoutUnit};
use crate::command::running;
use crate::install::Running;
use crate::matcher::Matching;
use guard_contract::shell_word::word;
use guard_harness::capabilities;

/// The first line of each file, by which it is recognized as this program's.
const OPENCODE_START: &str =
    "// Written by `guard-host install opencode`, and removed by `guard-host uninstall opencode`.\n";
const KILO_START: &str = "// Written by `guard-host install kilo`, and removed by `guard-host uninstall kilo`.\n";
const PI_START: &str = "// Written by `guard-host install pi`, and removed by `guard-host uninstall pi`.\n";
const OPENCLAW_START: &str =
    "// Written by `guard-host install openclaw`, and removed by `guard-host uninstall openclaw`.\n";
const AMP_START: &str = "// Written by `guard-host install amp`, and removed by `guard-host uninstall amp`.\n";
const CLINE_START: &str =
    "#!/bin/sh\n# Written by `guard-host install cline`, and removed by `guard-host uninstall cline`.\n";

const OPENCODE_TEXT: &str = include_str!("plugins/opencode.js");
/// Plugins of harnesses that prompt a person report the outcome.
const AMP_TEXT: &str = concat!(include_str!("plugins/tell.js"), include_str!("plugins/amp.ts"));
const PI_TEXT: &str = concat!(include_str!("plugins/tell.js"), include_str!("plugins/pi.ts"));
const OPENCLAW_TEXT: &str = concat!(include_str!("plugins/tell.js"), include_str!("plugins/openclaw.js"));
/// The part of each plugin that runs the program.
const ASK_TEXT: &str = include_str!("plugins/ask.js");

/// The plugin's line with the program and its arguments, and the line with the effect of an error.
const COMMAND: &str = "const COMMAND = ";
const HOLDS: &str = "const HOLDS = true\n";

/// The lines of the script for Cline that start the program.
const REPLY: &str = "reply=$(";
const REPLY_END: &str = ") || reply=";
const EXEC: &str = "exec ";

/// A former location of the script for Cline, which reads both files and would run the hook twice.
pub(super) const RETIRED: (&str, &str) = ("cline", "~/.cline/hooks/PreToolUse");

/// The reply of the script for Cline if the program prints nothing or an invalid reply.
const CANCEL: &str = r#"{"cancel":true,"errorMessage":"guard-host gave no answer, so this call is held. Tell the user to run: guard-host doctor cline"}"#;

fn plugin(start: &str, event: &str, hook: &Hook, text: &str) -> String {
    // A list of texts can't fail to serialize.
    let command = serde_json::to_string(&hook.words).unwrap_or_default();
    let holds = if hook.blocks { HOLDS } else { "const HOLDS = false\n" };
    let imported = if text.contains("spawn(") { "spawn, spawnSync" } else { "spawnSync" };
    let (imports, timeout) = (format!("import {{ {imported} }} from \"node:child_process\"\n"), hook.timeout);
    let event = format!("const EVENT = \"{event}\"\n");
    format!("{start}{imports}\n{COMMAND}{command}\nconst TIMEOUT = {timeout}\n{holds}{event}\n{ASK_TEXT}\n{text}")
}

/// Returns how a file starts the program. `None` if it doesn't.
pub(super) fn started(text: &str) -> Option<Running> {
    let of_line = |line: &str| {
        if let Some(list) = line.strip_prefix(COMMAND) {
            let words: Vec<String> = serde_json::from_str(list).ok()?;
            let (program, arguments) = words.split_first()?;
            return Some(Running::Program(program.clone(), arguments.to_vec()));
        }
        let within = line.strip_prefix(REPLY).and_then(|rest| rest.split_once(REPLY_END)).map(|(within, _)| within);
        within.or_else(|| line.strip_prefix(EXEC)).map(running)
    };
    text.lines().find_map(of_line)
}

/// Returns whether the file blocks the call if the program fails.
pub(super) fn blocks(text: &str) -> bool {
    text.contains(HOLDS) || text.contains(CANCEL)
}

pub(super) static OPENCODE: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::OPENCODE,
    called: "opencode",
    user: &["~/.config/opencode/plugins/guard-host.js"],
    project: &["./.opencode/plugins/guard-host.js"],
    moved: Some(("XDG_CONFIG_HOME", "~/.config")),
    layout: Layout::Program(0o644, OPENCODE_START, |hook| {
        plugin(OPENCODE_START, "tool.execute.before", hook, OPENCODE_TEXT)
    }),
    matching: Matching::None,
    all: "",
    unit: TimeoutUnit::Milliseconds,
    closing: FailClosed::Ours,
    tools: &[("bash", "tool.execute.before"), ("write", "tool.execute.before"), ("edit", "tool.execute.before")],
    payload: |command, cwd| {
        json!({
            "hook_event_name": "tool.execute.before", "session_id": "guard-host-doctor", "tool_use_id": "1", "cwd": cwd,
            "tool_name": "bash", "tool_input": { "command": command },
        })
    },
    denial: FLAT,
    switches: &[],
    gates: &[
        "know that OpenCode loads no plugin with `--pure` or `OPENCODE_PURE=1`, and version 2 doesn't load this one",
    ],
};

pub(super) static KILO: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::KILO,
    called: "kilo",
    user: &["~/.config/kilo/plugins/guard-host.js"],
    project: &[],
    layout: Layout::Program(0o644, KILO_START, |hook| {
        plugin(KILO_START, "kilo.tool.execute.before", hook, OPENCODE_TEXT)
    }),
    tools: &[
        ("bash", "kilo.tool.execute.before"),
        ("write", "kilo.tool.execute.before"),
        ("edit", "kilo.tool.execute.before"),
        ("background_process", "kilo.tool.execute.before"),
    ],
    payload: |command, cwd| {
        json!({
            "hook_event_name": "kilo.tool.execute.before", "session_id": "guard-host-doctor", "tool_use_id": "1",
            "cwd": cwd, "tool_name": "bash", "tool_input": { "command": command },
        })
    },
    gates: &[],
    ..OPENCODE
};

pub(super) static PI: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::PI,
    called: "pi",
    user: &["~/.pi/agent/extensions/guard-host.ts"],
    project: &["./.pi/extensions/guard-host.ts"],
    moved: Some(("PI_CODING_AGENT_DIR", "~/.pi/agent")),
    layout: Layout::Program(0o644, PI_START, |hook| plugin(PI_START, "pi.tool_call", hook, PI_TEXT)),
    tools: &[("bash", "pi.tool_call"), ("write", "pi.tool_call"), ("edit", "pi.tool_call")],
    payload: |command, cwd| {
        json!({
            "hook_event_name": "pi.tool_call", "session_id": "guard-host-doctor", "tool_use_id": "1", "cwd": cwd,
            "permission_mode": "interactive", "tool_name": "bash", "tool_input": { "command": command },
        })
    },
    gates: &["know that Pi loads no extension with `--no-extensions`"],
    ..OPENCODE
};

/// The manifest by which OpenClaw finds the plugin in the same folder.
const OPENCLAW_MANIFEST: &str = r#"{
  "id": "guard-host",
  "name": "guard-host",
  "description": "Judges each tool call before it runs.",
  "activation": { "onStartup": true, "onCapabilities": ["hook"] },
  "contracts": { "trustedToolPolicies": ["guard-host"] },
  "configSchema": { "type": "object", "additionalProperties": false }
}
"#;

pub(super) static OPENCLAW: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::OPENCLAW,
    called: "openclaw",
    user: &["~/.openclaw/extensions/guard-host/index.mjs", "~/.openclaw/extensions/guard-host/openclaw.plugin.json"],
    project: &[],
    moved: Some(("OPENCLAW_STATE_DIR", "~/.openclaw")),
    layout: Layout::Folder {
        manifest: ("openclaw.plugin.json", OPENCLAW_MANIFEST),
        start: OPENCLAW_START,
        make: |hook| plugin(OPENCLAW_START, "openclaw.before_tool_call", hook, OPENCLAW_TEXT),
    },
    tools: &[
        ("exec", "openclaw.before_tool_call"),
        ("process", "openclaw.before_tool_call"),
        ("write", "openclaw.before_tool_call"),
        ("edit", "openclaw.before_tool_call"),
        ("apply_patch", "openclaw.before_tool_call"),
    ],
    payload: |command, cwd| {
        json!({
            "hook_event_name": "openclaw.before_tool_call", "session_id": "guard-host-doctor", "tool_use_id": "1",
            "cwd": cwd, "tool_name": "exec", "tool_input": { "command": command },
        })
    },
    gates: &[
        "run `openclaw plugins enable guard-host`: OpenClaw loads no plugin that isn't enabled",
        "restart the Gateway, or run `openclaw plugins reload guard-host` after a guard-host update",
        "know that OpenClaw loads no plugin with `plugins.enabled: false`, none that `plugins.deny` lists, and with `plugins.allow` only those in it: add `guard-host` there",
        "know that `openclaw agent exec` loads no plugin with `--isolated` or `--auth-env-only`",
        "know that OpenClaw asks through its approvals, in the Control UI or with `/approve` in a chat: if no one can be asked, the call is blocked",
    ],
    ..OPENCODE
};

pub(super) static AMP: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::AMP,
    called: "amp",
    user: &["~/.config/amp/plugins/guard-host.ts"],
    project: &["./.amp/plugins/guard-host.ts"],
    moved: Some(("XDG_CONFIG_HOME", "~/.config")),
    layout: Layout::Program(0o644, AMP_START, |hook| plugin(AMP_START, "tool.call", hook, AMP_TEXT)),
    matching: Matching::None,
    all: "",
    unit: TimeoutUnit::Milliseconds,
    closing: FailClosed::Ours,
    tools: &[("shell_command", "tool.call"), ("create_file", "tool.call"), ("edit_file", "tool.call")],
    payload: |command, cwd| {
        json!({
            "hook_event_name": "tool.call", "session_id": "guard-host-doctor", "cwd": cwd, "tool_name": "shell_command",
            "tool_input": { "command": command },
        })
    },
    denial: FLAT,
    switches: &[],
    gates: &["know that Amp loads no plugin with `PLUGINS=off`; older versions want `PLUGINS=all`"],
};

pub(super) static CLINE: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::CLINE,
    called: "cline",
    user: &["~/Documents/Cline/Hooks/PreToolUse"],
    project: &["./.cline/hooks/PreToolUse"],
    moved: None,
    layout: Layout::Program(0o755, CLINE_START, |hook| {
        let line = &hook.line;
        match hook.blocks {
            true => format!(
                "{CLINE_START}{REPLY}{line}{REPLY_END}\n\
                 case $reply in '{{\"cancel\":'*'}}') ;; *) reply={} ;; esac\nprintf '%s\\n' \"$reply\"\n",
                word(CANCEL)
            ),
            false => format!("{CLINE_START}{EXEC}{line}\n"),
        }
    }),
    matching: Matching::None,
    all: "",
    unit: TimeoutUnit::None,
    closing: FailClosed::Ours,
    tools: &[
        ("execute_command", "PreToolUse"),
        ("write_to_file", "PreToolUse"),
        ("replace_in_file", "PreToolUse"),
        ("run_commands", "tool_call"),
        ("editor", "tool_call"),
    ],
    payload: |command, cwd| {
        json!({
            "clineVersion": "3.0", "hookName": "PreToolUse", "timestamp": "1", "taskId": "guard-host-doctor",
            "workspaceRoots": [cwd], "userId": "u", "model": { "provider": "none", "slug": "none" },
            "preToolUse": {
                "toolName": "execute_command", "parameters": { "command": command, "requires_approval": "false" },
            },
        })
    },
    denial: ("/cancel", |cancel| cancel == true, "/errorMessage"),
    switches: &[],
    gates: &[
        "switch on Hooks in Cline's settings",
        "know that Cline ends a run in which an MCP tool call is blocked, and shows no reason",
    ],
};
