//! The golden files: `calls.toml` with payloads and their calls, and `replies.toml` with each kind of verdict and the
//! bytes of its reply on each surface.

use std::collections::BTreeSet;

use guard_contract::call::Dialect;
use guard_contract::verdict::{Opinion, Verdict, merge};
use guard_contract::{Decision, Finding, Outcome};
use guard_harness::{Event, Harness, Reply, Unreadable};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::read;

/// The harnesses with a file of payloads. Claude Code has one file for each payload.
pub(super) fn with_payloads() -> impl Iterator<Item = &'static dyn Harness> {
    guard_harness::ALL.iter().copied().filter(|harness| !matches!(harness.name(), "claude" | "generic"))
}

#[derive(Deserialize)]
pub(super) struct Calls {
    pub(super) case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) payload: String,
    /// Keys that real payloads have and this one deliberately lacks.
    #[serde(default)]
    pub(super) lacks: BTreeSet<String>,
    /// The harness that is detected from the payload, if it is another one.
    detected: Option<String>,
    surface: Option<String>,
    /// The tool, the harness's name for it, the dialect, and the input.
    calls: Option<Vec<(String, String, String, String)>>,
    /// `ran`, `end` or `other`.
    event: Option<String>,
    unclear: Option<String>,
    malformed: Option<String>,
    #[serde(default)]
    cwd: String,
    #[serde(default)]
    directory: String,
    #[serde(default)]
    session: String,
    #[serde(default)]
    mode: String,
}

fn check(harness: &'static dyn Harness, case: &Case) -> Result<(), String> {
    let payload: Map<String, Value> = serde_json::from_str(&case.payload).unwrap();
    let same = |what: &str, expected: &str, got: &str| {
        if expected == got { Ok(()) } else { Err(format!("{what}: expected `{expected}`, got `{got}`")) }
    };
    let detected = guard_harness::detect(&payload, guard_harness::default());
    same("detected", case.detected.as_deref().unwrap_or(harness.name()), detected.name())?;
    same("detected when named", harness.name(), guard_harness::detect(&payload, harness).name())?;
    let surface = harness.surface(&payload);
    let usual = harness.capabilities().usual_surface().event;
    same("surface", case.surface.as_deref().unwrap_or(usual), surface.event)?;
    let decoded = match harness.decode(&payload) {
        Ok(decoded) => decoded,
        Err(Unreadable::Unclear(text)) => return same("unclear", case.unclear.as_deref().unwrap_or("-"), &text),
        Err(Unreadable::Malformed(text)) => return same("malformed", case.malformed.as_deref().unwrap_or("-"), &text),
    };
    same("error", "", case.unclear.as_ref().or(case.malformed.as_ref()).map_or("", String::as_str))?;
    same("cwd", &case.cwd, &decoded.cwd)?;
    same("directory", &case.directory, &decoded.directory)?;
    same("session", &case.session, &decoded.session)?;
    same("mode", &case.mode, &decoded.permission_mode)?;
    let calls = match &decoded.event {
        Event::Calls(calls) => calls,
        Event::SessionStart => return same("event", case.event.as_deref().unwrap_or("calls"), "start"),
        Event::SessionEnd => return same("event", case.event.as_deref().unwrap_or("calls"), "end"),
        Event::CallsEnded(end, _) => return same("event", case.event.as_deref().unwrap_or("calls"), end.word()),
        Event::SettingsChange(_) => return same("event", case.event.as_deref().unwrap_or("calls"), "settings"),
        Event::Other => return same("event", case.event.as_deref().unwrap_or("calls"), "other"),
    };
    let expected = case.calls.as_deref().unwrap_or_default();
    same("number of calls", &expected.len().to_string(), &calls.len().to_string())?;
    for ((tool, original, dialect, input), call) in expected.iter().zip(calls) {
        same("tool", tool, &call.tool)?;
        same("original tool", original, &call.original_tool)?;
        same("dialect", dialect, call.dialect.map_or("", Dialect::name))?;
        let input: Value = serde_json::from_str(input).unwrap();
        same("input", &input.to_string(), &Value::Object(call.input.clone()).to_string())?;
    }
    Ok(())
}

