//! Payloads that real agents sent, and the replies: `tests/live/captures`, written by `tests/live/run --record`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use guard_harness::Event;
use serde_json::{Map, Value};

use super::golden::{Calls, with_payloads};
use super::read;

/// Tools without a table entry, which are only known by their arguments.
const OTHERS: &[(&str, &[&str])] = &[
    ("codex", &["collaborationwait_agent"]),
    ("copilot", &["lab-run", "lab-write_file"]),
    ("kilo", &["lab_run", "lab_write_file"]),
    ("opencode", &["lab_run", "lab_write_file"]),
    ("vibe", &["self.wait"]),
];

/// Returns each capture: the harness's name, the file, and the record.
fn captures() -> Vec<(String, PathBuf, Value)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/live/captures");
    let mut found = Vec::new();
    for harness in fs::read_dir(folder).unwrap() {
        let harness = harness.unwrap();
        for file in fs::read_dir(harness.path()).unwrap() {
            let path = file.unwrap().path();
            let record = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            found.push((harness.file_name().into_string().unwrap(), path, record));
        }
    }
    assert!(found.len() > 150, "{}", found.len());
    found
}

#[test]
fn what_real_agents_send_is_theirs_and_each_call_of_it_is_clear() {
    let mut complaints = Vec::new();
    let mut others = BTreeSet::new();
    for (name, path, record) in captures() {
        let mut complain = |text: String| complaints.push(format!("{}: {text}", path.display()));
        let payload: Map<String, Value> = record["payload"].as_object().unwrap().clone();
        let named = guard_harness::find_harness(&name).unwrap();
        for fallback in [named, guard_harness::default()] {
            let detected = guard_harness::detect(&payload, fallback).name();
            if detected != name {
                complain(format!("taken for {detected} beside {}", fallback.name()));
            }
        }
        match named.decode(&payload).map(|payload| payload.event) {
            Ok(Event::Calls(calls) | Event::CallsEnded(_, calls)) if !calls.is_empty() => {
                // A tool that keeps its name is either known to policies or entirely unknown.
                let kept = calls.iter().filter(|call| call.tool == call.original_tool && !known(&call.tool));
                others.extend(kept.map(|call| (name.clone(), call.tool.clone())));
            }
            Ok(Event::SessionEnd) => {}
            other => complain(format!("{other:?}")),
        }
    }
    let expected =
        OTHERS.iter().flat_map(|(name, tools)| tools.iter().map(|tool| ((*name).to_owned(), (*tool).to_owned())));
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
    assert_eq!(others, expected.collect());
}

#[test]
fn a_written_payload_has_the_keys_of_a_real_one() {
    let mut real: BTreeMap<_, Vec<BTreeSet<String>>> = BTreeMap::new();
    for (name, _, record) in captures() {
        let payload = record["payload"].as_object().unwrap().clone();
        real.entry((name, kind(&payload))).or_default().push(payload.keys().cloned().collect());
    }
    let (mut complaints, mut compared) = (Vec::new(), 0);
    for harness in with_payloads() {
        let calls: Calls = read(harness.name(), "calls.toml");
        for case in &calls.case {
            let payload: Map<String, Value> = serde_json::from_str(&case.payload).unwrap();
            let Some(shapes) = real.get(&(harness.name().to_owned(), kind(&payload))) else { continue };
            let keys: BTreeSet<String> = payload.keys().chain(&case.lacks).cloned().collect();
            compared += 1;
            if !shapes.contains(&keys) {
                complaints.push(format!("{}: {}: {keys:?}, and real ones: {shapes:?}", harness.name(), case.name));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
    assert!(compared > 70, "{compared}");
}

/// Claude Code's cases omit irrelevant keys, so the comparison is reversed.
#[test]
fn a_written_payload_of_claude_has_no_key_that_no_real_one_has() {
    let mut real: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, _, record) in captures().into_iter().filter(|(name, ..)| name == "claude") {
        let payload = record["payload"].as_object().unwrap();
        let event = payload["hook_event_name"].as_str().unwrap().to_owned();
        real.entry(event).or_default().extend(payload.keys().cloned());
    }
    let mut compared = 0;
    for file in fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/harness/claude")).unwrap() {
        let path = file.unwrap().path();
        let is_about_keys = path.file_name().is_some_and(|name| name == "unknown-fields.in.json");
        if is_about_keys || !path.to_string_lossy().ends_with(".in.json") {
            continue;
        }
        let payload: Map<String, Value> = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let Some(keys) = payload.get("hook_event_name").and_then(|event| real.get(event.as_str()?)) else { continue };
        compared += 1;
        let strange: Vec<_> = payload.keys().filter(|key| *key != "_source" && !keys.contains(*key)).collect();
        assert!(strange.is_empty(), "{}: {strange:?}", path.display());
    }
    assert!(compared > 50, "{compared}");
}

/// Returns the event of a payload, and the tool.
fn kind(payload: &Map<String, Value>) -> [String; 2] {
    let told = |keys: &[&str]| keys.iter().find_map(|key| payload.get(*key)?.as_str()).unwrap_or_default().to_owned();
    let ran = if payload.contains_key("toolResult") { " ran" } else { "" };
    let event = told(&["hook_event_name", "hookEventName", "hookName", "event"]) + ran;
    let nested = payload.get("tool_call").and_then(|call| call["name"].as_str());
    [event, nested.map_or_else(|| told(&["tool_name", "toolName", "tool"]), str::to_owned)]
}

/// Returns whether it is a tool of the common vocabulary.
fn known(tool: &str) -> bool {
    const COMMON: [&str; 9] = ["Bash", "Write", "Edit", "MultiEdit", "Read", "Glob", "Grep", "LS", "Agent"];
    COMMON.contains(&tool) || tool.starts_with("mcp__")
}
