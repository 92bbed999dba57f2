//! Generated tables: each dangerous command in each spelling and as data, and arbitrary inputs.

#![cfg(test)]

use guard_sdk::testing::{Case, Suite, World};
use guard_sdk::{Decision, Outcome};
use policy_path_context::PathContext;
use serde_json::{Value, json};

use guard_testing::tables::{self, Row};

fn world(tool: &str, input: &Value) -> World {
    Suite::default()
        .world(&Case { tool: Some(tool.to_owned()), input: input.clone(), ..Case::default() }, &guard_testing::analyze)
}

fn decide_with(settings: &str, tool: &str, input: &Value) -> Decision {
    world(tool, input).decide::<PathContext>(settings, tool, &input.to_string()).unwrap()
}

fn decide(command: &str) -> Decision {
    decide_with("{}", "Bash", &json!({ "command": command }))
}

const DANGEROUS: &[(&str, Outcome, &str)] = &[
    ("rm -rf /", Outcome::Deny, "rm_rf_root"),
    ("rm -rf ~", Outcome::Deny, "rm_rf_home"),
    ("rm -rf *", Outcome::Deny, "rm_rf_wildcard"),
    ("chmod -R 777 .", Outcome::Deny, "chmod_777"),
    ("mkfs.ext4 /dev/sda1", Outcome::Deny, "mkfs"),
    ("dd if=/dev/zero of=/dev/sda", Outcome::Deny, "dd_to_device"),
    ("tee /dev/sda", Outcome::Deny, "write_to_device"),
    ("shutdown -h now", Outcome::Ask, "shutdown"),
    ("reboot", Outcome::Ask, "reboot"),
    ("systemctl stop x", Outcome::Ask, "service_stop"),
    ("kubectl delete pod x", Outcome::Ask, "kubectl_delete"),
    ("docker rm x", Outcome::Ask, "docker_rm"),
    ("docker system prune", Outcome::Ask, "docker_system_prune"),
    ("rm ~/Downloads/a", Outcome::Ask, "rm_outside_safe"),
    ("rm /etc/hosts", Outcome::Deny, "blocked_path"),
    ("tee ~/Downloads/a", Outcome::Ask, "write_outside_safe"),
    ("cp a /etc/hosts", Outcome::Deny, "blocked_path"),
];

#[track_caller]
fn check(rows: impl IntoIterator<Item = Row>) {
    tables::check(rows, decide);
}

#[test]
fn a_spelling_changes_nothing() {
    let spellings = [
        "@",
        "sudo @",
        "command @",
        "\\@",
        "/usr/bin/@",
        "env X=1 @",
        "nohup @",
        "timeout 5 @",
        "bash -c '@'",
        "true && @",
        "(@)",
        "$(@)",
        "ls; @",
        "if true; then @; fi",
        "bash <<'E'\n@\nE",
    ];
    check(DANGEROUS.iter().flat_map(|(command, outcome, rule)| {
        spellings.map(|spelling| (spelling.replace('@', command), *outcome, Some(*rule)))
    }));
}

#[test]
fn data_stays_data() {
    let twins =
        ["echo '@'", "printf '%s' '@'", "grep -n '@' f", "git commit -m '@'", "cat <<'EOT' > notes.txt\n@\nEOT", "# @"];
    check(
        DANGEROUS
            .iter()
            .flat_map(|(command, ..)| twins.map(|twin| (twin.replace('@', command), Outcome::Abstain, None))),
    );
}

#[test]
fn the_starter_file_says_the_same_as_the_defaults() {
    let file = include_str!("../../../tests/seeds/s2-guardrails.json");
    for (command, outcome, rule) in DANGEROUS.iter().filter(|(command, ..)| *command != "docker system prune") {
        let decision = decide_with(file, "Bash", &json!({ "command": command }));
        assert_eq!((decision.outcome, decision.findings[0].rule.as_str()), (*outcome, *rule), "{command}");
    }
    let prune = decide_with(file, "Bash", &json!({ "command": "docker system prune" }));
    assert_eq!(prune.outcome, Outcome::Abstain, "the file does not have it");
    let bomb = decide_with(file, "Bash", &json!({ "command": ":(){ :|:& };:" }));
    assert_eq!(bomb.findings[0].rule, "fork_bomb");
}

#[test]
fn a_finding_says_where_the_path_lies() {
    let tag = |tool: &str, input: Value| {
        let decision = decide_with("{}", tool, &input);
        decision.findings[0].tags.iter().find(|(name, _)| name == "path-context").unwrap().1.clone()
    };
    assert_eq!(tag("Write", json!({"file_path": "/etc/hosts"})), "blocked");
    assert_eq!(tag("Write", json!({"file_path": "~/Downloads/a"})), "outside");
    assert_eq!(tag("Bash", json!({"command": "rm ~/Downloads/a"})), "outside");
    assert_eq!(tag("Bash", json!({"command": "rm -rf /"})), "n/a");
    let custom = r#"{"rules": {"bash": [{"pattern": "make", "action": "confirm"}]}}"#;
    let decision = decide_with(custom, "Bash", &json!({"command": "make"}));
    let tags = [("path-context", "safe"), ("pattern", "make"), ("called", "make")];
    assert_eq!(decision.findings[0].tags, tags.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn many_findings_do_not_hide_the_worst() {
    let many: String = (0..600).map(|at| format!("rm ~/Downloads/{at}; ")).collect();
    let decision = decide(&format!("{many} rm -rf /"));
    assert_eq!((decision.outcome, decision.findings.len()), (Outcome::Deny, 2));
    let long = decide(&format!("rm ~/Downloads/{}", "x".repeat(100_000)));
    assert_eq!(long.outcome, Outcome::Ask);
    assert!(long.findings[0].message.len() < 1_000);
}

#[test]
fn a_path_that_cannot_be_resolved_is_not_safe() {
    for path in ["/repo/a\0b".to_owned(), format!("/repo/{}", "./".repeat(5_000)), format!("/{}", "a".repeat(300_000))]
    {
        let decision = decide_with("{}", "Write", &json!({ "file_path": path }));
        assert_eq!(decision.outcome, Outcome::Ask);
    }
}

#[test]
fn settings_of_another_shape_are_refused() {
    let long = "a".repeat(5_000);
    let shapes = [
        json!(null),
        json!(7),
        json!({"rules": 7}),
        json!({"rules": {"bash": 1, "write": [], "edit": null}}),
        json!({"rules": {"bash": [7, null, {"pattern": 7}]}}),
        json!({"safe_paths": [null, "", "["], "version": 1.0}),
        json!({"rules": {"write": [{"path_patterns": "blocked_paths"}, 7]}}),
        json!({"rules": {"bash": vec![json!({"pattern": format!("({long}){{50}}{{50}}"), "action": "block"}); 3]}}),
    ];
    for settings in shapes {
        let answer = World::default().decide::<PathContext>(&settings.to_string(), "Bash", r#"{"command": "ls"}"#);
        assert!(answer.is_err(), "{settings}");
    }
}
