//! Invalid payloads, and payloads that are too large.
//!
//! Input that no harness would send is reported, as the seeds require. Content of the *call* must never cause that
//! report, because its exit code lets the call run, and the agent controls the call's arguments.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::reply::{assert_ask, assert_deny, assert_held, assert_report, assert_silent};
use crate::support::world::World;

/// Returns one payload for each relevant field, with a value of a wrong type.
fn of_wrong_type() -> Vec<(&'static str, Value)> {
    let command = json!({ "command": "rm -rf /" });
    let mut payloads = vec![
        ("tool_input", json!({ "tool_name": "Bash", "tool_input": "rm -rf /" })),
        ("tool_input", json!({ "tool_name": "Bash", "tool_input": ["rm -rf /"] })),
        ("tool_input", json!({ "tool_name": "Bash", "tool_input": null })),
        ("tool_name", json!({ "tool_name": 5, "tool_input": command })),
        ("hook_event_name", json!({ "hook_event_name": ["PreToolUse"], "tool_name": "Bash", "tool_input": command })),
        ("code", json!({ "tool_name": "REPL", "tool_input": { "code": ["x"] } })),
        ("notebook_path", json!({ "tool_name": "NotebookEdit", "tool_input": { "notebook_path": 5 } })),
        ("command", json!({ "tool_name": "apply_patch", "tool_input": { "command": ["x"] } })),
    ];
    for value in [json!(5), json!(null), json!(["rm", "-rf", "/"]), json!({}), json!(true)] {
        payloads.push(("command", json!({ "tool_name": "Bash", "tool_input": { "command": value } })));
        payloads.push(("file_path", json!({ "tool_name": "Edit", "tool_input": { "file_path": value } })));
        payloads.push(("command", json!({ "tool_input": { "command": value } })));
    }
    payloads
}

#[test]
fn a_field_of_another_type_is_reported_by_its_name() {
    let world = World::new();
    for (field, payload) in of_wrong_type() {
        let ended = world.hook(&payload.to_string());
        let kind = if field == "tool_input" { "an object" } else { "a string" };
        assert_report(&ended, &format!("`{field}` is not {kind}"));
    }
}

#[test]
fn a_second_name_of_another_type_is_asked_about() {
    let world = World::new();
    for (key, value) in [("path", json!(5)), ("path", json!([".env"])), ("notebook_path", json!({}))] {
        for tool in ["Write", "Edit", "MultiEdit"] {
            let payload = json!({ "tool_name": tool, "tool_input": { "file_path": "a", "content": "x", key: value } });
            assert_ask(&world.hook(&payload.to_string()), &[&format!("`{key}`")]);
        }
    }
}

#[test]
fn each_setting_of_on_malformed_holds_for_each_kind_of_malformed_payload() {
    let world = World::new();
    let mut texts = vec!["{oops".to_owned(), String::new(), "[]".to_owned(), "\"x\"".to_owned()];
    texts.extend(of_wrong_type().into_iter().take(6).map(|(_, payload)| payload.to_string()));
    for setting in ["report", "allow", "ask", "deny"] {
        world.configure(&format!("on-malformed = \"{setting}\"\n"));
        for text in &texts {
            let ended = world.hook(text);
            match setting {
                "allow" => assert_silent(&ended),
                "ask" => assert_ask(&ended, &["[hook: malformed-payload]"]),
                "deny" => assert_deny(&ended, &["[hook: malformed-payload]"]),
                _ => assert!(ended.exit == 1 && ended.stderr.lines().count() == 1, "{ended:?}"),
            }
        }
    }
}

#[test]
fn a_malformed_payload_of_another_event_is_none_of_ours() {
    let world = World::new();
    assert_silent(&world.hook("{\"hook_event_name\":\"PostToolUse\",\"tool_name\":5,\"tool_input\":\"x\"}"));
}

#[test]
fn bytes_that_are_no_text_hide_no_command() {
    use std::io::Write;
    use std::process::Stdio;

    let world = World::new();
    let mut command = world.command(&["hook", "claude"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"{\"tool_input\":{\"command\":\"rm -rf / \xff\xfe\"}}").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("BLOCKED: "));
}

#[test]
fn half_a_surrogate_pair_in_a_command_does_not_open_the_gate() {
    // JavaScript harnesses write it unescaped, so a command may contain one.
    let world = World::new();
    assert_held(&world.hook(r#"{"tool_name":"Bash","tool_input":{"command":"rm -rf / # \ud83d"}}"#));
    assert_held(&world.hook(r#"{"tool_name":"Write","tool_input":{"file_path":".env","content":"\udc00"}}"#));
}

#[test]
fn a_deep_argument_does_not_open_the_gate() {
    let world = World::new();
    let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    let payload = format!("{{\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"rm -rf /\",\"x\":{deep}}}}}");
    assert_held(&world.hook(&payload));
}

#[test]
fn an_argument_beyond_the_largest_payload_does_not_open_the_gate() {
    let world = World::new();
    let padding = "x".repeat(17 << 20);
    let payload = json!({ "tool_name": "Bash", "tool_input": { "command": "rm -rf /", "description": padding } });
    assert_held(&world.hook(&payload.to_string()));
}

#[test]
fn of_two_equal_keys_the_last_one_counts_as_it_does_for_the_harness() {
    let world = World::new();
    let ended = world.hook(r#"{"tool_name":"Bash","tool_input":{"command":"ls","command":"rm -rf /"}}"#);
    assert_deny(&ended, &[]);
}

#[test]
fn unknown_fields_everywhere_change_nothing() {
    let world = World::new();
    let payload = json!({
        "new": [1, { "a": null }], "effort": { "level": "high" }, "tool_name": "Bash",
        "tool_input": { "command": "rm -rf /", "new": { "command": "ls" } },
    });
    assert_deny(&world.hook(&payload.to_string()), &[]);
}

/// A payload with some of its bytes changed, removed or duplicated.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let sound = json!({
        "session_id": "s1", "cwd": "/", "hook_event_name": "PreToolUse", "permission_mode": "default",
        "tool_name": "Bash", "tool_input": { "command": "git push && rm -rf /", "file_path": ".env" },
    });
    let sound = sound.to_string().into_bytes();
    let change = (any::<prop::sample::Index>(), any::<u8>(), 0..4_u8);
    prop::collection::vec(change, 0..6).prop_map(move |changes| {
        let mut bytes = sound.clone();
        for (place, byte, kind) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = place.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        bytes
    })
}

#[test]
fn whatever_comes_the_reply_is_one_of_the_protocol() {
    use std::io::Write;
    use std::process::Stdio;

    let world = World::new();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let result = runner.run(&damaged(), |bytes| {
        let mut command = world.command(&["hook", "claude"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let output = child.wait_with_output().unwrap();
        let (stdout, stderr) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        match output.status.code() {
            Some(0) => {
                let asked = stdout.ends_with("}\n") && serde_json::from_str::<Value>(&stdout).is_ok();
                prop_assert!(stderr.is_empty() && (stdout.is_empty() || asked), "{}", stdout);
            }
            Some(1) => {
                let reported = stderr.starts_with("Hook error: ") && stderr.lines().count() == 1;
                prop_assert!(stdout.is_empty() && reported, "{}", stderr);
            }
            Some(2) => prop_assert!(stderr.starts_with("BLOCKED: ") && stdout.contains("\"deny\""), "{}", stderr),
            other => prop_assert!(false, "exit {other:?}: {stderr}"),
        }
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.err().map(|error| error.to_string()).unwrap_or_default());
}
