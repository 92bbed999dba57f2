//! Calls for which nobody may see an ask: the reply denies and explains how a person approves the call.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::world::{ProcessOutput, World, end};

const NEW: &str = "claude-code_2-1-332_harness";

/// Runs the hook as this version of Claude Code starts it, in the session `s1`.
fn hook(world: &World, version: Option<&str>, mode: &str, tool: &str, input: &Value) -> ProcessOutput {
    let payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "permission_mode": mode,
        "tool_name": tool, "tool_input": input,
    });
    let mut command = world.command(&["hook", "claude"]);
    if let Some(version) = version {
        command.env("CLAUDE_CODE_ENTRYPOINT", "cli").env("AI_AGENT", version);
    }
    end(command, &payload.to_string())
}

fn bypassing(world: &World, command: &str) -> ProcessOutput {
    hook(world, Some(NEW), "bypassPermissions", "Bash", &json!({ "command": command }))
}

#[test]
fn where_prompts_are_skipped_only_a_plain_call_is_asked_about() {
    let world = World::new();
    assert_ask(&bypassing(&world, "git push origin topic"), &["[command-guard: git-push]"]);
    assert_ask(&bypassing(&world, "rm -rf build"), &[]);
    assert_silent(&bypassing(&world, "ls .git"));
    for command in [
        "git push origin topic 2> .git/push.log",
        "npm publish > .claude/npm.log",
        "rm -rf .g''it",
        "git push origin topic; touch $d",
        "cd .git && rm -rf hooks",
    ] {
        let ended = bypassing(&world, command);
        assert_deny(&ended, &["guard-host confirm "]);
    }
    for path in [".git/hooks/pre-commit", ".vscode/tasks.json"] {
        let input = json!({ "file_path": world.repo().join(path), "content": "x" });
        assert_deny(&hook(&world, Some(NEW), "bypassPermissions", "Write", &input), &["guard-host confirm --code "]);
    }
    let input = json!({ "file_path": world.repo().join("Dockerfile"), "content": "FROM x" });
    assert_ask(&hook(&world, Some(NEW), "bypassPermissions", "Write", &input), &[]);
    let lines = world.audit();
    assert!(lines.iter().all(|line| line["action"] == "confirm_required"), "{lines:?}");
}

#[test]
fn a_link_that_was_laid_before_is_followed() {
    let world = World::new();
    fs::create_dir_all(world.repo().join(".git/hooks")).unwrap();
    symlink(".git", world.repo().join("g")).unwrap();
    assert_deny(&bypassing(&world, "git push origin topic; touch g/hooks/x"), &["guard-host confirm "]);
    assert_deny(&bypassing(&world, "git push origin topic; cp x g"), &["guard-host confirm "]);
    assert_ask(&bypassing(&world, "git push origin topic; touch h"), &[]);
}

#[test]
fn a_working_directory_behind_a_link_is_no_link_on_the_way() {
    let world = World::new();
    let there = world.path("there");
    symlink(world.repo(), &there).unwrap();
    let payload = |command: String| {
        json!({
            "session_id": "s1", "cwd": there, "hook_event_name": "PreToolUse", "permission_mode": "bypassPermissions",
            "tool_name": "Bash", "tool_input": { "command": command },
        })
        .to_string()
    };
    assert_ask(&world.hook(&payload("rm -rf build".to_owned())), &[]);
    assert_ask(&world.hook(&payload(format!("rm -rf {}/build", there.display()))), &[]);
}

#[test]
fn a_plan_may_have_begun_where_prompts_are_skipped() {
    let world = World::new();
    let push = |mode: &str, command: &str| hook(&world, Some(NEW), mode, "Bash", &json!({ "command": command }));
    assert_ask(&push("plan", "git push origin topic"), &[]);
    assert_deny(&push("plan", "git push origin topic 2> .git/x"), &["guard-host confirm "]);
    for mode in ["default", "acceptEdits", "dontAsk", "auto"] {
        assert_ask(&push(mode, "git push origin topic 2> .git/x"), &[]);
    }
    assert_deny(&push("somethingNew", "git push origin topic"), &["guard-host confirm "]);
}

#[test]
fn in_auto_an_older_version_asks_nobody_and_confirms_nothing() {
    for (version, expected) in [
        (Some(NEW), "ask"),
        (Some("claude-code_2-1-211_harness"), "ask"),
        (Some("claude-code_2-1-207_harness"), "deny"),
        (Some("another"), "deny"),
        (None, "deny"),
    ] {
        let world = World::new();
        let bash = |input: Value| hook(&world, version, "auto", "Bash", &input);
        assert_eq!(bash(json!({ "command": "git push origin topic" })).decision(), expected, "{version:?}");
        let confirm = "guard-host confirm 'git push origin topic'";
        let asked = bash(json!({ "command": confirm, "dangerouslyDisableSandbox": true }));
        assert_eq!(asked.decision(), expected, "{version:?}");
        let confirmed = world.run(&["confirm", "git push origin topic"], "");
        assert_eq!(confirmed.exit, if expected == "ask" { 0 } else { 77 }, "{version:?}: {confirmed:?}");
    }
}

#[test]
fn a_command_outside_of_the_sandbox_is_not_plain() {
    let world = World::new();
    let bash = |input: Value| hook(&world, Some(NEW), "bypassPermissions", "Bash", &input);
    let outside = json!({ "command": "git push origin topic", "dangerouslyDisableSandbox": true });
    assert_deny(&bash(outside), &["guard-host confirm "]);
    assert_ask(&bash(json!({ "command": "git push origin topic", "description": "Push", "timeout": 9 })), &[]);
}

#[test]
fn a_payload_that_is_too_large_for_its_mode_to_be_read_is_denied() {
    let world = World::new();
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let payload = format!(
        r#"{{"permission_mode":"bypassPermissions","tool_name":"Write","tool_input":{{"file_path":"/r/.git/x","a":{deep}}}}}"#
    );
    assert_deny(&world.hook(&payload), &["[hook: payload-limit]"]);
}

#[test]
fn a_user_who_chose_otherwise_has_that() {
    let world = World::new();
    world.configure("bypass-ask = \"skip\"\n");
    assert_eq!(bypassing(&world, "git push origin topic 2> .git/x").exit, 0);
    world.configure("bypass-ask = \"deny\"\n");
    assert_deny(&bypassing(&world, "git push origin topic"), &["[command-guard: git-push]"]);
}
