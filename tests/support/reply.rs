//! The replies of the Claude adapter, byte for byte. Only the words of the reason vary.

use crate::support::world::ProcessOutput;

/// The report of a payload that isn't JSON, in the words of the seeds' scripts.
pub const INVALID_JSON: &str = "Invalid JSON input";

/// D: exit code 2, the same text on both streams, and only the protocol's keys.
#[track_caller]
pub fn assert_deny(ended: &ProcessOutput, words: &[&str]) {
    let reason = ended.reason();
    assert_eq!(ended.stdout, decision("deny", &reason), "{ended:?}");
    assert_eq!(ended.stderr, format!("{reason}\n"), "standard error and the JSON reason differ");
    // The guardrail policy's own words already have this prefix.
    let begun = ["BLOCKED: ", "GUARDRAIL BLOCKED: "]
        .iter()
        .any(|begin| reason.len() > begin.len() && reason.starts_with(begin));
    assert!(begun, "{reason}");
    assert_eq!(ended.exit, 2);
    assert_words(&reason, words);
}

/// A: exit code 0, no standard error, and a prompt with a reason.
#[track_caller]
pub fn assert_ask(ended: &ProcessOutput, words: &[&str]) {
    let reason = ended.reason();
    assert_eq!(ended.stdout, decision("ask", &reason), "{ended:?}");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
    assert!(!reason.is_empty() && !reason.starts_with("BLOCKED"), "{reason}");
    assert_words(&reason, words);
}

/// A warning doesn't decide: the model and the user are told, and the harness's own prompt stays.
#[track_caller]
pub fn assert_warn(ended: &ProcessOutput, words: &[&str]) {
    let value: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
    let reason = value["systemMessage"].as_str().unwrap_or_default();
    let text = quoted(reason);
    let expected = format!(
        "{{\"systemMessage\":{text},\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"additionalContext\":{text}}}}}\n"
    );
    assert_eq!(ended.stdout, expected, "{ended:?}");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
    assert!(!reason.is_empty());
    assert_words(reason, words);
}

/// S: exit code 0 and no output.
#[track_caller]
pub fn assert_silent(ended: &ProcessOutput) {
    assert!(ended.is_silent(), "{ended:?}");
}

/// E1: exit code 1 and one line on standard error.
#[track_caller]
pub fn assert_report(ended: &ProcessOutput, text: &str) {
    assert_eq!((ended.exit, ended.stdout.as_str()), (1, ""), "{ended:?}");
    assert_eq!(ended.stderr, format!("Hook error: {text}\n"));
}

/// Asserts a prompt or a denial: the call doesn't simply run.
#[track_caller]
pub fn assert_held(ended: &ProcessOutput) {
    match ended.decision().as_str() {
        "ask" => assert_ask(ended, &[]),
        "deny" => assert_deny(ended, &[]),
        _ => panic!("the call would run: {ended:?}"),
    }
}

fn decision(decision: &str, reason: &str) -> String {
    format!(
        "{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"{decision}\",\"permissionDecisionReason\":{}}}}}\n",
        quoted(reason)
    )
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

#[track_caller]
fn assert_words(reason: &str, words: &[&str]) {
    for word in words {
        assert!(reason.contains(word), "`{word}` is missing in: {reason}");
    }
}
