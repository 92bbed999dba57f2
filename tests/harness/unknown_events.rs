//! Unknown events: one with a command is judged, and plain callers never get permission.

use serde_json::{Value, json};

use crate::support::reply::{assert_deny, assert_silent};
use crate::support::texts::normalized_output;
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

const PUSH: &str = "git push --force origin main";

fn hook(world: &World, harness: &str, payload: &Value) -> ProcessOutput {
    let mut payload = payload.clone();
    payload["cwd"] = json!(world.repo());
    world.run(&["hook", harness], &payload.to_string())
}

/// Returns an event before a call, as each harness would send it under another name.
fn renamed(command: &str) -> Vec<(&'static str, Value)> {
    let input = json!({ "command": command });
    vec![
        ("claude", json!({ "hook_event_name": "PreShellCommand", "tool_name": "Bash", "tool_input": input })),
        ("claude", json!({ "hook_event_name": "PreExec", "command": command })),
        (
            "codex",
            json!({ "hook_event_name": "BeforeExec", "turn_id": "t", "tool_name": "shell", "tool_input": input }),
        ),
        ("gemini", json!({ "hook_event_name": "BeforeShell", "tool_name": "run_shell_command", "tool_input": input })),
        (
            "qwen",
            json!({ "hook_event_name": "PreShell", "timestamp": "t", "permission_mode": "default",
            "tool_name": "run_shell_command", "tool_input": input }),
        ),
        ("cursor", json!({ "hook_event_name": "beforeTerminal", "cursor_version": "2.0", "command": command })),
        ("windsurf", json!({ "agent_action_name": "pre_terminal", "tool_info": { "command_line": command } })),
        (
            "cline",
            json!({ "hookName": "BeforeTool", "clineVersion": "3",
            "tool_call": { "name": "execute_command", "input": input } }),
        ),
        ("crush", json!({ "event": "BeforeUse", "tool_name": "bash", "tool_input": input })),
        ("vibe", json!({ "hook_event_name": "pre_exec", "tool_name": "file_system.bash", "tool_input": input })),
        (
            "copilot",
            json!({ "hook_event_name": "preExec", "session_id": "s", "timestamp": "t",
            "tool_name": "bash", "tool_input": input }),
        ),
        (
            "droid",
            json!({ "hook_event_name": "PreRun", "permission_mode": "off", "tool_name": "Execute",
            "tool_input": input }),
        ),
    ]
}

#[test]
fn a_renamed_event_with_a_command_is_judged() {
    let world = World::new();
    for command in [PUSH, "git push origin topic"] {
        for (harness, payload) in renamed(command) {
            let ended = hook(&world, harness, &payload);
            let told = format!("{}{}", ended.stdout, ended.stderr);
            // It is unknown whether such an event supports asks, so an ask also denies.
            let blocks =
                ended.exit == 2 || told.contains("\"cancel\":true") || told.contains("\"permission\":\"deny\"");
            assert!(blocks && told.contains("[command-guard: "), "{harness} {payload}: {ended:?}");
            assert!(!ended.stdout.contains("\"ask\""), "{harness} {payload}: {ended:?}");
        }
    }
    for (harness, payload) in renamed("ls -la") {
        let ended = hook(&world, harness, &payload);
        let passes = ["", "{}\n", "{\"cancel\":false}\n", "{\"permission\":\"allow\"}\n"];
        assert!(ended.exit == 0 && passes.contains(&ended.stdout.as_str()), "{harness} {payload}: {ended:?}");
    }
}

#[test]
fn a_call_that_an_unknown_event_hides_is_held() {
    let world = World::new();
    let hidden = json!({ "hook_event_name": "PreExec", "arguments": { "command": PUSH } });
    let ended = hook(&world, "claude", &hidden);
    assert_text!("harness_hidden_call", normalized_output(&world, &ended));
    for payload in [
        json!({ "hook_event_name": "PostExec", "tool_name": "Bash", "tool_input": { "command": PUSH } }),
        json!({ "hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": { "command": PUSH } }),
        json!({ "hook_event_name": "Notification", "message": PUSH }),
        json!({ "hook_event_name": "CwdChanged", "old_cwd": "/a" }),
    ] {
        assert_silent(&hook(&world, "claude", &payload));
    }
}

#[test]
fn claude_is_told_by_the_exit_code_for_an_event_of_any_name() {
    let world = World::new();
    let payload =
        json!({ "hook_event_name": "PreShellCommand", "tool_name": "Bash", "tool_input": { "command": PUSH } });
    assert_deny(&hook(&world, "claude", &payload), &["[command-guard: force-push-protected]"]);
}

#[test]
fn the_plain_protocol_lets_no_unknown_event_pass() {
    let world = World::new();
    let decision = |payload: Value| {
        let ended = hook(&world, "generic", &payload);
        let reply: Value = serde_json::from_str(&ended.stdout).unwrap();
        (reply["decision"].as_str().unwrap().to_owned(), reply["reason"].as_str().unwrap_or_default().to_owned())
    };
    // As Hermes Agent sends it.
    let hermes = |command: &str| json!({ "hook_event_name": "pre_tool_call", "tool_name": "terminal", "tool_input": { "command": command } });
    let (said, reason) = decision(hermes(PUSH));
    assert!(said == "block" && reason.contains("[command-guard: force-push-protected]"), "{reason}");
    assert_eq!(decision(hermes("ls -la")), ("allow".to_owned(), String::new()));
    for payload in [
        json!({ "event": "before_shell", "command": PUSH }),
        json!({ "hook_event_name": "BeforeCommand", "command": PUSH }),
        json!({ "hook_event_name": "on_exec", "tool": "sh", "args": { "command": PUSH } }),
        json!({ "hook_event_name": "tool.invoke", "arguments": { "cmd": PUSH } }),
        json!({ "hook_event_name": "llm_turn" }),
        json!({ "name": "bash", "arguments": "ls" }),
    ] {
        let (said, reason) = decision(payload.clone());
        assert!(said == "block" && !reason.is_empty(), "{payload}: {said} {reason}");
    }
    for payload in [
        json!({ "hook_event_name": "post_tool_call", "tool_name": "terminal", "tool_input": { "command": PUSH } }),
        json!({ "hook_event_name": "SessionEnd" }),
    ] {
        assert_eq!(decision(payload.clone()).0, "allow", "{payload}");
    }
}
