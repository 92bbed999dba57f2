//! `guard-host ci --against`: changes to a project's rules that are less severe, or that no case covers.

use std::fs;

use serde_json::Value;

use super::{ci, clone, git};
use crate::support::texts::{Transcript, lines_about};
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

const FILE: &str = ".guard/guard.toml";

/// Runs `ci` against the commit before a change of a file, which must contain the old text.
#[track_caller]
fn after(world: &World, file: &str, old: &str, new: &str) -> ProcessOutput {
    let path = world.repo().join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{file} has no `{old}`");
    fs::write(path, text.replace(old, new)).unwrap();
    ci(world, &["--against", "HEAD"])
}

const ENTRY: &str = "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\n\
                     settings = { raise = [\"git-push\", \"drop-table\"], deny-patterns = [\"npm publish\"] }\n";

/// Creates a repository with one committed entry.
fn repository() -> World {
    let world = World::new();
    fs::remove_dir_all(world.repo().join(".git")).unwrap();
    git(&world.repo(), &["init", "-q"]);
    world.write("repo/.guard/guard.toml", ENTRY);
    world.write("repo/.guard/calls.jsonl", "{\"command\": \"ls\"}\n{\"command\": \"npm publish\"}\n");
    git(&world.repo(), &["add", "."]);
    git(&world.repo(), &["commit", "-q", "-m", "rules"]);
    world
}

#[test]
fn a_file_that_comes_to_need_trust_fails() {
    let mut told = Transcript::default();
    for need in ["on-error = \"allow\"", "may-allow = true", "grants = { env = [\"CI\"] }"] {
        let world = repository();
        told.add(&world, 1, &after(&world, FILE, "source =", &format!("{need}\nsource =")));
        // The file needed trust before, and each change revoked that trust.
        git(&world.repo(), &["commit", "-q", "-a", "-m", "needs trust"]);
        told.add(&world, 0, &after(&world, FILE, "\"git-push\", ", ""));
        git(&world.repo(), &["commit", "-q", "-a", "-m", "other rule"]);
        told.add(&world, 0, &after(&world, FILE, &format!("{need}\n"), ""));
    }
    assert_text!("ci_trust_needed", told.0);
}

#[test]
fn the_settings_that_differ_are_listed() {
    let mut told = Transcript::default();
    for (old, new, exit) in [
        (", \"drop-table\"", "", 0),
        ("\"npm publish\"", "\"npm  publish\"", 1),
        ("raise = [\"git-push\", \"drop-table\"], ", "", 0),
        ("source =", "tools = [\"PowerShell\"]\nsource =", 1),
        ("source =", "on-error = \"deny\"\nsource =", 0),
        ("name = \"ours\"", "name = \"theirs\"", 0),
    ] {
        let world = repository();
        told.add(&world, exit, &after(&world, FILE, old, new));
    }
    let world = repository();
    told.add(&world, 0, &ci(&world, &["--against", "HEAD"]));
    told.add(&world, 0, &ci(&world, &[]));
    assert_text!("ci_settings", told.0);
}

#[test]
fn a_tool_whose_arguments_mean_something_else_now_is_listed() {
    const TOOL: &str = "[[tool]]\nmatch = \"mcp__ops__exec\"\nshell = \"line\"\n";
    let world = repository();
    world.write("repo/.guard/guard.toml", format!("{ENTRY}{TOOL}"));
    git(&world.repo(), &["commit", "-q", "-a", "-m", "tool"]);
    let mut told = String::new();
    for (new, against) in [("", "HEAD"), (&*TOOL.replace("line", "text"), "HEAD"), (TOOL, "HEAD~1")] {
        world.write("repo/.guard/guard.toml", format!("{ENTRY}{new}"));
        told += &lines_about(&ci(&world, &["--against", against]).stdout, "mcp__ops__exec");
    }
    assert_text!("ci_tools", told);
}

