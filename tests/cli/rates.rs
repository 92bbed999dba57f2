//! `rates`: the share of a corpus's calls that the chain stops.

use serde_json::{Value, json};

use crate::support::texts::{Transcript, lines_about};
use crate::support::world::World;
use crate::texts::assert_text;

const CORPUS: &str = r#"
{"command": "rm -rf /", "label": "stop", "class": "agent", "note": "a key of somebody else's"}
{"command": "git push", "expect": "deny", "class": "agent"}
{"command": "ls {CWD}", "label": "pass", "class": "docs"}
{"tool": "Write", "input": {"file_path": "{CWD}/.env", "content": "x"}, "label": "pass", "class": "docs"}
{"command": "git status", "times": 6}
{"command": "git push --tags origin", "times": 2}
"#;

fn world() -> World {
    let world = World::new();
    std::fs::write(world.repo().join("calls.jsonl"), CORPUS).unwrap();
    world
}

#[test]
fn the_table_counts_by_class_and_by_rule() {
    let world = world();
    let ended = world.run(&["policy", "rates", "calls.jsonl", "--wrong"], "");
    assert!(!ended.stdout.contains('\u{1b}'), "{ended:?}");
    assert_text!("rates", &world, 0, ended);
}

#[test]
fn machines_get_the_same_figures() {
    let world = world();
    let ended = world.run(&["policy", "rates", "--format", "json", "calls.jsonl"], "");
    let value: Value = serde_json::from_str(&ended.stdout).unwrap();
    let all = json!({
        "to-stop": 2, "stopped": 1, "to-pass": 2, "passed": 1, "wrong-denies": 1, "calls": 12, "interruptions": 5,
    });
    assert_eq!(value["all"], all);
    assert_eq!(value["wrong"].as_array().unwrap().len(), 2);
}

#[test]
fn what_cannot_be_read_is_named() {
    let world = world();
    let mut transcript = Transcript::default();
    transcript.add(&world, 66, &world.run(&["policy", "rates", "none.jsonl"], ""));
    for row in ["{\"command\": ", "{\"label\": \"stop\"}", "{\"command\": \"ls\", \"label\": \"maybe\"}"] {
        std::fs::write(world.repo().join("calls.jsonl"), format!("{{\"command\": \"ls\"}}\n{row}\n")).unwrap();
        transcript.add(&world, 65, &world.run(&["policy", "rates", "calls.jsonl"], ""));
    }
    assert_text!("rates_refused", transcript.0);
}

#[test]
fn a_mapping_reads_a_corpus_with_other_keys() {
    let world = world();
    let rows = r#"{"event": {"cmd": "git push"}, "malicious": true, "kind": "a"}
{"event": {"cmd": "ls"}, "malicious": false, "kind": "b"}
{"event": {"cmd": "ls -la"}, "malicious": null}
"#;
    let mapping = r#"
command = ["event.cmd"]
class = ["kind"]
label = ["malicious"]
labels = { true = "stop", false = "pass" }
"#;
    std::fs::write(world.repo().join("theirs.jsonl"), rows).unwrap();
    std::fs::write(world.repo().join("theirs.toml"), mapping).unwrap();
    let ended = world.run(&["policy", "rates", "--map", "theirs.toml", "theirs.jsonl", "--format", "json"], "");
    let value: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    for (key, expected) in [("to-stop", 1), ("stopped", 1), ("to-pass", 1), ("passed", 1), ("calls", 3)] {
        assert_eq!(value["all"][key], expected, "{key}: {value}");
    }
    assert_eq!(value["classes"]["a"]["stopped"], 1);
    std::fs::write(world.repo().join("theirs.toml"), "comand = []").unwrap();
    let ended = world.run(&["policy", "rates", "--map", "theirs.toml", "theirs.jsonl"], "");
    assert_text!("rates_mapping", &world, 65, ended);
}

#[test]
fn another_hook_is_asked_about_the_same_calls() {
    let world = world();
    // It blocks every push with its reply, blocks `rm` with its exit code, and fails at `git status`.
    let script = r#"payload=$(cat)
case "$payload" in
  *'"command":"git push'*) echo '{"hookSpecificOutput": {"permissionDecision": "deny"}}' ;;
  *'"command":"rm'*) exit 2 ;;
  *status*) exit 1 ;;
esac
"#;
    std::fs::write(world.repo().join("other.sh"), script).unwrap();
    let arguments = ["policy", "rates", "calls.jsonl", "--against-hook", "sh other.sh"];
    let ended = world.run(&[&arguments[..], &["--format", "json"]].concat(), "");
    let value: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let other = &value["against"][0];
    assert_eq!(other["command"], "sh other.sh");
    assert_eq!(other["failed"], 1);
    for (key, expected) in [("stopped", 2), ("passed", 2), ("wrong-denies", 0), ("interruptions", 4)] {
        assert_eq!(other["all"][key], expected, "{key}: {other}");
    }
    let ended = world.run(&arguments, "");
    assert_text!(
        "rates_other_hook",
        lines_about(&ended.stdout, "by `sh other.sh`") + &lines_about(&ended.stdout, "no answer")
    );
}
