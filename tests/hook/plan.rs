//! The plan enforcer in its own chain: its grants, its journal, and its statistics.

use std::fs;

use serde_json::{Value, json};

use crate::support::reply::{assert_deny, assert_silent};
use crate::support::world::{ProcessOutput, World, end};

const MARKED: &str = "curl -s localhost # nous: ad-hoc";

/// Creates a world with a plan that only names `./sim`.
fn planned() -> World {
    let world = World::new();
    world.configure("preset = \"none\"\n[audit]\nlevel = \"all\"\n[[policy]]\nname = \"plan-enforcer\"\nsource = \"builtin:plan-enforcer\"\n[policy.grants]\nenv = [\"NOUS_ITER_DIR\", \"NOUS_PLAN_ENFORCEMENT\"]\nread = [\"${NOUS_ITER_DIR}/experiment_plan.yaml\"]\n[policy.grants.journal]\nviolations = \"${NOUS_ITER_DIR}/plan_violations.jsonl\"\n");
    world.write("iter/experiment_plan.yaml", "arms:\n  - name: base\n    conditions:\n      - command: ./sim --x 1\n");
    world
}

fn run(world: &World, mode: &str, folder: Option<&str>, command: &str) -> ProcessOutput {
    let mut hook = world.command(&["hook", "claude"]);
    hook.env("NOUS_PLAN_ENFORCEMENT", mode);
    if let Some(folder) = folder {
        hook.env("NOUS_ITER_DIR", folder);
    }
    let payload = json!({ "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": command } });
    end(hook, &payload.to_string())
}

fn journal(world: &World) -> Vec<Value> {
    let text = fs::read_to_string(world.path("iter/plan_violations.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn folder(world: &World) -> String {
    world.path("iter").to_string_lossy().into_owned()
}

#[test]
fn s3_42_strict_refuses_what_the_plan_does_not_name() {
    let world = planned();
    let folder = folder(&world);
    assert_silent(&run(&world, "strict", Some(&folder), "./sim --x 2"));
    assert_deny(
        &run(&world, "strict", Some(&folder), "curl x"),
        &["# nous: ad-hoc", "[plan-enforcer: unplanned-command]"],
    );
    assert_eq!(journal(&world), [Value::Null; 0]);
}

#[test]
fn s3_46_warn_writes_a_line_beside_the_plan_and_says_nothing() {
    let world = planned();
    assert_silent(&run(&world, "warn", Some(&folder(&world)), "API_TOKEN=abc123 curl x"));
    let lines = journal(&world);
    assert_eq!(lines.len(), 1);
    assert_eq!((&lines[0]["kind"], &lines[0]["arm"]), (&json!("unplanned"), &json!("base")));
    assert!(lines[0]["ts"].as_str().is_some_and(|ts| ts.ends_with('Z')), "{}", lines[0]);
    let command = lines[0]["command"].as_str().unwrap();
    assert!(command.ends_with("curl x") && !command.contains("abc123"), "{command}");
}

#[test]
fn s3_57_without_a_usable_folder_nothing_is_read_or_written() {
    let world = planned();
    for folder in [None, Some(""), Some("iter"), Some("/nonexistent/../iter")] {
        assert_silent(&run(&world, "strict", folder, "curl x"));
    }
    assert_eq!(journal(&world), [Value::Null; 0]);
}

#[test]
fn c_21_the_mark_is_written_down_and_counted() {
    let world = planned();
    let folder = folder(&world);
    assert_silent(&run(&world, "strict", Some(&folder), MARKED));
    assert_silent(&run(&world, "warn", Some(&folder), MARKED));
    assert_eq!(journal(&world).iter().map(|line| line["kind"].clone()).collect::<Vec<_>>(), ["ad-hoc", "ad-hoc"]);
    let stats = world.run(&["audit", "stats", "--format", "json"], "").stdout;
    let stats: Value = serde_json::from_str(&stats).unwrap();
    assert_eq!(stats["noted"], json!({ "plan-enforcer:ad-hoc": 2 }));
}