#[test]
fn a_removed_minimum_version_is_listed() {
    let world = repository();
    world.write("repo/.guard/guard.toml", format!("min-version = \"0.0.1\"\n{ENTRY}"));
    git(&world.repo(), &["commit", "-q", "-a", "-m", "version"]);
    let ended = after(&world, FILE, "min-version = \"0.0.1\"\n", "");
    assert!(ended.stdout.contains("`min-version`: none, was 0.0.1"), "{ended:?}");
}

#[test]
fn a_change_of_rules_in_a_file_is_listed_with_the_file() {
    let world = clone();
    let ended = after(&world, ".guard/team.rego", "package.publish", "package.publishes");
    assert!(ended.stdout.contains("`.guard/team.rego`"), "{ended:?}");
}

#[test]
fn a_folder_of_cases_that_is_gone_fails() {
    let world = clone();
    let cases = world.repo().join(".guard/cases");
    fs::rename(&cases, world.repo().join(".guard/case")).unwrap();
    assert_text!("ci_cases_gone", &world, 1, ci(&world, &["--against", "HEAD"]));
    // Renaming the file leaves the cases behind.
    fs::rename(world.repo().join(".guard/case"), &cases).unwrap();
    fs::rename(cases.join("team.toml"), cases.join("ours.toml")).unwrap();
    assert_eq!(ci(&world, &["--against", "HEAD"]).exit, 0);
}

#[test]
fn the_first_change_with_rules_has_nothing_to_compare_with() {
    let world = repository();
    git(&world.repo(), &["rm", "-q", "-r", "--cached", "."]);
    world.write("repo/readme.md", "");
    git(&world.repo(), &["add", "readme.md"]);
    git(&world.repo(), &["commit", "-q", "-m", "no rules"]);
    assert_text!("ci_first", &world, 0, ci(&world, &["--against", "HEAD"]));
    assert_eq!(ci(&world, &["--against", "nowhere"]).exit, 1);
}

/// `guard-host new` puts them there.
#[test]
fn the_cases_beside_rules_are_run() {
    let world = World::new();
    let rules = "package guard\n\ndeny contains {\"rule\": \"no-x\", \"message\": \"m\"} if {\n    \
                 some command in input.analysis.commands\n    command.program == \"x\"\n}\n";
    world.write("repo/.guard/rules/policy.rego", rules);
    let case = |program: &str| format!("[[cases]]\ninput = \"{program} -v\"\nexpect = \"deny\"\nrule = \"no-x\"\n");
    world.write("repo/.guard/rules/cases/x.toml", case("x"));
    let entry = "[[policy]]\nname = \"rules\"\nsource = \"builtin:rego\"\nsettings-file = \"rules/policy.rego\"\n";
    world.write("repo/.guard/guard.toml", entry);
    let mut told = Transcript::default();
    told.add(&world, 0, &ci(&world, &[]));
    world.write("repo/.guard/rules/cases/x.toml", case("y"));
    told.add(&world, 1, &ci(&world, &[]));
    // Rules in CEL are tested like those in Rego. Two policies can't share the cases.
    let rules = "[[rules]]\nrule = \"no-x\"\noutcome = \"deny\"\nwhen = \"analysis.commands.exists(c, c.program == 'y')\"\n\
                 message = \"m\"\n";
    world.write("repo/.guard/rules/policy.toml", rules);
    let cel = entry.replace("rego", "cel").replace("policy.cel", "policy.toml");
    world.write("repo/.guard/guard.toml", &cel);
    told.add(&world, 0, &ci(&world, &[]));
    world.write("repo/.guard/guard.toml", format!("{cel}{}", entry.replace("\"rules\"", "\"others\"")));
    told.add(&world, 0, &ci(&world, &[]));
    assert_text!("ci_cases_beside_rules", told.0);
}