#[test]
fn every_payload_is_the_calls_that_its_file_says() {
    let mut complaints = Vec::new();
    for harness in with_payloads() {
        let calls: Calls = read(harness.name(), "calls.toml");
        for case in &calls.case {
            if let Err(complaint) = check(harness, case) {
                complaints.push(format!("{}: {}: {complaint}", harness.name(), case.name));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn every_harness_has_payloads_of_each_kind() {
    for harness in with_payloads() {
        let calls: Calls = read(harness.name(), "calls.toml");
        assert!(calls.case.len() >= 8, "{} has {} cases", harness.name(), calls.case.len());
        let tools: BTreeSet<&str> =
            calls.case.iter().flat_map(|case| case.calls.iter().flatten()).map(|call| call.0.as_str()).collect();
        for tool in ["Bash", "Write", "Edit", "Read"] {
            assert!(tools.contains(tool), "{} has no `{tool}`", harness.name());
        }
        let has = |kind: &dyn Fn(&Case) -> bool| calls.case.iter().any(kind);
        assert!(has(&|case| case.unclear.is_some() || case.malformed.is_some()), "{}", harness.name());
        assert!(has(&|case| case.cwd.is_empty() && case.calls.is_some()), "{}: a payload without one", harness.name());
        assert!(has(&|case| case.name.contains("unknown tool")) || harness.name() == "windsurf", "{}", harness.name());
        let server = has(&|case| case.name.contains("a server's tool"));
        assert!(server, "{} has no server's tool", harness.name());
    }
}

#[derive(Deserialize)]
struct Replies {
    reply: Vec<Golden>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Golden {
    surface: String,
    say: String,
    stdout: String,
    #[serde(default)]
    stderr: String,
    exit: u8,
}

fn opinion(outcome: Outcome, message: &str, remedy: &str, may_allow: bool) -> Opinion {
    let finding = Finding {
        rule: "r".to_owned(),
        outcome,
        message: message.to_owned(),
        remedy: remedy.to_owned(),
        tags: Vec::new(),
    };
    let decision = Decision { outcome, findings: vec![finding] };
    Opinion { policy: "p".to_owned(), decision, may_allow, of_host: false }
}

/// Returns the verdicts of the golden replies by name.
fn verdict(say: &str) -> Verdict {
    merge(match say {
        "grant" => vec![opinion(Outcome::Allow, "It is fine", "", true)],
        "warn" => vec![opinion(Outcome::Warn, "Take care", "", false)],
        "ask" => vec![opinion(Outcome::Ask, "It may be wrong", "look first", false)],
        "deny" => vec![opinion(Outcome::Deny, "It is dangerous", "do this", false)],
        "fault" => vec![Opinion::from_host(
            "hook",
            "no-verdict",
            Outcome::Ask,
            "there was no verdict in time".to_owned(),
            "try again".to_owned(),
        )],
        "abstain" => Vec::new(),
        other => panic!("there is no verdict `{other}`"),
    })
}

#[test]
fn every_reply_is_the_bytes_that_its_file_says() {
    let mut complaints = Vec::new();
    for harness in guard_harness::ALL {
        let replies: Replies = read(harness.name(), "replies.toml");
        let mut seen = BTreeSet::new();
        for golden in &replies.reply {
            let about = format!("{} {} {}", harness.name(), golden.surface, golden.say);
            assert!(harness.capabilities().has(&golden.surface), "{about}: there is no such surface");
            assert!(seen.insert((golden.surface.clone(), golden.say.clone())), "{about} stands twice");
            let got = harness.encode(&verdict(&golden.say), harness.capabilities().surface(&golden.surface));
            let expected = Reply { stdout: golden.stdout.clone(), stderr: golden.stderr.clone(), exit: golden.exit };
            if got != expected {
                complaints.push(format!("{about}: expected {expected:?}\n    got {got:?}"));
            }
        }
        let wanted = harness.capabilities().surfaces.len() * 6;
        assert_eq!(seen.len(), wanted, "{} lacks replies", harness.name());
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// The replies to a call that must run with another input, on surfaces with and without that ability.
#[test]
fn an_input_is_replaced_where_the_harness_takes_it() {
    const INPUT: &str = r#"{"command":"guard-host run -- bash -c './x \"it'\\''s\"'","description":"d"}"#;
    let input: Map<String, Value> = serde_json::from_str(INPUT).unwrap();
    let said = |harness: &str, event: &str, say: &str| {
        let harness = guard_harness::find_harness(harness).unwrap();
        let verdict = Verdict { input: Some(input.clone()), ..verdict(say) };
        harness.encode(&verdict, harness.capabilities().surface(event)).stdout
    };
    let start = r#"{"systemMessage":"Take care. [p: r]","hookSpecificOutput":{"hookEventName":"PreToolUse""#;
    let told = r#""additionalContext":"Take care. [p: r]","updatedInput""#;
    let ask = r#""permissionDecision":"ask","permissionDecisionReason":"It may be wrong. [p: r]\nInstead: look first""#;
    for (harness, event, say, expected) in [
        ("claude", "PreToolUse", "warn", format!("{start},{told}:{INPUT}}}}}\n")),
        ("codex", "PreToolUse", "warn", format!("{start},\"permissionDecision\":\"allow\",{told}:{INPUT}}}}}\n")),
        (
            "claude",
            "PreToolUse",
            "ask",
            format!("{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",{ask},\"updatedInput\":{INPUT}}}}}\n"),
        ),
        (
            "claude",
            "PreToolUse",
            "abstain",
            format!("{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{INPUT}}}}}\n"),
        ),
    ] {
        assert_eq!(said(harness, event, say), expected, "{harness} {event} {say}");
    }
    for (harness, event, say) in [
        ("claude", "PreToolUse", "deny"),
        ("claude", "PreToolUse unasked", "ask"),
        ("codex", "PreToolUse", "ask"),
        ("codex", "PermissionRequest", "warn"),
        ("gemini", "BeforeTool", "warn"),
        ("generic", "generic", "ask"),
    ] {
        let harness_said = said(harness, event, say);
        assert!(!harness_said.contains("updatedInput"), "{harness} {event} {say}: {harness_said}");
    }
}

#[test]
fn every_harness_has_its_facets_and_every_facet_its_harness() {
    let names: BTreeSet<&str> = guard_harness::ALL.iter().map(|harness| harness.name()).collect();
    let capabilities: BTreeSet<&str> =
        guard_harness::capabilities::ALL.iter().map(|capabilities| capabilities.name).collect();
    assert_eq!(names, capabilities);
}

#[test]
fn what_a_tool_is_given_tells_no_harness() {
    // The model controls the arguments, so they must not determine the harness.
    let marks = r#"{"command":"ls","turn_id":"t","cursor_version":"2","hookName":"PreToolUse","toolCall":{"args":{}},
        "agent_action_name":"x","event":"PreToolUse","toolArgs":"{}","toolName":"x","permission_mode":"auto-low",
        "toolInputTruncated":true,"workspaceRoot":"/","client_type":"x","timestamp":"x"}"#;
    let mark: Value = serde_json::from_str(marks).unwrap();
    let payload = serde_json::json!({ "session_id": "s", "cwd": "/w", "transcript_path": "/t",
        "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": mark });
    let Value::Object(payload) = payload else { panic!("an object") };
    assert_eq!(guard_harness::detect(&payload, guard_harness::default()).name(), "claude");
}

#[test]
fn the_plain_protocol_is_never_guessed_and_never_left() {
    for harness in with_payloads() {
        let calls: Calls = read(harness.name(), "calls.toml");
        for case in &calls.case {
            let payload: Map<String, Value> = serde_json::from_str(&case.payload).unwrap();
            let generic = guard_harness::find_harness("generic").unwrap();
            assert_eq!(guard_harness::detect(&payload, generic).name(), "generic");
            assert_ne!(guard_harness::detect(&payload, guard_harness::default()).name(), "generic");
            // The payload determines the harness and the reply's format.
            let told = guard_harness::detect(&payload, guard_harness::default());
            let (read, told) = (generic.decode(&payload), told.decode(&payload));
            // An event without a call is unknown to this protocol, which only has calls.
            let is_other = told.as_ref().is_ok_and(|told| told.event == Event::Other);
            let is_refused = matches!(&read, Err(Unreadable::Unclear(text)) if text.starts_with("it names no call"));
            assert!(read == told || is_other && is_refused, "{}: {}: {read:?}", harness.name(), case.name);
        }
    }
}

#[test]
fn a_tool_of_a_harness_that_loads_claude_codes_hooks_is_no_unknown_one() {
    let claude = guard_harness::default();
    for (tool, input, expected) in [
        ("write", r#"{"filePath":"/w/a","content":"x"}"#, "Write"),
        ("write_file", r#"{"path":"/w/a","content":"x"}"#, "Write"),
        ("edit", r#"{"file_path":"/w/a","old_string":"a","new_string":"b"}"#, "Edit"),
        ("read_file", r#"{"path":"/w/a"}"#, "Read"),
    ] {
        let payload = format!("{{\"cwd\":\"/w\",\"tool_name\":\"{tool}\",\"tool_input\":{input}}}");
        let payload = claude.decode(&serde_json::from_str(&payload).unwrap()).unwrap();
        let Event::Calls(calls) = payload.event else { panic!("{tool}") };
        assert_eq!((calls.len(), calls[0].tool.as_str(), calls[0].original_tool.as_str()), (1, expected, tool));
        assert_eq!(calls[0].paths().collect::<Vec<_>>(), ["/w/a"], "{tool}");
    }
}

/// Collects the paths of all values within a value.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| places(value, &format!("{at}/{key}"), found)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| places(value, &format!("{at}/{index}"), found));
        }
        _ => {}
    }
}

#[test]
fn a_value_of_another_kind_anywhere_hides_no_call() {
    let others: Vec<Value> = ["null", "5", "true", "[]", "{}", "\"\"", "\"x\"", "[[{}]]", "[\"x\"]"]
        .into_iter()
        .map(|json| serde_json::from_str(json).unwrap())
        .collect();
    let mut number = 0;
    for harness in with_payloads() {
        let cases: Calls = read(harness.name(), "calls.toml");
        for case in cases.case.iter().filter(|case| case.calls.is_some()) {
            let whole: Value = serde_json::from_str(&case.payload).unwrap();
            let mut found = Vec::new();
            places(&whole, "", &mut found);
            for (place, other) in found.iter().skip(1).flat_map(|place| others.iter().map(move |other| (place, other)))
            {
                let mut changed = whole.clone();
                *changed.pointer_mut(place).unwrap() = other.clone();
                let Value::Object(payload) = changed else { panic!("an object") };
                // The changed payload is either decided, reported as unreadable, or another event.
                let decoded = harness.decode(&payload);
                if let Ok(Event::Calls(calls)) = decoded.map(|payload| payload.event) {
                    assert!(!calls.is_empty(), "{}: {}: {place} = {other}", harness.name(), case.name);
                }
                let _ = guard_harness::detect(&payload, guard_harness::default()).surface(&payload);
                number += 1;
            }
        }
    }
    assert!(number > 5000, "{number}");
}

#[test]
fn a_file_of_hooks_that_two_harnesses_read_answers_each_in_its_form() {
    let copilot = guard_harness::find_harness("copilot").unwrap();
    let told = |payload: &str| guard_harness::detect(&serde_json::from_str(payload).unwrap(), copilot).name();
    let of_vscode = |tool: &str| {
        format!(
            "{{\"session_id\":\"s\",\"cwd\":\"/w\",\"timestamp\":\"x\",\"hook_event_name\":\"PreToolUse\",\
             \"tool_name\":\"{tool}\",\"tool_input\":{{}},\"tool_use_id\":\"u\"}}"
        )
    };
    assert_eq!(told(&of_vscode("run_in_terminal")), "vscode");
    // Claude Code's format, which VS Code also reads.
    assert_eq!(told(&of_vscode("read_file")), "claude");
    assert_eq!(told("{\"sessionId\":\"s\",\"toolName\":\"bash\",\"toolArgs\":\"{}\"}"), "copilot");
}
