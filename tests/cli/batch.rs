//! `check --batch`: one line of output for each line of input.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use super::check::record;
use crate::support::world::{ProcessOutput, World};

fn batch(world: &World, input: &str) -> (ProcessOutput, Vec<Value>) {
    let ended = world.run(&["check", "--batch"], input);
    let lines = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (ended, lines)
}

fn outcomes(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["outcome"].as_str().unwrap_or("error")).collect()
}

#[test]
fn answers_come_in_the_order_of_the_questions() {
    let world = World::new();
    let kinds = [("ls", "abstain"), ("git push", "ask"), ("rm -rf /", "deny"), ("echo 'rm -rf /'", "abstain")];
    let asked: Vec<_> = kinds.iter().cycle().take(400).collect();
    let input: String =
        asked.iter().map(|(command, _)| format!("{}\n", json!({ "tool": "Bash", "input": command }))).collect();
    let (ended, lines) = batch(&world, &input);
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""));
    assert_eq!(outcomes(&lines), asked.iter().map(|(_, outcome)| *outcome).collect::<Vec<_>>());
    ended.stdout.lines().for_each(|line| drop(record(line)));
}

#[test]
fn a_line_is_a_call_or_a_whole_payload() {
    let world = World::new();
    let input = [
        json!({ "tool": "Bash", "input": "rm -rf /" }),
        json!({ "tool": "Bash", "input": { "command": "rm -rf /" } }),
        json!({ "tool": "Write", "input": { "file_path": ".env" } }),
        json!({ "tool": "Write", "input": "{\"file_path\": \".env\"}" }),
        json!({ "tool": "Bash", "input": "rm -rf /", "cwd": world.home.path() }),
        json!({ "tool": "Bash", "input": "rm -rf /", "cwd": null, "id": 7 }),
        json!({ "session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Monitor", "tool_input": { "command": "rm -rf /" } }),
        json!({ "tool_input": { "command": "rm -rf /" } }),
        json!({ "tool_name": "apply_patch", "tool_input": { "command": "*** Add File: a\n*** Add File: .env" } }),
        json!({ "hook_event_name": "Stop" }),
        json!({ "tool_input": {} }),
    ];
    let (ended, lines) = batch(&world, &input.map(|line| format!("{line}\n")).concat());
    assert_eq!(ended.exit, 0, "{ended:?}");
    let mut expected = vec!["deny"; 9];
    expected.extend(["abstain"; 2]);
    assert_eq!(outcomes(&lines), expected);
}

#[test]
fn a_line_may_be_a_command_alone_as_in_a_replay() {
    let world = World::new();
    let (ended, lines) = batch(&world, "{\"command\": \"rm -rf /\"}\n{\"command\": \"ls\", \"cwd\": \"/tmp\"}\n");
    assert_eq!((ended.exit, outcomes(&lines)), (0, vec!["deny", "abstain"]));
}

#[test]
fn a_payload_line_is_judged_as_the_hook_judges_it() {
    let world = World::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/harness/claude");
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().ends_with(".in.json") {
            let text = std::fs::read_to_string(path).unwrap().replace("${REPO}", &world.repo().to_string_lossy());
            texts.push(serde_json::from_str::<Value>(&text).unwrap().to_string());
        }
    }
    let (ended, lines) = batch(&world, &texts.join("\n"));
    assert_eq!((ended.exit, lines.len()), (0, texts.len()));
    for (text, line) in texts.iter().zip(&lines) {
        let hook = world.hook(text).decision();
        // The verdict is an ask, and the reply denies if nobody may see a prompt.
        let is_unasked = ["\"auto\"", "\"somethingNew\""].iter().any(|mode| text.contains(mode));
        let hook = match hook.as_str() {
            "" => "abstain",
            "deny" if is_unasked => "ask",
            hook => hook,
        };
        assert_eq!(line["outcome"], hook, "{text}");
    }
}