#[test]
fn a_warning_of_the_check_is_told_and_fails_nothing() {
    let world = repository();
    fs::create_dir_all(world.path("repo/billing")).unwrap();
    let entry = "[[policy]]\nname = \"files\"\nsource = \"builtin:write-control\"\n\
                 settings = { protected = [\"biling/**\"] }\n";
    world.write("repo/.guard/guard.toml", entry);
    let mut told = Transcript::default();
    told.add(&world, 0, &ci(&world, &[]));
    told.add(&world, 0, &ci(&world, &["--format", "github"]));
    let json: Value = serde_json::from_str(&ci(&world, &["--format", "json"]).stdout).unwrap();
    assert_eq!(json["steps"][1]["warnings"].as_array().map(Vec::len), Some(1), "{json}");
    told.add(&world, 1, &ci(&world, &["--against", "HEAD", "--format", "github"]));
    assert_text!("ci_warning", told.0);
}

#[test]
fn recorded_calls_are_read_without_a_revision() {
    let world = repository();
    world.write("repo/.guard/calls.jsonl", "{\"command\": \"ls\"}\nls -l\n");
    let ended = ci(&world, &[]);
    assert!(ended.exit == 1 && ended.stdout.contains(".guard/calls.jsonl:2: not read: "), "{ended:?}");
}

/// Asserts the exit code, and that a line of the output starts with `start` and contains `part`.
#[track_caller]
fn assert_line(ended: &ProcessOutput, exit: i32, start: &str, part: &str) {
    let has = ended.stdout.lines().any(|line| line.trim_start().starts_with(start) && line.contains(part));
    assert!(ended.exit == exit && has, "no `{start}` with `{part}`: {ended:?}");
}

#[test]
fn cases_and_calls_under_another_name_are_told() {
    let world = repository();
    let entry = "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\n";
    world.write("repo/.guard/guard.toml", entry);
    let case = "[[cases]]\ninput = \"ls\"\nexpect = \"abstain\"\n";
    for folder in ["case", "tests", "fixtures", "Cases"] {
        fs::remove_dir_all(world.path("repo/.guard/cases")).ok();
        world.write(&format!("repo/.guard/{folder}/a.toml"), case);
        let ended = ci(&world, &[]);
        assert_line(&ended, 0, &format!("warning: .guard/{folder}: "), "its cases aren't run");
        assert!(ended.stdout.contains("hint: rename it to `.guard/cases`"), "{ended:?}");
        fs::remove_dir_all(world.path(&format!("repo/.guard/{folder}"))).unwrap();
    }
    fs::remove_file(world.path("repo/.guard/calls.jsonl")).ok();
    for file in ["call.jsonl", "calls.json", "recorded.jsonl"] {
        world.write(&format!("repo/.guard/{file}"), "{\"command\": \"ls\"}\n");
        assert_line(&ci(&world, &[]), 0, &format!("warning: .guard/{file}: "), "its calls aren't judged");
        fs::remove_file(world.path(&format!("repo/.guard/{file}"))).unwrap();
    }
    // Cases next to rules, settings and data aren't part of them.
    world.write("repo/.guard/rules/cases/a.toml", case);
    world.write("repo/.guard/data/a.toml", "x = 1\n");
    world.write("repo/.guard/team.json", "{}\n");
    assert!(!ci(&world, &[]).stdout.contains("warning: "), "{:?}", ci(&world, &[]));
}

#[test]
fn a_case_that_proves_less_is_told() {
    let world = repository();
    let file = ".guard/cases/a.toml";
    let case = "[[cases]]\ninput = \"git push\"\nexpect = \"deny\"\nrule = \"git-push\"\n";
    world.write(&format!("repo/{file}"), case);
    git(&world.repo(), &["add", "."]);
    git(&world.repo(), &["commit", "-q", "-m", "case"]);
    let ended = after(&world, file, "rule = \"git-push\"\n", "");
    assert_line(&ended, 0, "warning: .guard/cases/a.toml: ", "no longer expects the rule `git-push`, as at HEAD");
    world.write(&format!("repo/{file}"), case);
    let ended = after(&world, file, "rule = ", "facts = { permission-mode = \"plan\" }\nrule = ");
    assert_line(&ended, 0, "warning: .guard/cases/a.toml: ", "has other facts than at HEAD");
}

