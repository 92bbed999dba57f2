//! The harnesses that have their hooks in a JSON file of the user, beside other programs' hooks.

use serde_json::{Value, json};

use super::{CRASHED, FailClosed, Hook, Layout, RegistrationSpec, TimeoutUnit};
use crate::entries::Item;
use crate::install::json::Syntax;
use crate::matcher::Matching;
use guard_harness::capabilities;

/// The reply of most harnesses: a denial in a nested object.
pub(super) const NESTED: (&str, fn(&Value) -> bool, &str) = (
    "/hookSpecificOutput/permissionDecision",
    |decision| decision == "deny",
    "/hookSpecificOutput/permissionDecisionReason",
);

/// A denial at the top level of the reply.
pub(super) const FLAT: (&str, fn(&Value) -> bool, &str) = ("/decision", |decision| decision == "deny", "/reason");

/// No reply: the exit code denies.
pub(super) const EXIT: (&str, fn(&Value) -> bool, &str) = ("", |_| false, "");

/// Returns a handler with its command and timeout.
fn handler(hook: &Hook) -> Item {
    Item::Object(vec![
        ("type", Item::text("command")),
        ("command", Item::text(&hook.line)),
        ("timeout", Item::Number(hook.timeout)),
    ])
}

/// Returns a group with its matcher and one handler.
pub(super) fn group(hook: &Hook) -> Item {
    Item::Object(vec![("matcher", Item::text(&hook.matcher)), ("hooks", Item::List(vec![handler(hook)]))])
}

fn before(hook: &Hook) -> Vec<(&'static str, Item)> {
    vec![("PreToolUse", group(hook))]
}

/// Returns the groups before a call and after a call, to record the outcome.
fn before_and_after(hook: &Hook) -> Vec<(&'static str, Item)> {
    let note = Hook { line: hook.bare.clone(), ..hook.clone() };
    vec![("PreToolUse", group(hook)), ("PostToolUse", group(&note))]
}

/// Groups of handlers in strict JSON.
const fn groups(make: fn(&Hook) -> Vec<(&'static str, Item)>) -> Layout {
    Layout::Entries { syntax: Syntax::Strict, grouped: true, beside: &[], make }
}

pub(super) static CODEX: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::CODEX,
    called: "codex",
    user: &["~/.codex/hooks.json"],
    project: &["./.codex/hooks.json"],
    moved: Some(("CODEX_HOME", "~/.codex")),
    layout: groups(|hook| vec![("PreToolUse", group(hook)), ("PermissionRequest", group(hook))]),
    matching: Matching::Names,
    all: "*",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Line,
    tools: &[("Bash", "PreToolUse"), ("apply_patch", "PreToolUse")],
    payload: |command, cwd| {
        json!({
            "session_id": "guard-host-doctor", "turn_id": "1", "transcript_path": null, "cwd": cwd,
            "hook_event_name": "PreToolUse", "model": "none", "permission_mode": "default",
            "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "call_1",
        })
    },
    denial: NESTED,
    switches: &[],
    gates: &[
        "approve the hook in Codex's `/hooks`: it is skipped until then, and again whenever its entry changes",
        "know that Codex reads a project's hooks only if it trusts the project",
    ],
};

pub(super) static GEMINI: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::GEMINI,
    called: "gemini",
    user: &["~/.gemini/settings.json"],
    project: &["./.gemini/settings.json"],
    moved: None,
    layout: Layout::Entries {
        syntax: Syntax::Comments,
        grouped: true,
        beside: &[],
        make: |hook| {
            let handler = Item::Object(vec![
                ("type", Item::text("command")),
                ("name", Item::text("guard-host")),
                ("command", Item::text(&hook.line)),
                ("timeout", Item::Number(hook.timeout)),
            ]);
            let group = vec![("matcher", Item::text(&hook.matcher)), ("hooks", Item::List(vec![handler]))];
            vec![("BeforeTool", Item::Object(group))]
        },
    },
    matching: Matching::Pattern,
    all: ".*",
    unit: TimeoutUnit::Milliseconds,
    closing: FailClosed::Line,
    tools: &[("run_shell_command", "BeforeTool"), ("write_file", "BeforeTool"), ("replace", "BeforeTool")],
    payload: |command, cwd| {
        json!({
            "session_id": "guard-host-doctor", "transcript_path": "", "cwd": cwd, "hook_event_name": "BeforeTool",
            "timestamp": "2026-01-01T00:00:00Z", "tool_name": "run_shell_command", "tool_input": { "command": command },
        })
    },
    denial: FLAT,
    switches: &[],
    gates: &["know that Gemini CLI runs a project's hooks only in a folder that it trusts, and asks again when they \
              change"],
};

