//! The rule in a case: a policy's rule, or a rule of a text that a policy evaluates.

use super::{denied, test};
use crate::support::texts::{Transcript, normalized_output};
use crate::support::world::World;
use crate::texts::assert_text;

/// Returns a Rego text with two rules, and a case for one of them.
fn suite(more: &str) -> String {
    let text = "package guard\nimport rego.v1\n\
        deny[name] := \"a forced push\" if { some effect in input.analysis.effects; effect.operation == \"git.push.force\"; name := \"no-force\" }\n\
        ask[name] := \"as root\" if { some command in input.analysis.commands; some via in command.via; via.kind == \"sudo\"; name := \"no-root\" }\n";
    format!(
        "[settings]\nfile = '/r/team.rego'\ntext = '''\n{text}'''\n\
        [[cases]]\ninput = 'git push --force origin topic'\nexpect = 'deny'\n{more}\n"
    )
}

#[test]
fn a_rule_of_a_text_is_asked_for_by_its_own_name_and_counted() {
    let world = World::new();
    let mut transcript = Transcript::default();
    for (more, exit) in [
        ("rule = 'no-force'", 0),
        ("rule = 'policy'", 0),
        ("tags = { rule = 'no-force' }", 0),
        ("rule = 'no-root'", 1),
        ("tags = { rule = 'no-root' }", 1),
    ] {
        world.write("repo/cases.toml", suite(more));
        transcript.add(&world, exit, &world.run(&["test", "rego", "cases.toml"], ""));
    }
    assert_text!("test_rule_of_text", transcript.0);
}

#[test]
fn a_near_miss_that_hits_its_rule_or_names_none_fails() {
    let world = World::new();
    let mut transcript = Transcript::default();
    for (command, near, exit) in [
        ("rm -rf ./build", "['rm-root', 'rm-home']", 0),
        ("rm -rf /", "'rm-root'", 1),
        ("rm -rf ./build", "'rm-rot'", 1),
        ("rm -rf ./build", "''", 1),
    ] {
        let case = format!("[[cases]]\ninput = '{command}'\nexpect = ['ask', 'deny']\nnear = {near}\n");
        world.write("repo/cases.toml", case);
        let mut ended = world.run(&["test", "command-guard", "cases.toml"], "");
        // The many other rules are never hit.
        ended.stdout.truncate(ended.stdout.find("command-guard: ").unwrap());
        transcript.add(&world, exit, &ended);
    }
    assert_text!("test_near_miss", transcript.0);
}

#[test]
fn a_threshold_counts_every_rule_of_a_text_and_names_those_that_no_case_hits() {
    let world = World::new();
    world.write("repo/cases.toml", suite(""));
    let rego = |threshold: &str| world.run(&["test", "rego", "cases.toml", "--threshold", threshold], "");
    assert_eq!(rego("50").exit, 0);
    let ended = rego("51");
    let mut transcript = Transcript::default();
    transcript.add(&world, 1, &ended);
    let list = "[[rules]]\nrule = 'a'\noutcome = 'deny'\nwhen = \"input.command == 'x'\"\nmessage = 'm'\n\
        [[rules]]\nrule = 'b'\noutcome = 'ask'\nwhen = \"tool == 'Write'\"\nmessage = 'm'\n\
        [[rules]]\nrule = 'c'\noutcome = 'ask'\nwhen = \"tool == 'Read'\"\nmessage = 'm'\n";
    world.write("repo/team.toml", list);
    world.write("repo/cases.jsonl", "{\"input\":\"x\",\"expect\":\"deny\"}\n");
    let cel = |more: &[&str]| {
        world.run(&[&["test", "cel", "cases.jsonl", "--settings-file", "team.toml"], more].concat(), "")
    };
    transcript.add(&world, 1, &cel(&["--threshold", "100"]));
    assert_text!("test_threshold_of_text", transcript.0);
    assert_eq!(cel(&["--threshold", "33"]).exit, 0);
    assert_eq!(cel(&["--coverage"]).exit, 0);
    let json = cel(&["--format", "json"]).stdout;
    assert!(json.contains("\"cel:b\"") && json.contains("\"percent\": 33"), "{json}");
}

