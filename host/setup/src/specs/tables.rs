//! The harness that has its hooks in TOML of the user's.

use serde_json::json;

use super::json::EXIT;
use super::{Closing, Layout, RegistrationSpec, Unit};
use crate::entries::Item;
use crate::matcher::Matching;
use guard_harness::capabilities;

pub(super) static KIMI: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::KIMI,
    called: "kimi",
    user: &["~/.kimi-code/config.toml"],
    project: &[],
    moved: None,
    layout: Layout::Tables("hooks", |hook| {
        let mut table = vec![
            ("event", Item::text("PreToolUse")),
            ("matcher", Item::text(&hook.matcher)),
            ("command", Item::text(&hook.line)),
            ("timeout", Item::Number(hook.timeout)),
        ];
        if hook.blocks {
            table.push(("fail_mode", Item::text("closed")));
        }
        table
    }),
    matching: Matching::Pattern,
    all: ".*",
    unit: Unit::Seconds,
    closing: Closing::Key("fail_mode", Some("closed")),
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