#[test]
fn a_rego_test_that_no_longer_runs_is_told() {
    let world = clone();
    let file = ".guard/team_test.rego";
    world.write(&format!("repo/{file}"), "package guard_test\n\ntest_one if true\n\ntest_two if true\n");
    git(&world.repo(), &["add", "."]);
    git(&world.repo(), &["commit", "-q", "-m", "tests"]);
    assert!(!ci(&world, &["--against", "HEAD"]).stdout.contains("no longer do"));
    let ended = after(&world, file, "test_two", "todo_test_two");
    assert_line(&ended, 0, "warning: .guard/team_test.rego: ", "ran at HEAD and no longer do: `test_two`");
    fs::remove_file(world.repo().join(file)).unwrap();
    let ended = ci(&world, &["--against", "HEAD"]);
    assert_line(&ended, 0, "warning: .guard/team_test.rego: ", "no longer do: `test_one`, `test_two`");
}

#[test]
fn a_configuration_that_git_ignores_is_told() {
    let world = repository();
    world.write("repo/.gitignore", ".guard/\n");
    assert!(!ci(&world, &[]).stdout.contains("git ignores it"), "git tracks it");
    git(&world.repo(), &["rm", "-q", "-r", "--cached", ".guard"]);
    assert_line(&ci(&world, &[]), 0, "warning: .guard/guard.toml: ", "git ignores it");
}

#[test]
fn a_call_that_is_judged_milder_is_shown_with_its_line() {
    let world = repository();
    let mut told = Transcript::default();
    told.add(&world, 1, &after(&world, FILE, "\"npm publish\"", "\"npm unpublish\""));
    // A removed call has no line.
    fs::write(world.repo().join(".guard/calls.jsonl"), "{\"command\": \"ls\"}\n").unwrap();
    told.add(&world, 1, &ci(&world, &["--against", "HEAD"]));
    assert_text!("ci_milder_calls", told.0);
}

#[test]
fn a_line_of_the_calls_that_cannot_be_read_fails() {
    let world = repository();
    world.write(
        "repo/.guard/calls.jsonl",
        "{\"command\": \"ls\"}\n{\"command\": \"npm publish\"}\n{\"command\": \"x\"\n{\"tol\": 1}\n",
    );
    assert_text!("ci_unreadable_calls", &world, 1, ci(&world, &["--against", "HEAD"]));
    // Correcting the line isn't a mistake.
    git(&world.repo(), &["commit", "-q", "-a", "-m", "broken"]);
    world.write("repo/.guard/calls.jsonl", "{\"command\": \"ls\"}\n{\"command\": \"npm publish\"}\n");
    assert_eq!(ci(&world, &["--against", "HEAD"]).exit, 0);
}

#[test]
fn refused_settings_are_told_once_and_at_their_place() {
    let world = clone();
    let ended = after(&world, FILE, "protected = ", "protectd = ");
    assert_text!("ci_refused_settings", &world, 1, ended);
    let ended = world.run(&["test", "chain", ".guard/cases"], "");
    assert!(ended.exit != 0 && ended.stderr.contains(".guard/guard.toml:7:"), "{ended:?}");
    assert!(!ended.stderr.contains("cases"), "{ended:?}");
}

#[test]
fn a_rego_folder_without_a_module_is_told_without_a_word_of_trust() {
    let world = repository();
    let entry = "[[policy]]\nname = \"ours\"\nsource = \"builtin:rego\"\nsettings-file = \"rules\"\n";
    world.write("repo/.guard/guard.toml", entry);
    world.write("repo/.guard/rules/data.json", "{}");
    let ended = ci(&world, &[]);
    assert!(ended.exit == 1 && ended.stdout.contains("the folder contains no Rego file"), "{ended:?}");
    assert!(!ended.stdout.contains("guard-host trust"), "{ended:?}");
}
