//! Cases with a harness's whole payload.

use crate::support::world::World;
use serde_json::json;

use super::{json as report, test};
use crate::support::guests;

const BLOCKED: &str = "BLOCKED: the guest was asked. [denies: known]";

#[test]
fn a_payload_goes_through_its_harness() {
    let world = World::new();
    let payload = json!({ "session_id": "s9", "cwd": "/repo", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "rm -rf /" } });
    let harmless = json!({ "tool_input": { "command": "ls" } });
    let output = json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": BLOCKED } });
    let cases = [
        json!({ "payload": payload, "expect": "deny", "rule": "known", "expect-exit": 2, "expect-stderr": BLOCKED,
            "expect-stdout": output.to_string() }),
        json!({ "payload": payload.to_string(), "expect-exit": 2 }),
        json!({ "payload": payload, "harness": "generic", "expect-exit": 0, "expect-stderr": "",
            "expect-stdout": "{\"decision\":\"block\",\"reason\":\"the guest was asked. [denies: known]\"}" }),
        json!({ "payload": harmless, "harness": "generic", "expect-stdout": "{\"decision\":\"allow\"}\n" }),
        json!({ "payload": harmless, "expect": "abstain", "expect-exit": 0, "expect-stdout": "", "expect-stderr": "" }),
        json!({ "payload": { "hook_event_name": "SessionEnd" }, "expect-exit": 0, "expect-stdout": "" }),
        json!({ "payload": "{oops", "expect-exit": 1, "expect-stderr": "Hook error: Invalid JSON input" }),
        json!({ "payload": { "tool_name": "Bash", "tool_input": 5 }, "expect-exit": 1, "expect-stdout": "",
            "expect-stderr": "Hook error: `tool_input` is not an object" }),
        json!({ "payload": { "tool_name": "apply_patch", "tool_input": { "command":
            "*** Begin Patch\n*** Add File: a\n+x\n*** Add File: b\n+rm -rf\n*** End Patch" } }, "expect": "deny" }),
    ];
    world.write("repo/cases.json", json!({ "cases": cases }).to_string());
    let ended = test(&world, "denies", &["cases.json"]);
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{}", ended.stdout);
}

/// Several harnesses run a hook that was registered with another one: the detected harness has precedence.
#[test]
fn the_payload_tells_of_which_harness_it_is() {
    let world = World::new();
    let gemini = json!({ "hook_event_name": "BeforeTool", "tool_name": "run_shell_command",
        "tool_input": { "command": "rm -rf /" } });
    let denied = "{\"decision\":\"deny\",\"reason\":\"the guest was asked. [denies: known]\"}";
    let cases = ["claude", "codex", "gemini"]
        .map(|harness| json!({ "payload": gemini, "harness": harness, "expect": "deny", "expect-stdout": denied }));
    world.write("repo/cases.json", json!({ "cases": cases }).to_string());
    let ended = test(&world, "denies", &["cases.json"]);
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{}", ended.stdout);
}

/// The hook exits with 1, which isn't an abstention.
#[test]
fn a_payload_that_is_reported_passes_only_for_its_exit_code() {
    let world = World::new();
    let broken = "{oops";
    let cases = [
        json!({ "payload": broken, "expect": "abstain" }),
        json!({ "payload": broken, "expect": ["abstain", "deny"], "expect-stdout": "" }),
        json!({ "payload": broken, "expect-stdout": "" }),
        json!({ "payload": broken, "expect": "abstain", "expect-exit": 0 }),
        json!({ "payload": broken, "expect": "abstain", "expect-exit": 1 }),
        json!({ "payload": broken, "expect-exit": 1 }),
    ];
    world.write("repo/cases.json", json!({ "cases": cases }).to_string());
    let ended = test(&world, "denies", &["cases.json", "--format", "json"]);
    let report = report(&ended);
    let passed: Vec<_> =
        report["cases"].as_array().unwrap().iter().map(|case| case["differences"].as_array().unwrap().len()).collect();
    assert_eq!(passed, [1, 1, 1, 1, 0, 0], "{report}");
    let first = &report["cases"][0]["differences"][0];
    assert_eq!(first["expected"], "abstain");
    assert_eq!(first["got"], "none, but exit code 1: Hook error: Invalid JSON input");
}

#[test]
fn a_reply_that_differs_fails() {
    let world = World::new();
    let payload = json!({ "tool_input": { "command": "rm -rf /" } });
    let cases = [
        json!({ "payload": payload, "expect-exit": 0 }),
        json!({ "payload": payload, "expect-stdout": "" }),
        json!({ "payload": payload, "expect-stderr": "BLOCKED: something else" }),
        json!({ "payload": payload, "harness": "no-such", "expect-exit": 0 }),
    ];
    world.write("repo/cases.json", json!({ "cases": cases }).to_string());
    let ended = test(&world, "denies", &["cases.json", "--format", "json"]);
    let report = report(&ended);
    let whats: Vec<_> =
        report["cases"].as_array().unwrap().iter().map(|case| &case["differences"][0]["what"]).collect();
    assert_eq!(whats, ["exit code", "standard output", "standard error", "case"], "{report}");
    assert_eq!(report["cases"][3]["differences"][0]["got"], "`no-such`");
}

/// The hook itself gives the same words for this payload.
#[test]
fn the_reply_is_that_of_the_hook() {
    let world = World::new();
    guests::chain(&world, &["denies"], "");
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    let payload = json!({ "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "sudo rm -rf x" } });
    let hook = world.hook(&payload.to_string());
    assert_eq!(hook.exit, 2);
    let case = json!({ "payload": payload, "expect-exit": hook.exit, "expect-stdout": hook.stdout,
        "expect-stderr": hook.stderr });
    world.write("repo/cases.json", json!({ "cases": [case] }).to_string());
    for subject in ["chain", "guests/denies.wasm"] {
        let subject = if subject == "chain" { subject.into() } else { world.path(subject).display().to_string() };
        let ended = world.run(&["test", &subject, "cases.json"], "");
        assert_eq!(ended.exit, 0, "{}", ended.stdout);
    }
}