pub(super) static QWEN: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::QWEN,
    called: "qwen",
    user: &["~/.qwen/settings.json"],
    project: &["./.qwen/settings.json"],
    moved: None,
    layout: Layout::Entries { syntax: Syntax::Comments, grouped: true, beside: &[], make: before_and_after },
    matching: Matching::Names,
    all: "*",
    // Versions that also accept seconds interpret a value of 1000 or more as milliseconds.
    unit: TimeoutUnit::Milliseconds,
    closing: FailClosed::Line,
    tools: &[("run_shell_command", "PreToolUse"), ("write_file", "PreToolUse"), ("edit", "PreToolUse")],
    payload: |command, cwd| {
        json!({
            "session_id": "guard-host-doctor", "transcript_path": "", "cwd": cwd, "hook_event_name": "PreToolUse",
            "timestamp": "2026-01-01T00:00:00Z", "permission_mode": "default", "tool_name": "run_shell_command",
            "tool_input": { "command": command, "is_background": false }, "tool_use_id": "1",
        })
    },
    denial: NESTED,
    switches: &["disableAllHooks"],
    gates: &[],
};

pub(super) static DROID: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::DROID,
    called: "droid",
    user: &["~/.factory/settings.json"],
    project: &["./.factory/settings.json"],
    moved: None,
    layout: groups(before_and_after),
    matching: Matching::Names,
    all: "*",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Line,
    tools: &[("Execute", "PreToolUse"), ("Create", "PreToolUse"), ("Edit", "PreToolUse"), ("ApplyPatch", "PreToolUse")],
    payload: |command, cwd| {
        json!({
            "session_id": "guard-host-doctor", "transcript_path": "", "cwd": cwd, "permission_mode": "off",
            "hook_event_name": "PreToolUse", "tool_name": "Execute",
            "tool_input": { "command": command, "riskLevel": "low" },
        })
    },
    denial: NESTED,
    switches: &["hooksDisabled"],
    gates: &["review the hook in Droid's `/hooks`. Droid reads its hooks when it starts"],
};

pub(super) static DEVIN: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::DEVIN,
    called: "devin",
    user: &["~/.config/devin/config.json"],
    project: &["./.devin/config.json"],
    moved: None,
    layout: groups(before),
    matching: Matching::Pattern,
    all: "",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Line,
    tools: &[("exec", "PreToolUse"), ("write", "PreToolUse"), ("edit", "PreToolUse")],
    payload: |command, _| {
        json!({
            "hook_event_name": "PreToolUse", "session_id": "guard-host-doctor", "tool_name": "exec",
            "tool_input": { "command": command },
        })
    },
    denial: ("/decision", |decision| decision == "block", "/reason"),
    switches: &[],
    gates: &[
        "know that Devin, by its documentation, also runs the hooks in Claude Code's files: with both, each call prompts twice",
    ],
};

pub(super) static ANTIGRAVITY: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::ANTIGRAVITY,
    called: "antigravity",
    user: &["~/.gemini/config/hooks.json"],
    project: &["./.agents/hooks.json"],
    moved: None,
    layout: Layout::Named("guard-host", |hook| {
        Item::Object(vec![("enabled", Item::Flag(true)), ("PreToolUse", Item::List(vec![group(hook)]))])
    }),
    matching: Matching::Names,
    all: "*",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Harness,
    tools: &[
        ("run_command", "PreToolUse"),
        ("write_to_file", "PreToolUse"),
        ("replace_file_content", "PreToolUse"),
        ("multi_replace_file_content", "PreToolUse"),
    ],
    payload: |command, cwd| {
        json!({
            "toolCall": { "name": "run_command", "args": { "CommandLine": command, "Cwd": cwd, "WaitMsBeforeAsync": 500 } },
            "workspacePaths": [cwd], "conversationId": "guard-host-doctor", "stepIdx": 1, "modelName": "none",
            "transcriptPath": "", "artifactDirectoryPath": "",
        })
    },
    denial: FLAT,
    switches: &[],
    gates: &[],
};

