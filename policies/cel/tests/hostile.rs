//! Invalid rules and hostile expressions.

#![cfg(test)]

use guard_sdk::serde_json::{Value, json};
use guard_sdk::testing::World;
use guard_sdk::{Decision, Outcome};
use policy_cel::Cel;

fn ask(settings: &Value) -> Result<Decision, String> {
    World::default().decide::<Cel>(&settings.to_string(), "Bash", r#"{"command": "ls", "n": 3, "f": 1.5}"#)
}

fn rule(when: &str) -> Value {
    json!({ "rule": "r", "outcome": "deny", "when": when, "message": "m" })
}

fn decide(when: &str) -> Result<Decision, String> {
    ask(&json!({ "rules": [rule(when)] }))
}

#[track_caller]
fn fails(settings: &Value, parts: &[&str]) {
    let error = ask(settings).unwrap_err();
    assert!(parts.iter().all(|part| error.contains(part)), "{settings}: {error}");
}

#[test]
fn an_expression_that_does_not_parse_is_refused_with_rule_key_line_and_column() {
    for (when, place) in [
        ("tool ==", "`r`, `when`, 1:"),
        ("tool == 'x'\n  &&& true", "`r`, `when`, 2:5: "),
        ("tool == 'x", "`r`, `when`, 1:9: "),
        ("", "`r`, `when`, 1:1: "),
    ] {
        fails(&json!({ "rules": [rule(when)] }), &[place]);
    }
    let pattern = rule("tool == 'none' && analysis.commands.exists(c, c.argv.exists(w, w.matches('(')))");
    fails(&json!({ "rules": [pattern] }), &["`r`, `when`", "`(`"]);
    fails(&json!({ "rules": [rule("false && tool.matches('\\\\p{L}')")] }), &["`r`, `when`", "p{L}`"]);
    for pattern in ["\\\\s", "\\\\d", "\\\\b", "(?i)x"] {
        assert!(decide(&format!("tool.matches('{pattern}')")).is_ok(), "{pattern}");
    }
    let strange = rule("false && analyis.coverage == 'complete'");
    fails(&json!({ "rules": [strange] }), &["`r`, `when`", "`analyis`"]);
    let mut broken = rule("true");
    broken["rule"] = json!("broken");
    broken["message-expression"] = json!("'a' +");
    fails(&json!({ "rules": [rule("false"), broken] }), &["`broken`, `message-expression`, 1:"]);
}

#[test]
fn a_misspelt_name_or_value_is_refused_with_its_place_and_what_was_meant() {
    for (when, place, name, meant) in [
        ("analysis.comands.size() > 0", "1:10: ", "comands", ""),
        ("true ||\n  analysis.effects.exists(e, e.operaton == 'x')", "2:32: ", "operaton", ""),
        ("analysis.commands.exist(c, c.program == 'curl')", "1:19: ", "exist", "exists"),
        ("tool == 'bash'", "1:10: ", "bash", "Bash"),
        ("analysis.effects.all(e, e.operation != 'package.instal')", "", "package.instal", "package.install"),
        ("analysis.effects.exists(e, e.operation == 'delete')", "", "delete", "fs.delete"),
        ("analysis.effects.exists(e, e.operation == 'fs.remove')", "", "fs.remove", "fs.delete"),
        ("input.comand == 'ls'", "1:7: ", "comand", "command"),
    ] {
        let named = [name, meant].map(|name| if name.is_empty() { String::new() } else { format!("`{name}`") });
        fails(&json!({ "rules": [rule(when)] }), &[place, &named[0], &named[1]]);
    }
    for when in ["tool == 'mcp__box__run'", "'commands' in input && input.commands == []", "tool == 'Frobnicate'"] {
        assert_eq!(decide(when).map(|decision| decision.outcome), Ok(Outcome::Abstain), "{when}");
    }
}

#[test]
fn settings_that_could_never_say_anything_are_refused() {
    fails(&json!({}), &["settings-file"]);
    fails(&json!({ "rules": [] }), &["settings-file"]);
    fails(&json!({ "file": "/home/u/team.cel", "text": "true" }), &["/home/u/team.cel", ".toml"]);
    fails(&json!({ "rules": [rule("true")], "rulez": [] }), &["`rulez`"]);
    fails(&json!({ "rules": [{ "rule": "r", "outcome": "block", "when": "true", "message": "m" }] }), &["`block`"]);
    fails(&json!({ "rules": [{ "rule": "r", "outcome": "deny", "when": "true" }] }), &["`message`"]);
    fails(&json!({ "rules": vec![rule("true"); 1_001] }), &["1000"]);
}

#[test]
fn an_error_of_evaluation_is_a_fault_and_never_silence() {
    for (when, part) in [
        ("analysis.commands[0].program == 'x'", "`r`, `when`"),
        ("input.nothing == 'x'", "nothing"),
        ("tool", "`r`, `when`"),
        ("tool == 'Bash' && 1", "`r`, `when`"),
        ("1 / 0 == 1", "`r`, `when`"),
        ("tool.matches(tool + '(')", "matches"),
        ("now() > 1", "now"),
    ] {
        let error = decide(when).unwrap_err();
        assert!(error.contains(part), "{when}: {error}");
    }
}

#[test]
fn a_name_is_plain() {
    for name in ["X Y!", "", "a:b"] {
        let mut named = rule("true");
        named["rule"] = json!(name);
        fails(&json!({ "rules": [named] }), &["invalid rule name"]);
    }
    let mut named = rule("true");
    named["rule"] = json!("Team.no_force-2.1");
    assert!(ask(&json!({ "rules": [named] })).is_ok());
}

/// A deny is reported even if other rules fail.
#[test]
fn a_deny_outranks_a_fault() {
    let mut other = rule("tool == 'Bash'");
    other["rule"] = json!("other");
    let decision = ask(&json!({ "rules": [rule("input.nothing"), other] })).unwrap();
    assert_eq!(decision.outcome, Outcome::Deny);
    let mut warns = rule("true");
    warns["outcome"] = json!("warn");
    warns["rule"] = json!("warns");
    assert!(ask(&json!({ "rules": [warns, rule("input.nothing")] })).is_err());
}

#[test]
fn the_usual_operators_and_functions_are_there() {
    for when in [
        "input.n == 3 && input.n > 2 && input.n + 1 == 4 && input.f < 2.0",
        "'command' in input && !('nothing' in input) && has(input.command) && !has(input.nothing)",
        "input.command.startsWith('l') && input.command.endsWith('s') && input.command.contains('s')",
        "size(input.command) == 2 && input.command.size() == 2",
        "[1, 2, 3].all(x, x > 0) && [1, 2, 3].exists(x, x == 2) && [1, 2].exists_one(x, x == 2)",
        "[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6]",
        "(tool == 'Bash' ? 'a' : 'b') == 'a'",
        "tool.lowerAscii() == 'bash' && 'a,b'.split(',') == ['a', 'b'] && ['a', 'b'].join('-') == 'a-b'",
        "'git.push.force'.matches('^git[.]push([.]|$)') && !'gitXpush'.matches('^git[.]push')",
        "type(input) == map && string(3) == '3' && int('3') == 3",
        "true || input.nothing",
        "context.cwd == '/repo' && context.project_root == '/repo'",
    ] {
        assert_eq!(decide(when).map(|decision| decision.outcome), Ok(Outcome::Deny), "{when}");
    }
}

#[test]
fn deep_and_long_expressions_are_refused() {
    let deep = format!("{}true{}", "[".repeat(5_000), "]".repeat(5_000));
    fails(&json!({ "rules": [rule(&deep)] }), &["`r`, `when`"]);
    assert_eq!(decide(&format!("{}true", "!".repeat(60_000))).map(|decision| decision.outcome), Ok(Outcome::Deny));
    fails(&json!({ "rules": [rule(&" ".repeat(70_000))] }), &["65536"]);
}

#[test]
fn each_finding_is_tagged_with_its_rule() {
    let decision = decide("true").unwrap();
    let finding = &decision.findings[0];
    assert_eq!(
        (finding.rule.as_str(), finding.tags.as_slice()),
        ("policy", &[("rule".to_owned(), "r".to_owned())][..])
    );
}