#[test]
fn the_directory_of_a_line_finds_its_project() {
    let world = World::new();
    world.write("strict/.git/HEAD", "");
    world.write("strict/.guard/guard.toml", "preset = \n");
    let line = |cwd: &str| format!("{}\n", json!({ "tool": "Bash", "input": "ls", "cwd": world.path(cwd) }));
    let (_, lines) = batch(&world, &[line("repo"), line("strict"), line("repo")].concat());
    assert_eq!(outcomes(&lines), ["abstain", "ask", "abstain"]);
}

#[test]
fn a_bad_line_is_told_by_its_number_and_the_rest_goes_on() {
    let world = World::new();
    let bad = [
        "x",
        "5",
        "[]",
        "{\"tool\":\"Bash\"}",
        "{\"tool\":\"Bash\",\"input\":3}",
        "{\"tool\":5,\"input\":\"ls\"}",
        "{\"tool\":\"Bash\",\"input\":\"ls\",\"cwd\":5}",
        "{\"tool\":\"Write\",\"input\":\"no json\"}",
        "{\"other\":1}",
        "{\"tool_input\":\"ls\"}",
        "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":5}}",
    ];
    let input = format!("{}\n\n  \n{{\"tool\":\"Bash\",\"input\":\"rm -rf /\"}}\n", bad.join("\n"));
    let (ended, lines) = batch(&world, &input);
    assert_eq!(ended.exit, 65);
    assert_eq!(lines.len(), bad.len() + 1);
    for (number, line) in lines.iter().take(bad.len()).enumerate() {
        assert_eq!(line["line"], number + 1, "{line}");
        assert!(!line["error"].as_str().unwrap().is_empty());
        assert_eq!(line.as_object().unwrap().len(), 2, "{line}");
    }
    assert_eq!(lines[bad.len()]["outcome"], "deny");
}

#[test]
fn a_field_of_another_type_is_a_bad_line_and_not_a_consent() {
    let world = World::new();
    let input = "{\"tool\":\"Bash\",\"input\":{\"command\":[\"rm\",\"-rf\",\"/\"]}}\n{\"tool\":\"Write\",\"input\":{\"file_path\":5}}\n";
    let (ended, lines) = batch(&world, input);
    assert_eq!((ended.exit, outcomes(&lines)), (65, vec!["error", "error"]));
}

#[test]
fn no_input_is_no_output() {
    let world = World::new();
    for input in ["", "\n", "\n \n\t\n"] {
        let (ended, _) = batch(&world, input);
        assert!(ended.is_silent(), "{ended:?}");
    }
}

#[test]
fn the_last_line_needs_no_newline() {
    let (ended, lines) = batch(&World::new(), "{\"tool\":\"Bash\",\"input\":\"rm -rf /\"}");
    assert_eq!((ended.exit, outcomes(&lines)), (0, vec!["deny"]));
    assert!(ended.stdout.ends_with("}\n"));
}

#[test]
fn a_long_directory_is_no_failure() {
    let world = World::new();
    let line = json!({ "tool": "Bash", "input": "rm -rf /", "cwd": "/a".repeat(1 << 17) }).to_string();
    let (ended, lines) = batch(&world, &line);
    assert_eq!((ended.exit, lines.len()), (0, 1));
    assert_eq!(lines[0]["outcome"], "deny");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let world = World::new();
    let mut command = world.command(&["check", "--batch"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for _ in 0..5000 {
            if input.write_all(b"{\"tool\":\"Bash\",\"input\":\"git push\"}\n").is_err() {
                break;
            }
        }
    });
    let mut first = String::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut first).unwrap();
    drop(reader);
    writer.join().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(record(&first)["outcome"], "ask");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn a_verdict_comes_before_the_next_line_is_there() {
    let world = World::new();
    let mut child = world.command(&["check", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for (command, outcome) in [("ls", "abstain"), ("rm -rf /", "deny"), ("git push", "ask")] {
        writeln!(input, "{}", json!({ "tool": "Bash", "input": command })).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["outcome"], outcome);
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}
