//! The outcome of a call that needed confirmation: one line in the log, if the harness reports it.

use serde_json::{Value, json};

use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

/// Returns a payload about a push in the session `s1`.
fn payload(world: &World, event: &str, id: &str, branch: &str) -> String {
    let mut payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": event, "permission_mode": "default",
        "tool_name": "Bash", "tool_input": { "command": format!("git push origin {branch}") },
    });
    if !id.is_empty() {
        payload["tool_use_id"] = id.into();
    }
    payload.to_string()
}

/// Runs the prompt on the screen of Claude Code, and then the events, to which the program replies nothing.
fn happens(world: &World, asked: (&str, &str), events: &[(&str, &str, &str)]) {
    assert_eq!(on(world, "cli", &payload(world, "PreToolUse", asked.0, asked.1)).decision(), "ask");
    tells(world, events);
}

/// Runs the hook as Claude Code starts it, from this entry point.
fn on(world: &World, entry: &str, payload: &str) -> ProcessOutput {
    let mut command = world.command(&["hook", "claude"]);
    command.env("CLAUDE_CODE_ENTRYPOINT", entry).env("AI_AGENT", "claude-code_2-1-332_harness");
    end(command, payload)
}

#[track_caller]
fn tells(world: &World, events: &[(&str, &str, &str)]) {
    for (event, id, branch) in events {
        let ended = world.run(&["hook", "claude"], &payload(world, event, id, branch));
        assert!(ended.is_silent(), "{event} {id}: {ended:?}");
    }
}

/// Returns the lines after those about prompts.
fn ends(world: &World) -> Vec<Value> {
    world.audit().into_iter().filter(|line| line["action"] != "confirm_required").collect()
}

/// Returns the action, the operation and its author.
fn words(lines: &[Value]) -> Vec<(&str, &str, Option<&str>)> {
    lines.iter().map(|line| (text(line, "action"), text(line, "operation"), line["by"].as_str())).collect()
}

fn text<'a>(line: &'a Value, key: &str) -> &'a str {
    line[key].as_str().unwrap()
}

#[test]
fn a_call_that_a_person_approved_is_logged_once_when_it_has_run() {
    let world = World::new();
    happens(&world, ("t1", "a"), &[("PostToolUse", "t9", "a"), ("PostToolUse", "t1", "a"), ("PostToolUse", "t1", "a")]);
    let lines = ends(&world);
    assert_eq!(words(&lines), [("ran", "git push origin a", Some("person"))]);
    let line = &lines[0];
    assert_eq!((&line["rule"], &line["policy"]), (&json!("git-push"), &json!("command-guard")));
    assert_eq!((&line["session"], &line["harness"], &line["tool"]), (&json!("s1"), &json!("claude"), &json!("Bash")));
    assert!(line["ms"].as_f64().unwrap() >= 0.0 && line["asked"].as_str().unwrap() < line["ts"].as_str().unwrap());
    // It is no longer pending.
    assert_text!("confirm_nothing", &world, 0, world.run(&["confirm", "--list"], ""));
}

#[test]
fn a_call_that_failed_has_run_and_one_that_the_harness_refused_has_not() {
    let world = World::new();
    happens(&world, ("t1", "a"), &[("PostToolUseFailure", "t1", "a")]);
    happens(&world, ("t2", "b"), &[("PermissionDenied", "t2", "b")]);
    assert_eq!(words(&ends(&world)), [("ran", "git push origin a", Some("person"))]);
}

/// In the form of 2.1.332.
#[test]
fn a_call_that_the_classifier_of_auto_mode_refused_names_it() {
    let world = World::new();
    let auto = |event: &str| {
        let mut told: Value = serde_json::from_str(&payload(&world, event, "t1", "a")).unwrap();
        told["permission_mode"] = "auto".into();
        told["reason"] = "the user asked for no push".into();
        told.to_string()
    };
    assert_eq!(on(&world, "cli", &auto("PreToolUse")).decision(), "ask");
    assert!(on(&world, "cli", &auto("PermissionDenied")).is_silent());
    assert_eq!(words(&ends(&world)), [("refused", "git push origin a", Some("classifier"))]);
    // It is reported once, and a call without a prompt isn't reported at all.
    assert!(on(&world, "cli", &auto("PermissionDenied")).is_silent());
    assert_eq!(ends(&world).len(), 1);
}

#[test]
fn without_ids_calls_are_told_by_what_they_do() {
    let world = World::new();
    happens(&world, ("", "a"), &[("PostToolUse", "", "b"), ("PostToolUse", "", "a")]);
    assert_eq!(words(&ends(&world)), [("ran", "git push origin a", Some("person"))]);
}

#[test]
fn a_call_that_was_not_asked_about_leaves_no_line_and_no_file() {
    let world = World::new();
    tells(&world, &[("PostToolUse", "t1", "a"), ("PermissionDenied", "t1", "a")]);
    let garbled = r#"{"hook_event_name":"PostToolUse","session_id":"s1","tool_name":7,"tool_input":[]}"#;
    assert!(world.run(&["hook", "claude"], garbled).is_silent());
    assert!(world.audit().is_empty() && !world.path(".local/state/guard-host/sessions").exists());
}

#[test]
fn where_nobody_knows_who_let_it_run_nobody_is_named() {
    let world = World::new();
    // An ask is refused there, and if the call runs anyway, its approver is unknown.
    let droid = |event: &str| {
        json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": world.repo(), "permission_mode": "auto-high",
            "hook_event_name": event, "tool_name": "Execute", "tool_input": { "command": "git push origin a" },
        })
        .to_string()
    };
    let hook = |event: &str| world.run(&["hook", "droid"], &droid(event));
    assert_eq!(hook("PreToolUse").decision(), "deny");
    assert!(hook("PostToolUse").is_silent());
    assert_eq!(words(&ends(&world)), [("ran", "git push origin a", Some("unknown"))]);
}

#[test]
fn where_something_else_may_have_let_it_run_nobody_is_named() {
    for (entry, mode) in [
        ("sdk-cli", "default"),
        ("sdk-ts", "default"),
        ("claude-vscode", "acceptEdits"),
        ("cli", "bypassPermissions"),
        ("cli", "plan"),
        ("cli", "auto"),
        ("cli", "dontAsk"),
        ("cli", ""),
    ] {
        let world = World::new();
        let told = |event: &str| payload(&world, event, "t1", "a").replace("\"default\"", &json!(mode).to_string());
        assert_eq!(on(&world, entry, &told("PreToolUse")).decision(), "ask", "{entry} {mode}");
        assert!(on(&world, entry, &told("PostToolUse")).is_silent());
        assert_eq!(words(&ends(&world)), [("ran", "git push origin a", Some("unknown"))], "{entry} {mode}");
    }
    let world = World::new();
    let told = |event: &str| payload(&world, event, "t1", "a").replace("\"default\"", "\"acceptEdits\"");
    on(&world, "cli", &told("PreToolUse"));
    on(&world, "cli", &told("PostToolUse"));
    assert_eq!(words(&ends(&world)), [("ran", "git push origin a", Some("person"))]);
}