#[test]
fn a_threshold_counts_the_lines_of_rego_as_well_if_they_are_shown() {
    let world = World::new();
    let text = "package guard\n\ndeny contains \"m\" if {\n    input.tool == \"Bash\"\n}\n\n\
        other(x) := x + 1 if {\n    x > 1\n}\n";
    world.write("repo/team.rego", text);
    world.write("repo/cases.jsonl", "{\"input\":\"x\",\"expect\":\"deny\"}\n");
    let run = |more: &[&str]| {
        let all = ["test", "rego", "cases.jsonl", "--settings-file", "team.rego", "--threshold", "100"];
        world.run(&[&all[..], more].concat(), "")
    };
    assert_eq!(run(&[]).exit, 0, "{:?}", run(&[]));
    assert_text!("test_threshold_of_lines", &world, 1, run(&["--coverage"]));
}

#[test]
fn a_failing_case_shows_what_the_policy_logged() {
    let world = World::new();
    let text = "package guard\n\ndeny contains \"m\" if {\n    print(\"tool is\", input.tool)\n    input.tool == \"Write\"\n}\n";
    world.write("repo/team.rego", text);
    world
        .write("repo/cases.jsonl", "{\"input\":\"x\",\"expect\":\"deny\"}\n{\"input\":\"y\",\"expect\":\"abstain\"}\n");
    let all = ["test", "rego", "cases.jsonl", "--settings-file", "team.rego"];
    let ended = world.run(&all, "");
    assert_eq!((ended.exit, ended.stdout.matches("tool is Bash").count()), (1, 1), "{ended:?}");
    assert_text!("test_log", normalized_output(&world, &ended));
    let json: serde_json::Value =
        serde_json::from_str(&world.run(&[&all[..], &["--format", "json"]].concat(), "").stdout).unwrap();
    let line = &json["cases"][0]["log"][0];
    assert!(line["message"].as_str().unwrap().contains("tool is Bash") && line["level"] == "debug", "{json}");
}

#[test]
fn a_text_in_a_file_serves_the_suites_that_have_no_settings() {
    let world = World::new();
    let text = "package guard\nimport rego.v1\ndeny contains \"a push\" if { some effect in input.analysis.effects; \
                startswith(effect.operation, \"git.push\") }\n";
    world.write("repo/team.rego", text);
    world.write("repo/cases.toml", "[[cases]]\ninput = 'git push --force origin x'\nexpect = 'deny'\n");
    let ended = world.run(&["test", "rego", "cases.toml", "--settings-file", "team.rego"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    let ended = world.run(&["test", "rego", "cases.toml", "--settings-file", "none.rego"], "");
    assert_text!("test_no_settings", &world, 65, ended);
}

#[test]
fn a_case_of_a_tool_that_nobody_has_is_refused() {
    let world = World::new();
    world.write("repo/cases.toml", format!("{}tool = 'Wirte'\n", denied("")));
    let ended = test(&world, "denies", &["cases.toml"]);
    assert_text!("test_no_tool", &world, 65, ended);
    // The policy itself knows the other tools.
    world.write("repo/cases.toml", "[[cases]]\ntool = 'mcp__db__query'\ninput = {}\nexpect = 'abstain'\n");
    assert_eq!(test(&world, "denies", &["cases.toml"]).exit, 0);
}

#[test]
fn a_rule_that_nobody_declares_is_told_with_the_nearest_one() {
    let world = World::new();
    world.write("repo/cases.toml", denied("rule = 'knwon'"));
    assert_text!("test_no_rule", &world, 1, test(&world, "denies", &["cases.toml"]));
}
