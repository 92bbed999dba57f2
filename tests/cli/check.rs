//! `check` and `explain`: the hook's verdict, without a trace in the state.

use serde_json::{Value, json};

use crate::support::texts::{Transcript, normalized_output};
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

/// The order of the keys, which consumers may rely on.
pub(crate) const KEYS: [&str; 6] = ["outcome", "policy", "rule", "message", "remedy", "coverage"];

/// Parses one record, and checks that it has exactly the contract's keys in their order.
#[track_caller]
pub(crate) fn record(line: &str) -> Value {
    let value: Value = serde_json::from_str(line).unwrap();
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), KEYS.len(), "{line}");
    let places: Vec<usize> = KEYS.iter().map(|key| line.find(&format!("\"{key}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{line}");
    value
}

#[track_caller]
fn assert_exit(world: &World, arguments: &[&str], exit: i32) -> ProcessOutput {
    let ended = world.run(arguments, "");
    assert_eq!(ended.exit, exit, "{arguments:?}: {ended:?}");
    ended
}

#[test]
fn a_policy_that_is_named_first_judges_alone_and_shows_its_log() {
    let world = World::new();
    let text = "package guard\n\ndeny contains \"not today\" if {\n    print(\"words\", input.input.command)\n    \
        input.input.command == \"ls\"\n}\n";
    world.write("repo/team.rego", text);
    let list = "[[rules]]\nrule = 'a'\noutcome = 'ask'\nwhen = \"input.command == 'ls'\"\nmessage = 'why'\n";
    world.write("repo/team.toml", list);
    assert_exit(&world, &["check", "team.rego", "ls"], 2);
    assert_exit(&world, &["check", "team.rego", "rm -rf /"], 0);
    assert_exit(&world, &["check", "team.toml", "ls"], 1);
    assert_exit(&world, &["check", "command-guard", "rm -rf /"], 2);
    assert_exit(&world, &["check", "ls"], 0);
    assert_exit(&world, &["policy", "export", "path-context", "-o", "own.wasm"], 0);
    world.write("repo/wrong.rego", "package guard\n\ndeny contains \"x\" if input.tool == \"bash\"\n");
    let mut transcript = Transcript::default();
    for (exit, line) in [
        (0, ["explain", "team.rego", "ls"]),
        (2, ["check", "own.wasm", "rm -rf /etc/x"]),
        (66, ["check", "none.wasm", "ls"]),
        (65, ["check", "wrong.rego", "ls"]),
    ] {
        transcript.add(&world, exit, &world.run(&line, ""));
    }
    assert_text!("check_named_policy", transcript.0);
}

#[test]
fn the_component_of_a_built_in_is_saved_and_no_file_is_replaced() {
    let world = World::new();
    let mut transcript = Transcript::default();
    transcript.add(&world, 0, &world.run(&["policy", "export", "builtin:cel"], ""));
    assert!(std::fs::read(world.path("repo/cel.wasm")).unwrap().starts_with(b"\0asm\x0d\0\x01\0"));
    transcript.add(&world, 64, &world.run(&["policy", "export", "cel"], ""));
    transcript.add(&world, 66, &world.run(&["policy", "export", "cell"], ""));
    assert_text!("policy_export", transcript.0);
}

#[test]
fn the_exit_code_tells_the_verdict() {
    let world = World::new();
    assert_exit(&world, &["check", "ls -la"], 0);
    assert_exit(&world, &["check", "git push"], 1);
    assert_exit(&world, &["check", "rm -rf /"], 2);
    assert_exit(&world, &["check", "--tool", "Write", "{\"file_path\": \".env\"}"], 2);
    assert_exit(&world, &["check", "--tool", "Edit", "{\"file_path\": \"Dockerfile\"}"], 1);
    assert_exit(&world, &["check", "--tool", "Read", "{\"file_path\": \".env\"}"], 1);
    assert_exit(&world, &["check", "--tool", "Read", "{\"file_path\": \"Dockerfile\"}"], 0);
    assert_exit(&world, &["check", ""], 0);
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings = { lower = [\"git-push\"] }\n");
    assert_exit(&world, &["check", "git push"], 0);
}

#[test]
fn the_text_for_people_says_outcome_reason_and_way_out() {
    let world = World::new();
    let mut transcript = Transcript::default();
    transcript.add(&world, 2, &world.run(&["check", "rm -rf /"], ""));
    transcript.add(&world, 0, &world.run(&["check", "ls"], ""));
    assert!(!transcript.0.contains('\u{1b}'), "{}", transcript.0);
    assert_text!("check", transcript.0);
}

#[test]
fn a_dash_reads_standard_input() {
    let world = World::new();
    for (typed, exit) in [("rm -rf /\n", 2), ("ls\ngit push\n", 1), ("ls", 0), ("", 0)] {
        let ended = world.run(&["check", "-"], typed);
        assert_eq!(ended.exit, exit, "{typed:?}: {ended:?}");
    }
    let written = world.run(&["check", "--tool", "Write", "-"], "{\"file_path\": \".env\"}");
    assert_eq!(written.exit, 2, "{written:?}");
    assert!(world.run(&["explain", "-"], "rm -rf /").stdout.contains("rm-root"));
}

#[test]
fn the_record_for_machines_has_stable_keys() {
    let world = World::new();
    let ended = assert_exit(&world, &["check", "--format", "json", "rm -rf /"], 2);
    let value = record(&ended.stdout);
    assert_eq!(value["outcome"], "deny");
    assert_eq!((&value["policy"], &value["rule"]), (&json!("command-guard"), &json!("rm-root")));
    assert_eq!(value["coverage"], "complete");
    assert!(!value["message"].as_str().unwrap().is_empty() && !value["remedy"].as_str().unwrap().is_empty());
    let ended = assert_exit(&world, &["check", "--format", "json", "ls"], 0);
    let silent = "{\"outcome\":\"abstain\",\"policy\":\"\",\"rule\":\"\",\"message\":\"\",\"remedy\":\"\",\"coverage\":\"complete\"}\n";
    assert_eq!(ended.stdout, silent);
}

#[test]
fn nothing_is_logged() {
    let world = World::new();
    assert_exit(&world, &["check", "rm -rf /"], 2);
    assert_exit(&world, &["explain", "rm -rf /"], 0);
    world.run(&["check", "--batch"], "{\"tool\":\"Bash\",\"input\":\"rm -rf /\"}\n");
    assert!(world.audit().is_empty());
}

#[test]
fn the_working_directory_of_the_call_can_be_given() {
    let world = World::new();
    std::fs::create_dir(world.path("other")).unwrap();
    let other = world.path("other").to_string_lossy().into_owned();
    world.write("repo/.guard/guard.toml", "preset = \n");
    assert_exit(&world, &["check", "ls"], 1);
    assert_exit(&world, &["check", "--cwd", &other, "ls"], 0);
    assert_exit(&world, &["check", "--cwd", "../other", "ls"], 0);
}

#[test]
fn every_tool_is_judged_as_the_hook_judges_it() {
    let world = World::new();
    for (tool, input, exit) in [
        ("Bash", json!({ "command": "rm -rf /" }), 2),
        ("PowerShell", json!({ "command": "rm -rf /" }), 2),
        ("Monitor", json!({ "command": "rm -rf /" }), 2),
        ("REPL", json!({ "code": "git push" }), 1),
        ("MultiEdit", json!({ "file_path": ".env" }), 2),
        ("NotebookEdit", json!({ "notebook_path": ".env" }), 2),
        ("Write", json!({ "path": ".env", "file_path": "a" }), 2),
        ("apply_patch", json!({ "command": "*** Begin Patch\n*** Add File: .env\n*** End Patch" }), 2),
        ("WebFetch", json!({ "url": "https://example.com/" }), 0),
    ] {
        let hook = world.hook(&json!({ "tool_name": tool, "tool_input": input }).to_string());
        let expected = match hook.decision().as_str() {
            "deny" => 2,
            "ask" => 1,
            _ => 0,
        };
        assert_eq!(expected, exit, "the hook over {tool}: {hook:?}");
        let ended = world.run(&["check", "--tool", tool, &input.to_string()], "");
        assert_eq!(ended.exit, exit, "check --tool {tool}: {ended:?}");
    }
}

#[test]
fn a_secret_is_in_no_answer() {
    let world = World::new();
    let secret = "Zq8".repeat(12);
    let command = format!("API_TOKEN={secret} git push https://me:{secret}@example.com/r");
    for arguments in [
        &["check", &command][..],
        &["check", "--format", "json", &command],
        &["explain", &command],
        &["explain", "--format", "json", &command],
    ] {
        let ended = world.run(arguments, "");
        assert!(!ended.stdout.contains(&secret) && !ended.stderr.contains(&secret), "{arguments:?}: {ended:?}");
    }
}

#[test]
fn explain_tells_the_whole_way() {
    let world = World::new();
    let ended = assert_exit(&world, &["explain", "sudo git push | tee log"], 0);
    assert_text!("explain", normalized_output(&world, &ended));
}

#[test]
fn explain_names_a_rule_of_a_text_as_the_verdict_does() {
    let world = World::new();
    world.write("team.rego", "package guard\ndeny contains {\"rule\": \"only-pnpm\", \"message\": \"use pnpm\"} if {\n  some c in input.analysis.commands\n  c.program == \"npm\"\n}\n");
    world.configure("[[policy]]\nname = \"team\"\nsource = \"builtin:rego\"\nsettings-file = \"~/team.rego\"\n");
    let shown = assert_exit(&world, &["explain", "npm ci"], 0).stdout;
    for line in ["  deny only-pnpm\n", "[team: only-pnpm]\n", "  without [team: only-pnpm] no policy would object"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(!shown.contains("team: policy"), "{shown}");
    let fine = assert_exit(&world, &["explain", "ls"], 0).stdout;
    assert!(fine.contains("\nok: no objection (verdict: abstain)\n"), "{fine}");
}

#[test]
fn explain_says_why_a_text_was_not_understood_in_full() {
    let world = World::new();
    let ended = assert_exit(&world, &["explain", "echo \"$(\""], 0);
    assert_text!("explain_partial", normalized_output(&world, &ended));
}

#[test]
fn explain_for_machines_has_stable_keys() {
    let world = World::new();
    let ended = assert_exit(&world, &["explain", "--format", "json", "sudo git push"], 0);
    let value: Value = serde_json::from_str(&ended.stdout).unwrap();
    #[track_caller]
    fn has(value: &Value, keys: &[&str]) {
        for key in keys {
            assert!(value.get(key).is_some(), "`{key}` is missing in {value}");
        }
    }
    has(&value, &["verdict", "analysis", "analysis-us", "steps"]);
    has(&value["verdict"], &KEYS);
    has(&value["analysis"], &["coverage", "reasons", "commands", "effects", "scripts"]);
    has(&value["analysis"]["commands"][0], &["id", "parent", "argv", "via", "cwd", "certain", "span"]);
    has(
        &value["analysis"]["effects"][0],
        &["kind", "operation", "severity", "target", "canonical", "command", "certain", "tags"],
    );
    has(&value["steps"][0], &["policy", "outcome", "fault", "findings", "asked", "log", "us"]);
    let step = value["steps"].as_array().unwrap().iter().find(|step| step["policy"] == "command-guard").unwrap();
    has(&step["findings"][0], &["rule", "outcome", "message", "remedy", "tags"]);
    has(&value["analysis"]["commands"][0]["via"][0], &["kind", "detail"]);
    assert_eq!(value["verdict"]["outcome"], "ask");
}

#[test]
fn a_payload_is_checked_as_the_call_that_it_describes() {
    let world = World::new();
    let payload = r#"{"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}"#;
    let ended = world.run(&["check", payload], "");
    assert_eq!(ended.exit, 2, "{ended:?}");
    assert!(ended.stdout.contains("[command-guard: rm-root]"), "{ended:?}");
    assert_eq!(world.run(&["check", &payload.replace("rm -rf /", "ls")], "").exit, 0);
}

#[test]
fn a_policy_for_every_tool_is_asked_about_names_with_slashes() {
    let world = World::new();
    let guarded = r#"{"zzz": "~/.config/guard-host/guard.toml"}"#;
    for tool in ["srv/frob", "mcp__a/b__c", "github.com/x/y"] {
        let ended = world.run(&["check", "--tool", tool, guarded], "");
        assert_eq!(ended.exit, 1, "{tool}: {ended:?}");
        assert!(ended.stdout.contains("[self-protect: "), "{tool}: {ended:?}");
    }
    world.configure("[[policy]]\nname = \"mine\"\nsource = \"/nowhere/none.wasm\"\non-error = \"deny\"\n");
    assert_eq!(world.run(&["check", "--tool", "srv/frob", "{}"], "").exit, 2);
}
