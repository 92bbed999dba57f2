//! `guard-host audit suggest`: changes that would avoid prompts that were always approved.

use serde_json::{Value, json};

use crate::support::reply::{assert_ask, assert_silent, assert_warn};
use crate::support::terminal::attended_by;
use crate::support::texts::{Transcript, lines_about, normalize};
use crate::support::world::{World, end};
use crate::texts::assert_text;

/// Writes the line of a harness that reports a refusal, which Claude Code doesn't.
fn refuse(world: &World, command: &str) {
    let line = json!({ "ts": "2026-01-02T03:04:05.678Z", "tool": "Bash", "operation": command, "action": "refused",
        "cwd": world.repo() });
    let log = world.path(".local/state/guard-host/audit.jsonl");
    let before = std::fs::read_to_string(&log).unwrap();
    std::fs::write(log, format!("{before}{line}\n")).unwrap();
}

/// Prompts for a command and reports the outcome, as Claude Code does.
fn asked(world: &World, command: &str, became: &str) {
    asked_from(world, "cli", command, became);
}

/// Does the same from this entry point of Claude Code.
fn asked_from(world: &World, entry: &str, command: &str, became: &str) {
    let hook = |payload: &str| {
        let mut start = world.command(&["hook", "claude"]);
        start.env("CLAUDE_CODE_ENTRYPOINT", entry).env("AI_AGENT", "claude-code_2-1-332_harness");
        end(start, payload)
    };
    let payload = |event: &str| {
        json!({ "session_id": "s1", "cwd": world.repo(), "hook_event_name": event, "tool_name": "Bash",
            "permission_mode": "default", "tool_use_id": format!("{command}{became}"),
            "tool_input": { "command": command } })
        .to_string()
    };
    assert_ask(&hook(&payload("PreToolUse")), &[]);
    if !became.is_empty() {
        hook(&payload(became));
    }
}

#[test]
fn calls_that_nobody_is_known_to_have_approved_are_counted() {
    let world = World::new();
    // An entry point for which it is unknown whether a person sees the prompt.
    for _ in 0..2 {
        asked_from(&world, "sdk-cli", "git push origin topic", "PostToolUse");
    }
    assert_text!("suggest_unclear", &world, 0, world.run(&["audit", "suggest"], ""));
}