pub(super) static CURSOR: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::CURSOR,
    called: "cursor",
    user: &["~/.cursor/hooks.json"],
    project: &["./.cursor/hooks.json"],
    moved: None,
    layout: Layout::Entries {
        syntax: Syntax::Strict,
        grouped: false,
        beside: &[("version", Item::Number(1))],
        make: |hook| {
            let entry = |matcher: Option<&str>| {
                let mut entry = vec![("command", Item::text(&hook.line)), ("timeout", Item::Number(hook.timeout))];
                entry.extend(matcher.map(|matcher| ("matcher", Item::text(matcher))));
                if hook.blocks {
                    entry.push(("failClosed", Item::Flag(true)));
                }
                Item::Object(entry)
            };
            vec![
                ("beforeShellExecution", entry(None)),
                ("beforeMCPExecution", entry(None)),
                ("preToolUse", entry(Some(&hook.matcher))),
                ("beforeReadFile", entry(None)),
            ]
        },
    },
    matching: Matching::Fixed,
    // Without the tools that have their own events, which would be judged twice.
    all: "Write|StrReplace|Edit|MultiEdit|ApplyPatch|apply_patch|EditNotebook|search_replace|edit_file|Delete|Grep|Glob|List|LS|Task",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Key(CRASHED, None),
    tools: &[
        ("Shell", "beforeShellExecution"),
        ("MCP tools", "beforeMCPExecution"),
        ("Write", "preToolUse"),
        ("Delete", "preToolUse"),
        ("Read", "beforeReadFile"),
    ],
    payload: |command, cwd| {
        json!({
            "conversation_id": "guard-host-doctor", "generation_id": "1", "model": "none",
            "hook_event_name": "beforeShellExecution", "cursor_version": "2.0", "workspace_roots": [cwd],
            "user_email": null, "transcript_path": null, "command": command, "cwd": cwd, "sandbox": false,
        })
    },
    denial: ("/permission", |permission| permission == "deny", "/agent_message"),
    switches: &[],
    gates: &[
        "restart Cursor if its settings do not show the hooks",
        "know that Cursor runs a project's hooks only in a workspace that it trusts",
    ],
};

pub(super) static WINDSURF: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::WINDSURF,
    called: "windsurf",
    user: &["~/.codeium/windsurf/hooks.json"],
    project: &["./.windsurf/hooks.json"],
    moved: None,
    layout: Layout::Entries {
        syntax: Syntax::Strict,
        grouped: false,
        beside: &[],
        make: |hook| {
            let entry = || Item::Object(vec![("command", Item::text(&hook.line)), ("show_output", Item::Flag(true))]);
            ["pre_run_command", "pre_write_code", "pre_read_code", "pre_mcp_tool_use"]
                .into_iter()
                .map(|event| (event, entry()))
                .collect()
        },
    },
    matching: Matching::None,
    all: "",
    unit: TimeoutUnit::None,
    closing: FailClosed::Line,
    tools: &[
        ("commands", "pre_run_command"),
        ("writes", "pre_write_code"),
        ("reads", "pre_read_code"),
        ("MCP tools", "pre_mcp_tool_use"),
    ],
    payload: |command, cwd| {
        json!({
            "agent_action_name": "pre_run_command", "trajectory_id": "guard-host-doctor", "execution_id": "1",
            "timestamp": "2026-01-01T00:00:00Z", "tool_info": { "command_line": command, "cwd": cwd },
        })
    },
    denial: EXIT,
    switches: &[],
    gates: &[],
};

pub(super) static CRUSH: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::CRUSH,
    called: "crush",
    user: &["~/.config/crush/crush.json"],
    project: &["./crush.json"],
    moved: Some(("XDG_CONFIG_HOME", "~/.config")),
    layout: Layout::Entries {
        syntax: Syntax::Strict,
        grouped: false,
        beside: &[],
        make: |hook| {
            let entry = vec![
                ("name", Item::text("guard-host")),
                ("matcher", Item::text(&hook.matcher)),
                ("command", Item::text(&hook.line)),
                ("timeout", Item::Number(hook.timeout)),
            ];
            vec![("PreToolUse", Item::Object(entry))]
        },
    },
    matching: Matching::Pattern,
    all: ".*",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Line,
    tools: &[("bash", "PreToolUse"), ("write", "PreToolUse"), ("edit", "PreToolUse"), ("multiedit", "PreToolUse")],
    payload: |command, cwd| {
        json!({
            "event": "PreToolUse", "session_id": "guard-host-doctor", "cwd": cwd, "tool_name": "bash",
            "tool_input": { "command": command },
        })
    },
    denial: FLAT,
    switches: &[],
    gates: &[
        "know that Crush, by its documentation, runs hooks only for its main agent's calls, not for those of subagents",
    ],
};
