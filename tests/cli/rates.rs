//! `rates`: how often the chain stops the calls of a corpus.

use serde_json::{Value, json};

use crate::support::world::World;

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
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
    let lines: Vec<String> =
        ended.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for wanted in [
        "class stopped passed wrong denies interruptions in 1,000",
        "agent 50.0 % (9.5 to 90.5) of 2 - 0 1000.0 of 2",
        "docs - 50.0 % (9.5 to 90.5) of 2 1 500.0 of 2",
        "all 50.0 % (9.5 to 90.5) of 2 50.0 % (9.5 to 90.5) of 2 1 416.7 of 12",
        "command-guard: rm-root 1 0 0",
        "protected-files: secret-file 0 1 0",
        "ask command-guard: git-push git push",
    ] {
        assert!(lines.iter().any(|line| line == wanted), "`{wanted}` is missing:\n{}", ended.stdout);
    }
    assert!(!ended.stdout.contains('\u{1b}'), "{ended:?}");
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
    let ended = world.run(&["policy", "rates", "none.jsonl"], "");
    assert_eq!(ended.exit, 66);
    assert!(ended.stderr.starts_with("error: none.jsonl cannot be read: "), "{ended:?}");
    for (row, told) in [
        ("{\"command\": ", "calls.jsonl:2: "),
        ("{\"label\": \"stop\"}", "calls.jsonl:2: a row has either `command`, or `tool` and `input`"),
        (
            "{\"command\": \"ls\", \"label\": \"maybe\"}",
            "calls.jsonl:2: unknown label `maybe`, expected one of `abstain`, `allow`",
        ),
    ] {
        std::fs::write(world.repo().join("calls.jsonl"), format!("{{\"command\": \"ls\"}}\n{row}\n")).unwrap();
        let ended = world.run(&["policy", "rates", "calls.jsonl"], "");
        assert_eq!(ended.exit, 65, "{ended:?}");
        assert!(ended.stderr.contains(told) && ended.stderr.contains("hint:"), "{ended:?}");
    }
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
    assert_eq!(ended.exit, 65, "{ended:?}");
    assert!(ended.stderr.starts_with("error: theirs.toml: ") && ended.stderr.contains("comand"), "{ended:?}");
}

#[test]
fn another_hook_is_asked_about_the_same_calls() {
    let world = world();
    // It blocks every push by its reply, blocks `rm` by its exit code, and breaks at `git status`.
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
    assert!(ended.stdout.contains("\nby `sh other.sh`:\n"), "{ended:?}");
    let failed = "no answer to 1 call, which count as run; the first: it ended with exit code 1";
    assert!(ended.stdout.contains(failed), "{ended:?}");
}
