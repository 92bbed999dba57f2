//! The harness that has its hooks in a TOML file of the user.

use serde_json::json;

use super::json::{EXIT, FLAT};
use super::{FailClosed, Layout, RegistrationSpec, TimeoutUnit};
use crate::entries::Item;
use crate::matcher::Matching;
use guard_harness::capabilities;

pub(super) static KIMI: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::KIMI,
    called: "kimi",
    user: &["~/.kimi-code/config.toml"],
    project: &[],
    moved: None,
    // Kimi ignores all hooks of the file if it finds an unknown key.
    layout: Layout::Tables("hooks", |hook| {
        vec![
            ("event", Item::text("PreToolUse")),
            ("matcher", Item::text(&hook.matcher)),
            ("command", Item::text(&hook.line)),
            ("timeout", Item::Number(hook.timeout)),
        ]
    }),
    matching: Matching::Pattern,
    all: ".*",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Line,
    tools: &[("Bash", "PreToolUse"), ("Write", "PreToolUse"), ("Edit", "PreToolUse")],
    payload: |command, cwd| {
        json!({
            "hook_event_name": "PreToolUse", "session_id": "guard-host-doctor", "session_title": "", "client_type": "cli",
            "cwd": cwd, "tool_name": "Bash", "tool_input": { "command": command }, "tool_call_id": "1",
        })
    },
    denial: EXIT,
    switches: &[],
    gates: &[],
};

pub(super) static VIBE: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::VIBE,
    called: "vibe",
    user: &["~/.vibe/hooks.toml"],
    project: &["./.vibe/hooks.toml"],
    moved: Some(("VIBE_HOME", "~/.vibe")),
    layout: Layout::Tables("hooks", |hook| {
        let mut table = vec![
            ("name", Item::text("guard-host")),
            ("type", Item::text("pre_tool")),
            ("command", Item::text(&hook.line)),
            ("timeout", Item::Number(hook.timeout)),
        ];
        if hook.blocks {
            table.push(("strict", Item::Flag(true)));
        }
        table
    }),
    matching: Matching::None,
    all: "",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Key("strict", None),
    tools: &[
        ("file_system.bash", "pre_tool"),
        ("process.start", "pre_tool"),
        ("file_system.write_file", "pre_tool"),
        ("file_system.search_replace", "pre_tool"),
    ],
    payload: |command, cwd| {
        json!({
            "hook_event_name": "pre_tool", "session_id": "guard-host-doctor", "parent_session_id": null, "cwd": cwd,
            "transcript_path": "", "tool_name": "file_system.bash", "tool_call_id": "1",
            "tool_input": { "command": command },
        })
    },
    denial: FLAT,
    switches: &[],
    gates: &[
        "know that Vibe reads a project's `.vibe/hooks.toml` where it trusts the folder, and a hook named `guard-host` there replaces yours",
    ],
};
