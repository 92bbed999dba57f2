//! The sources of the texts, and the effect of broken or endless ones.

use crate::support::reply::{assert_ask, assert_deny, assert_silent, assert_warn};
use crate::support::texts::Transcript;
use crate::support::world::World;
use crate::texts::assert_text;

const FORCE: &str = "git push --force origin topic";

const TEAM: &str = r#"package guard

deny contains {"rule": "no-force", "message": message, "remedy": "push another branch"} if {
    some effect in input.analysis.effects
    effect.operation == "git.push.force"
    message := sprintf("`%s` is not rewritten here", [effect.target])
}
"#;

/// Creates a world whose chain only has these entries: a name, a built-in, and the source of its settings.
fn world(entries: &[(&str, &str, &str)]) -> World {
    let world = World::new();
    let entry = |(name, builtin, settings): &(&str, &str, &str)| {
        format!("[[policy]]\nname = \"{name}\"\nsource = \"builtin:{builtin}\"\n{settings}\n")
    };
    world.configure(&format!("preset = \"none\"\n{}", entries.iter().map(entry).collect::<String>()));
    world
}

#[test]
fn a_file_in_rego_is_the_policy_under_any_name() {
    let world = world(&[("team", "rego", "settings-file = \"~/team.rego\"")]);
    world.write("team.rego", TEAM);
    assert_deny(&world.bash(FORCE), &["[team: no-force]"]);
    assert_silent(&world.bash("git push origin topic"));
    world.write("team.rego", TEAM.replace("deny contains", "warn contains"));
    assert_warn(&world.bash(FORCE), &["[team: no-force]"]);
}

#[test]
fn several_texts_stand_in_one_chain_beside_the_preset() {
    let world = World::new();
    world.configure(
        "[[policy]]\nname = \"a\"\nsource = \"builtin:rego\"\nsettings-file = \"~/a.rego\"\n\
         [[policy]]\nname = \"b\"\nsource = \"builtin:rego\"\nsettings = { text = \"package guard\\nask := data.why\", \
         data = { why = \"from b\" } }\n\
         [[policy]]\nname = \"c\"\nsource = \"builtin:cel\"\nsettings-file = \"~/c.toml\"\n",
    );
    world.write("a.rego", TEAM);
    world.write(
        "c.toml",
        "[[rules]]\nrule = \"r\"\noutcome = \"warn\"\nwhen = \"tool == 'Bash'\"\nmessage = \"from c\"\n",
    );
    assert_ask(&world.bash("ls"), &["[b: policy]"]);
    assert_deny(&world.bash(FORCE), &["[a: no-force]"]);
    let ended = world.run(&["check", "--format", "json", FORCE], "");
    assert_eq!(ended.exit, 2, "{ended:?}");
}

#[test]
fn a_text_of_a_project_tightens_and_grants_nothing() {
    let world = World::new();
    let project = "[[policy]]\nname = \"team\"\nsource = \"builtin:rego\"\nsettings-file = \"team.rego\"\n";
    world.write("repo/.guard/guard.toml", project);
    world.write("repo/.guard/team.rego", format!("{TEAM}\nallow if input.tool == \"Bash\"\n"));
    assert_deny(&world.bash("git push --force origin topic"), &["[team: no-force]"]);
    assert_silent(&world.bash("ls"));
    assert_ask(&world.bash("git push origin topic"), &["[command-guard: git-push]"]);
}

