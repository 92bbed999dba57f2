//! More rows of the seed matrix about the hook itself: the presets' additions, and a hook without them.

use serde_json::{Value, json};

use crate::support::guests::{entry, place};
use crate::support::reply::{INVALID_JSON, assert_ask, assert_deny, assert_report, assert_silent};
use crate::support::world::{ProcessOutput, World, end};

fn tool(world: &World, tool: &str, input: Value) -> ProcessOutput {
    world.hook(&json!({ "cwd": world.repo(), "tool_name": tool, "tool_input": input }).to_string())
}

#[test]
fn s1_03_whatever_runs_a_command_goes_to_the_command_guard() {
    let world = World::new();
    for (name, key) in [("Bash", "command"), ("Monitor", "command"), ("PowerShell", "command"), ("REPL", "code")] {
        let ended = tool(&world, name, json!({ key: "git push origin main" }));
        assert_ask(&ended, &["[command-guard: git-push]"]);
    }
    // Other shells are only partly analyzed, which doesn't weaken the findings.
    assert_deny(&tool(&world, "PowerShell", json!({ "command": "rm -rf /" })), &["[command-guard: "]);
    assert_silent(&tool(&world, "Grep", json!({ "pattern": "git push" })));
}

#[test]
fn s1_04_every_tool_that_writes_goes_to_the_file_guard() {
    let world = World::new();
    for (name, key) in
        [("Write", "file_path"), ("Edit", "file_path"), ("MultiEdit", "file_path"), ("NotebookEdit", "notebook_path")]
    {
        assert_deny(&tool(&world, name, json!({ key: ".env" })), &["[protected-files: ", "'.env'"]);
        assert_silent(&tool(&world, name, json!({ key: "src/main.ts" })));
    }
    let patch = "*** Begin Patch\n*** Update File: .env\n@@\n-a\n+b\n*** End Patch\n";
    assert_deny(&tool(&world, "apply_patch", json!({ "command": patch })), &["[protected-files: ", "'.env'"]);
    // Reading isn't a change. It only asks for secrets.
    assert_ask(&tool(&world, "Read", json!({ "file_path": ".env" })), &["[protected-files: secret-read]"]);
    assert_silent(&tool(&world, "Read", json!({ "file_path": "Dockerfile" })));
}

#[test]
fn s2_01_s2_12b_commands_writes_and_edits_are_judged_by_their_place() {
    let world = World::new();
    world.configure("preset = \"guardrail\"\n");
    assert_ask(&tool(&world, "Bash", json!({ "command": "rm ~/Downloads/old" })), &["Rule: rm_outside_safe"]);
    for name in ["Write", "Edit"] {
        assert_ask(&tool(&world, name, json!({ "file_path": "~/Downloads/f" })), &["~/Downloads/f"]);
        assert_deny(&tool(&world, name, json!({ "file_path": "/etc/hosts" })), &["Rule: blocked_path"]);
        assert_silent(&tool(&world, name, json!({ "file_path": "a.txt" })));
    }
    assert_silent(&tool(&world, "Bash", json!({ "command": "rm a.txt" })));
}

/// S4-103a: each harness's words for "continue" and "stop" are correct, regardless of the failure.
#[test]
fn s4_90_s4_94_s4_96_s4_103a_a_failure_lets_a_write_pass_where_the_user_wants_it() {
    let world = World::new();
    let write = || tool(&world, "Write", json!({ "file_path": "src/index.ts", "content": "x" }));
    // Claude Code continues after exit code 1, and stops after exit code 2.
    assert_report(&world.hook("{oops"), INVALID_JSON);
    for guest in ["trap", "endless-loop"] {
        let file = place(&world, guest);
        world.configure(&entry(guest, &file, ""));
        assert_ask(&write(), &["policy-fault"]);
        world.configure(&entry(guest, &file, "on-error = \"allow\""));
        assert_silent(&write());
    }
}

#[test]
fn s4_91_s4_103b_malformed_input_is_silent_where_the_user_wants_it() {
    let world = World::new();
    world.configure("preset = \"full\"\non-malformed = \"allow\"\n");
    for text in ["{oops", "", "[]", r#"{"tool_name":"Write","tool_input":"x"}"#] {
        assert_silent(&world.hook(text));
    }
}

#[test]
fn s2_26_s4_92_a_named_settings_file_that_cannot_be_read_asks_and_keeps_the_denies_of_the_defaults() {
    for (policy, name, input, word) in [
        ("path-context", "Write", json!({ "file_path": "/etc/hosts" }), "blocked_path"),
        ("write-control", "Write", json!({ "file_path": ".git/x" }), "[write-control: protected-path]"),
    ] {
        for text in ["{", "[]", "", "\u{0}"] {
            let world = World::new();
            world.write("settings.json", text);
            world.configure(&format!(
                "preset = \"none\"\n[[policy]]\nname = \"{policy}\"\nsettings-file = \"~/settings.json\"\n"
            ));
            assert_deny(&tool(&world, name, input.clone()), &[word]);
            let other = tool(&world, name, json!({ "file_path": "docs/a.md" }));
            assert_ask(&other, &["settings.json", "policy-fault"]);
            assert_eq!(world.run(&["config", "check"], "").exit, 78, "{policy}: {text:?}");
        }
    }
}

#[test]
fn s4_98_no_other_program_is_needed() {
    let world = World::new();
    let mut hook = world.command(&["hook", "claude"]);
    hook.env("PATH", "/no/such/folder");
    assert_deny(&end(hook, r#"{"tool_input":{"command":"rm -rf /"}}"#), &[]);
    let mut hook = world.command(&["hook", "claude"]);
    hook.env_remove("PATH");
    assert_deny(&end(hook, r#"{"tool_input":{"file_path":".env"}}"#), &[]);
}

#[test]
fn s4_99d_a_verdict_is_one_object_of_json() {
    let world = World::new();
    world.configure("preset = \"full\"\n");
    for (path, decision) in [(".git/x", "deny"), ("src/x", "allow"), ("Dockerfile", "ask")] {
        let ended = tool(&world, "Write", json!({ "file_path": path, "content": "" }));
        let value: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(value["hookSpecificOutput"]["permissionDecision"], decision, "{path}: {value}");
        assert!(ended.stdout.starts_with('{') && ended.stdout.lines().count() == 1, "{path}: {}", ended.stdout);
    }
}
