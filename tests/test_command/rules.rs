//! Which rule a case asks for: that of a policy, or that of a text which a policy carries.

use super::{denied, test};
use crate::support::world::World;

/// A text in Rego with two rules of its own, and a case that asks for one of them.
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
    for more in ["rule = 'no-force'", "rule = 'policy'", "tags = { rule = 'no-force' }"] {
        world.write("repo/cases.toml", suite(more));
        let ended = world.run(&["test", "rego", "cases.toml"], "");
        assert_eq!(ended.exit, 0, "{more}: {ended:?}");
        assert!(ended.stdout.ends_with("1 of 1 rules hit (100 %); of the text: rego:no-force\n"), "{ended:?}");
    }
    for (more, expected, got) in [
        ("rule = 'no-root'", "`no-root`, which no policy declares", "`no-force`, by `policy`"),
        ("tags = { rule = 'no-root' }", "rule=no-root", "rule=no-force"),
    ] {
        world.write("repo/cases.toml", suite(more));
        let ended = world.run(&["test", "rego", "cases.toml"], "");
        assert_eq!(ended.exit, 1, "{more}: {ended:?}");
        assert!(ended.stdout.contains(&format!("expected  {expected}\n    got       {got}\n")), "{ended:?}");
    }
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
    assert_eq!(ended.exit, 65, "{ended:?}");
    assert!(ended.stderr.contains("none.rego: there is no such file"), "{ended:?}");
}

#[test]
fn a_case_of_a_tool_that_nobody_has_is_refused() {
    let world = World::new();
    world.write("repo/cases.toml", format!("{}tool = 'Wirte'\n", denied("")));
    let ended = test(&world, "denies", &["cases.toml"]);
    assert_eq!(ended.exit, 65, "{ended:?}");
    assert!(ended.stderr.contains("cases.toml:1: case `rm -rf /`: `Wirte` is no tool"), "{ended:?}");
    assert!(ended.stderr.contains("did you mean `Write`?"), "{ended:?}");
    // The policy says itself which other tools there are.
    world.write("repo/cases.toml", "[[cases]]\ntool = 'mcp__db__query'\ninput = {}\nexpect = 'abstain'\n");
    assert_eq!(test(&world, "denies", &["cases.toml"]).exit, 0);
}

#[test]
fn a_rule_that_nobody_declares_is_told_with_the_nearest_one() {
    let world = World::new();
    world.write("repo/cases.toml", denied("rule = 'knwon'"));
    let ended = test(&world, "denies", &["cases.toml"]);
    assert_eq!(ended.exit, 1, "{ended:?}");
    assert!(ended.stdout.contains("expected  `knwon`, which no policy declares; did you mean `known`?"), "{ended:?}");
}