#[test]
fn a_text_that_is_broken_or_missing_is_a_question_that_says_where() {
    let world = world(&[("team", "rego", "settings-file = \"~/team.rego\"")]);
    let mut told = Transcript::default();
    told.ask(&world, &world.bash("ls"), &["[team: policy-fault]"]);
    world.write("team.rego", "package guard\n\ndeny contains x if {\n    x := \n}\n");
    told.ask(&world, &world.bash("ls"), &["[team: policy-fault]", "team.rego:4:7: "]);
    world.write("team.rego", "package guard\ndeny contains \"x\" if to_number(input.input.command) == 1\n");
    told.ask(&world, &world.bash("ls"), &["[team: policy-fault]", "team.rego:2:"]);
    assert_text!("rego_unusable", told.0);
    let named = |name: &str| {
        format!(
            "package guard\n\ndeny contains {{\"rule\": \"{name}\", \"message\": \"no\"}} if {{\n    input.tool == \"Bash\"\n}}\n"
        )
    };
    // In Rego, rules with one name are alternatives.
    world.write("team.rego", named("no-bash") + named("no-bash").trim_start_matches("package guard\n"));
    assert_deny(&world.bash("ls"), &["[team: no-bash]"]);
    world.write("team.rego", named("X Y!"));
    let checked = world.run(&["config", "check"], "");
    let is_told = checked.stderr.contains("team.rego:3:1: policy `team`: invalid rule name `X Y!`");
    assert!(checked.exit == 78 && is_told, "{checked:?}");
}

#[test]
fn rules_in_cel_that_are_broken_or_missing_are_a_question_that_says_where() {
    let world = world(&[("team", "cel", "settings-file = \"~/team.toml\"")]);
    let mut told = Transcript::default();
    told.ask(&world, &world.bash("ls"), &["[team: policy-fault]"]);
    let rule = "[[rules]]\nrule = \"r\"\noutcome = \"deny\"\nmessage = \"no\"\nwhen = ";
    world.write("team.toml", format!("{rule}\"\"\"\ntool == 'Bash'\n  || &&\"\"\"\n"));
    told.ask(&world, &world.bash("ls"), &["[team: policy-fault]", "2:6: "]);
    world.write("team.toml", "[[rules]\n");
    told.ask(&world, &world.bash("ls"), &["[team: policy-fault]", "team.toml:1:9: "]);
    assert_text!("cel_unusable", told.0);
    world.write("team.toml", format!("{rule}\"tool == 'Bash'\"\n"));
    assert_deny(&world.bash("ls"), &["[team: r]"]);
    world.write("team.toml", format!("{rule}\"false\"\n{rule}\"true\"\n"));
    assert_deny(&world.bash("ls"), &["[team: r]"]);
}

#[test]
fn a_text_that_never_ends_runs_into_the_limits() {
    let fault = "[team: policy-fault]";
    let rego = world(&[("team", "rego", "settings-file = \"~/team.rego\"")]);
    let range = "numbers.range(1, 100000)";
    let doubling: String = (0..40).map(|at| format!("\n  x{} := concat(\"\", [x{at}, x{at}])", at + 1)).collect();
    for body in [
        format!("count([1 | some x in {range}; some y in {range}; x + y == 0]) == 0"),
        format!("count({}1{}) == 0", "[".repeat(40), "]".repeat(40)),
        "x := numbers.range(1, 100000000)".to_owned(),
        format!("x0 := \"x\"{doubling}"),
    ] {
        rego.write("team.rego", format!("package guard\ndeny contains \"x\" if {{ {body} }}\n"));
        let ended = rego.bash("ls");
        assert!(ended.reason().contains("limit"), "{body}: {ended:?}");
        assert_ask(&ended, &[fault]);
    }
    rego.write("team.rego", "package guard\nf(x) := f(x + 1)\ndeny contains \"x\" if f(1) == 2\n");
    assert_ask(&rego.bash("ls"), &[fault]);

    let cel = world(&[("team", "cel", "settings-file = \"~/team.toml\"")]);
    let ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
    let deep = (0..9).rev().fold("x0 < 0".to_owned(), |inner, depth| format!("{ten}.exists(x{depth}, {inner})"));
    let doubled =
        (0..40).fold("'x'".to_owned(), |inner, depth| format!("[{inner}].map(s{depth}, s{depth} + s{depth})[0]"));
    for when in [deep, format!("{doubled} == ''")] {
        let rule = format!("[[rules]]\nrule = \"r\"\noutcome = \"deny\"\nmessage = \"no\"\nwhen = \"{when}\"\n");
        cel.write("team.toml", rule);
        let ended = cel.bash("ls");
        assert!(ended.reason().contains("limit"), "{when}: {ended:?}");
        assert_ask(&ended, &[fault]);
    }
}
