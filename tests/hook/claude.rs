//! Claude Code: recorded payloads in `tests/harness/claude`, and the bytes of each kind of reply.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use guard_contract::verdict::{Opinion, Verdict, merge};
use guard_contract::{Decision, Finding, Outcome};
use serde_json::Value;

use crate::support::reply::{assert_ask, assert_deny};
use crate::support::world::{ProcessOutput, World};

/// Every tool whose input the hook's documentation describes.
const TOOLS: [&str; 19] = [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "Edit",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "PowerShell",
    "REPL",
    "Read",
    "Skill",
    "Task",
    "WebFetch",
    "WebSearch",
    "Write",
    "apply_patch",
];

const MODES: [&str; 6] = ["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];

const EVENTS: [&str; 7] =
    ["PermissionRequest", "PostToolUse", "PreToolUse", "SessionEnd", "SessionStart", "Stop", "UserPromptSubmit"];

/// Returns the folder and the names of the cases.
fn cases() -> (PathBuf, Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/harness/claude");
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files.filter_map(|name| Some(name.strip_suffix(".in.json")?.to_owned())).collect();
    names.sort();
    (folder, names)
}

/// Compares a reply with its golden file: either the exact bytes, or a decision and words of its reason.
fn compare(expected: &Value, ended: &ProcessOutput) -> Result<(), String> {
    let text = |key: &str| expected[key].as_str().unwrap_or_default();
    let differs = || Err(format!("expected {expected}, got {ended:?}"));
    if expected["exit"] != ended.exit {
        return differs();
    }
    let Some(decision) = expected["decision"].as_str() else {
        return if (text("stdout"), text("stderr")) == (&ended.stdout, &ended.stderr) { Ok(()) } else { differs() };
    };
    let words: Vec<&str> = expected["contains"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let check = || match decision {
        "deny" => assert_deny(ended, &words),
        _ => assert_ask(ended, &words),
    };
    std::panic::catch_unwind(check).or_else(|_| differs())
}

#[test]
fn every_recorded_payload_gets_its_reply() {
    let world = World::new();
    let (folder, names) = cases();
    assert!(names.len() >= 40, "{names:?}");
    let mut failures = Vec::new();
    for name in names {
        let read = |suffix: &str| {
            let text = fs::read_to_string(folder.join(format!("{name}.{suffix}.json"))).unwrap();
            text.replace("${REPO}", &world.repo().to_string_lossy())
                .replace("${HOME}", &world.home.path().to_string_lossy())
        };
        let expected = serde_json::from_str(&read("out")).unwrap();
        if let Err(failure) = compare(&expected, &world.hook(&read("in"))) {
            failures.push(format!("{name}: {failure}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_payloads_cover_the_tools_the_modes_and_the_events() {
    let (folder, names) = cases();
    let mut seen: [BTreeSet<String>; 3] = Default::default();
    for name in &names {
        let text = fs::read_to_string(folder.join(format!("{name}.in.json"))).unwrap();
        let payload: Value = serde_json::from_str(&text).unwrap();
        assert!(
            text.trim_start_matches(['{', '\n', ' ']).starts_with("\"_source\""),
            "{name} does not begin with its source"
        );
        for (seen, key) in seen.iter_mut().zip(["tool_name", "permission_mode", "hook_event_name"]) {
            seen.extend(payload[key].as_str().map(str::to_owned));
        }
    }
    let [tools, modes, events] = seen;
    let missing = |known: &[&str], seen: &BTreeSet<String>| -> Vec<String> {
        known.iter().filter(|name| !seen.contains(**name)).map(|name| (*name).to_owned()).collect()
    };
    assert_eq!(missing(&TOOLS, &tools), [""; 0]);
    assert_eq!(missing(&MODES, &modes), [""; 0]);
    assert_eq!(missing(&EVENTS, &events), [""; 0]);
    assert!(tools.iter().any(|tool| tool.starts_with("mcp__")));
}

fn opinion(outcome: Outcome, message: &str, remedy: &str, may_allow: bool) -> Opinion {
    let finding = Finding {
        rule: "rule".to_owned(),
        outcome,
        message: message.to_owned(),
        remedy: remedy.to_owned(),
        tags: Vec::new(),
    };
    Opinion {
        policy: "policy".to_owned(),
        decision: Decision { outcome, findings: vec![finding] },
        may_allow,
        of_host: false,
    }
}

fn encoded(verdict: &Verdict) -> (u8, String, String) {
    let claude = guard_harness::find_harness("claude").unwrap();
    let reply = claude.encode(verdict, claude.capabilities().usual_surface());
    (reply.exit, reply.stdout, reply.stderr)
}

#[track_caller]
fn check(outcome: Outcome, may_allow: bool, exit: u8, stdout: &str, stderr: &str) {
    let verdict = merge([opinion(outcome, "This \"is\" it", "do that", may_allow)]);
    assert_eq!(encoded(&verdict), (exit, stdout.to_owned(), stderr.to_owned()));
}

#[test]
fn a_deny_is_written_in_both_forms() {
    check(
        Outcome::Deny,
        false,
        2,
        concat!(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","#,
            r#""permissionDecisionReason":"BLOCKED: This \"is\" it. [policy: rule]\nInstead: do that"}}"#,
            "\n"
        ),
        "BLOCKED: This \"is\" it. [policy: rule]\nInstead: do that\n",
    );
}

#[test]
fn an_ask_is_written_as_a_prompt() {
    let stdout = concat!(
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","#,
        r#""permissionDecisionReason":"This \"is\" it. [policy: rule]\nInstead: do that"}}"#,
        "\n"
    );
    check(Outcome::Ask, false, 0, stdout, "");
    check(Outcome::Ask, true, 0, stdout, "");
}

#[test]
fn a_warning_and_an_allow_without_leave_decide_nothing() {
    let stdout = concat!(
        r#"{"systemMessage":"This \"is\" it. [policy: rule]\nInstead: do that","hookSpecificOutput":{"#,
        r#""hookEventName":"PreToolUse","additionalContext":"This \"is\" it. [policy: rule]\nInstead: do that"}}"#,
        "\n"
    );
    check(Outcome::Warn, false, 0, stdout, "");
    check(Outcome::Warn, true, 0, stdout, "");
    check(Outcome::Allow, false, 0, stdout, "");
}

#[test]
fn an_allow_with_leave_grants_and_tells_the_model() {
    let stdout = concat!(
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","#,
        r#""permissionDecisionReason":"This \"is\" it. [policy: rule]\nInstead: do that","#,
        r#""additionalContext":"This \"is\" it. [policy: rule]\nInstead: do that"}}"#,
        "\n"
    );
    check(Outcome::Allow, true, 0, stdout, "");
}

#[test]
fn no_opinion_is_no_byte() {
    assert_eq!(encoded(&merge([])), (0, String::new(), String::new()));
    check(Outcome::Abstain, true, 0, "", "");
}

#[test]
fn one_policy_without_leave_takes_the_grant_away() {
    let verdict = merge([opinion(Outcome::Allow, "a", "", true), opinion(Outcome::Allow, "b", "", false)]);
    assert!(!encoded(&verdict).1.contains("permissionDecision"));
}

#[test]
fn a_reply_stays_below_what_the_harness_cuts() {
    let long = "word ".repeat(5_000);
    let opinions = (0..200).map(|number| opinion(Outcome::Deny, &format!("{number} {long}"), &long, false));
    let (exit, stdout, stderr) = encoded(&merge(opinions));
    let value: Value = serde_json::from_str(&stdout).unwrap();
    let reason = value["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert_eq!(exit, 2);
    assert!(reason.chars().count() <= 10_000 && stderr.chars().count() <= 10_000, "{}", reason.len());
}

#[test]
fn nothing_in_a_reply_moves_the_cursor_or_reorders_text() {
    let verdict = merge([opinion(Outcome::Deny, "a\u{1b}[2J\u{202e}b\r\u{7}", "c\u{200b}", false)]);
    let (_, stdout, stderr) = encoded(&verdict);
    for text in [stdout, stderr] {
        assert!(
            !text.contains(['\u{1b}', '\u{202e}', '\r', '\u{7}', '\u{200b}']) && !text.contains("\\u001b"),
            "{text:?}"
        );
    }
}
