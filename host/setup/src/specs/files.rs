//! The harnesses that read a folder of hook files, where this program has its own file.

use serde_json::json;

use super::json::{EXIT, FLAT, NESTED, group};
use super::{FailClosed, Hook, Layout, RegistrationSpec, TimeoutUnit};
use crate::entries::Item;
use crate::matcher::Matching;
use guard_harness::capabilities;

/// One file for Copilot and VS Code. Both read it, and their payloads differ.
fn copilot(hook: &Hook) -> Item {
    let entry = |line: &str| {
        let mut entry = vec![("type", Item::text("command")), ("command", Item::text(line))];
        if !hook.matcher.is_empty() {
            entry.push(("matcher", Item::text(&hook.matcher)));
        }
        entry.push(("timeoutSec", Item::Number(hook.timeout)));
        Item::List(vec![Item::Object(entry)])
    };
    // After a call, to record the outcome.
    let events = vec![("preToolUse", entry(&hook.line)), ("postToolUse", entry(&hook.bare))];
    Item::Object(vec![("version", Item::Number(1)), ("hooks", Item::Object(events))])
}

pub(super) static COPILOT: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::COPILOT,
    called: "copilot",
    user: &["~/.copilot/hooks/guard-host.json"],
    project: &["./.github/hooks/guard-host.json"],
    moved: Some(("COPILOT_HOME", "~/.copilot")),
    layout: Layout::Whole(copilot),
    matching: Matching::Whole,
    all: "",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Line,
    tools: &[("bash", "preToolUse"), ("create", "preToolUse"), ("edit", "preToolUse")],
    payload: |command, cwd| {
        json!({
            "sessionId": "guard-host-doctor", "timestamp": 1, "cwd": cwd, "toolName": "bash",
            "toolArgs": json!({ "command": command }).to_string(),
        })
    },
    denial: ("/permissionDecision", |decision| decision == "deny", "/permissionDecisionReason"),
    switches: &["disableAllHooks"],
    gates: &[
        "know that Copilot in prompt mode loads a repository's hooks only if it trusts the folder",
        "know that Copilot's cloud agent reads only the repository's hooks: `--shared` registers them",
    ],
};

pub(super) static VSCODE: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::VSCODE,
    called: "copilot",
    user: &["~/.copilot/hooks/guard-host.json"],
    project: &["./.github/hooks/guard-host.json"],
    moved: None,
    layout: Layout::Whole(copilot),
    matching: Matching::None,
    all: "",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Line,
    tools: &[
        ("run_in_terminal", "preToolUse"),
        ("create_file", "preToolUse"),
        ("replace_string_in_file", "preToolUse"),
    ],
    payload: |command, cwd| {
        json!({
            "hook_event_name": "PreToolUse", "session_id": "guard-host-doctor", "cwd": cwd,
            "timestamp": "2026-01-01T00:00:00Z", "transcript_path": "", "tool_name": "run_in_terminal",
            "tool_input": { "command": command }, "tool_use_id": "1",
        })
    },
    denial: NESTED,
    switches: &["disableAllHooks"],
    gates: &["know that Copilot uses this file too: removing it for one removes it for both"],
};

pub(super) static GROK: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::GROK,
    called: "grok",
    user: &["~/.grok/hooks/guard-host.json"],
    project: &["./.grok/hooks/guard-host.json"],
    moved: None,
    layout: Layout::Whole(|hook| {
        let events = vec![("PreToolUse", Item::List(vec![group(hook)]))];
        Item::Object(vec![("hooks", Item::Object(events))])
    }),
    matching: Matching::Names,
    all: "*",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Line,
    tools: &[("run_terminal_command", "PreToolUse")],
    payload: |command, cwd| {
        json!({
            "cwd": cwd, "hookEventName": "pre_tool_use", "hook_event_name": "PreToolUse", "permissionMode": "default",
            "permission_mode": "default", "sessionId": "guard-host-doctor", "session_id": "guard-host-doctor",
            "timestamp": "2026-01-01T00:00:00+00:00", "toolName": "run_terminal_command",
            "tool_name": "run_terminal_command", "toolInput": { "command": command },
            "tool_input": { "command": command }, "toolInputTruncated": false, "toolUseId": "1", "tool_use_id": "1",
            "transcriptPath": "", "transcript_path": "", "workspaceRoot": cwd,
        })
    },
    denial: FLAT,
    switches: &[],
    gates: &[
        "know that Grok is said to run Claude Code's and Cursor's hooks too: with several, each call prompts again",
    ],
};

pub(super) static KIRO: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::KIRO,
    called: "kiro",
    user: &["~/.kiro/hooks/guard-host.json"],
    project: &["./.kiro/hooks/guard-host.json"],
    moved: Some(("KIRO_HOME", "~/.kiro")),
    layout: Layout::Whole(|hook| {
        // Harnesses may reject the whole file because of an unknown key.
        let action = vec![("type", Item::text("command")), ("command", Item::text(&hook.line))];
        let entry = vec![
            ("name", Item::text("guard-host")),
            ("trigger", Item::text("PreToolUse")),
            ("matcher", Item::text(&hook.matcher)),
            ("action", Item::Object(action)),
            ("timeout", Item::Number(hook.timeout)),
            ("enabled", Item::Flag(true)),
        ];
        Item::Object(vec![("version", Item::text("v1")), ("hooks", Item::List(vec![Item::Object(entry)]))])
    }),
    matching: Matching::Names,
    all: "*",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Line,
    tools: &[("shell", "PreToolUse"), ("write", "PreToolUse")],
    payload: |command, cwd| {
        json!({
            "hook_event_name": "PreToolUse", "cwd": cwd, "session_id": "guard-host-doctor", "tool_name": "execute_bash",
            "tool_input": { "command": command },
        })
    },
    denial: EXIT,
    switches: &[],
    gates: &["know that Amazon Q and Kiro CLI 2 read no such file: there the hook is in each agent's own JSON"],
};