/// Returns the suggestions of allows and rules. Those of copies are tested with undo.
fn suggestions(world: &World) -> Vec<Value> {
    let ended = world.run(&["audit", "suggest", "--format", "json"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    let all: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap();
    all.into_iter().filter(|one| one["undo"].is_null()).collect()
}

#[test]
fn a_command_that_was_always_approved_is_suggested_with_what_else_it_lets_run() {
    let world = World::new();
    assert!(suggestions(&world).is_empty());
    for _ in 0..3 {
        asked(&world, "rm -rf build", "PostToolUse");
    }
    asked(&world, "rm -rf ./build", "");
    asked(&world, "rm -rf src", "PostToolUse");
    for _ in 0..2 {
        asked(&world, "git push origin topic", "PostToolUse");
    }
    refuse(&world, "git push origin topic");
    let found = suggestions(&world);
    assert_eq!(found.len(), 1, "{found:?}");
    let operations = |key: &str| {
        let calls = found[0][key].as_array().unwrap().iter();
        calls.map(|asked| (asked["operation"].as_str().unwrap(), asked["asks"].as_u64().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!((operations("approved"), operations("also")), (vec![("rm -rf build", 3)], vec![("rm -rf ./build", 1)]));
    assert_eq!(found[0]["spares"], json!(4));
    let mut transcript = Transcript(normalize(
        &world,
        &lines_about(&world.run(&["audit", "suggest"], "").stdout, "guard-host allow --id "),
    ));
    // The second one is for copies.
    transcript.add(&world, 64, &world.run(&["audit", "suggest", "--apply", "3"], ""));
    assert_text!("suggest", transcript.0);
    let program = env!("CARGO_BIN_EXE_guard-host");
    let ended = attended_by(&world, program, &["audit", "suggest", "--apply", "1"], "y\n");
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_silent(&world.bash("rm -rf build"));
    assert!(suggestions(&world).is_empty());
}

#[test]
fn a_rule_that_was_always_approved_is_suggested_to_be_lowered() {
    let world = World::new();
    for topic in ["a", "b", "c", "d", "e"] {
        // No allow covers a loop.
        asked(&world, &format!("for x in {topic}; do git push origin $x; done"), "PostToolUse");
    }
    let found = suggestions(&world);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["lower"], &found[0]["spares"]), (&json!("command-guard:git-push"), &json!(5)));
    let unattended = world.run(&["audit", "suggest", "--apply", "1"], "");
    let mut transcript = Transcript::default();
    transcript.add(&world, 77, &unattended);
    let program = env!("CARGO_BIN_EXE_guard-host");
    let config = world.path(".config/guard-host/guard.toml");
    let before = std::fs::read_to_string(&config).unwrap_or_default();
    let no = attended_by(&world, program, &["audit", "suggest", "--apply", "1"], "n\n");
    assert!(no.exit == 0 && std::fs::read_to_string(&config).unwrap_or_default() == before, "{no:?}");
    let yes = attended_by(&world, program, &["audit", "suggest", "--apply", "1"], "y\n");
    transcript.add(&world, 0, &yes);
    assert_text!("suggest_lower", transcript.0);
    assert_warn(&world.bash("for x in a; do git push origin $x; done"), &["git-push"]);
    assert!(suggestions(&world).is_empty());
    std::fs::write(&config, &before).unwrap();
    asked(&world, "for x in f; do git push origin $x; done", "");
    refuse(&world, "for x in f; do git push origin $x; done");
    assert!(suggestions(&world).is_empty(), "somebody refused one");
}

#[test]
fn what_ran_without_an_answer_of_a_person_is_not_suggested() {
    let world = World::new();
    for _ in 0..6 {
        asked_from(&world, "sdk-cli", "rm -rf build", "PostToolUse");
    }
    assert!(suggestions(&world).is_empty());
    for _ in 0..2 {
        asked(&world, "rm -rf build", "PostToolUse");
    }
    let found = suggestions(&world);
    assert_eq!(
        (&found[0]["approved"][0]["asks"], &found[0]["approved"][0]["ran"]),
        (&json!(8), &json!(2)),
        "{found:?}"
    );
}

#[test]
fn catch_all_rules_publishing_and_deploying_are_never_suggested() {
    let world = World::new();
    for number in 0..3 {
        for command in ["npm publish", "make deploy", "vercel --prod", "terraform apply", "helm upgrade web x"] {
            asked(&world, command, "PostToolUse");
        }
        for branch in ["a", "b"] {
            // No allow covers a loop.
            asked(&world, &format!("for x in {branch}{number}; do git branch -D $x; done"), "PostToolUse");
            asked(&world, &format!("for x in {branch}{number}; do helm uninstall $x; done"), "PostToolUse");
        }
    }
    let found = suggestions(&world);
    let text = serde_json::to_string(&found).unwrap();
    for word in ["publish", "deploy", "vercel", "terraform", "upgrade", "destructive-effect", "shared-state"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

#[test]
fn a_person_can_still_approve_the_calls_to_come_after_a_yes() {
    let world = World::new();
    asked(&world, "git push origin topic", "PostToolUse");
    let mut transcript = Transcript::default();
    transcript.add(&world, 0, &world.run(&["confirm", "--list"], ""));
    let program = env!("CARGO_BIN_EXE_guard-host");
    let ended = attended_by(&world, program, &["confirm", "git push origin topic"], "");
    transcript.add(&world, 0, &ended);
    transcript.0 += &world.bash("git push origin topic").reason();
    assert_text!("suggest_confirmed", transcript.0);
}
