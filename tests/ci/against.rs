//! `guard-host ci --against`: changes of a project's rules that make them milder, or that no case shows.

use std::fs;

use serde_json::Value;

use super::{ci, clone, git};
use crate::support::world::{ProcessOutput, World};

const FILE: &str = ".guard/guard.toml";

/// Runs `ci` against the commit before a change of a file, which must have the old text.
#[track_caller]
fn after(world: &World, file: &str, old: &str, new: &str) -> ProcessOutput {
    let path = world.repo().join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{file} has no `{old}`");
    fs::write(path, text.replace(old, new)).unwrap();
    ci(world, &["--against", "HEAD"])
}

/// A line of the report begins and ends so.
#[track_caller]
fn assert_line(ended: &ProcessOutput, exit: i32, start: &str, part: &str) {
    let has = ended.stdout.lines().any(|line| line.trim_start().starts_with(start) && line.contains(part));
    assert!(ended.exit == exit && has, "no `{start}` with `{part}`: {ended:?}");
}

const ENTRY: &str = "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\n\
                     settings = { raise = [\"git-push\", \"drop-table\"], deny-patterns = [\"npm publish\"] }\n";

/// A repository with one entry, and a commit of it.
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
    let needs = ["on-error = \"allow\"", "may-allow = true", "grants = { env = [\"CI\"] }"];
    for need in needs {
        let world = repository();
        let ended = after(&world, FILE, "source =", &format!("{need}\nsource ="));
        let told = "until each person runs `guard-host trust`, its rules don't apply and every call needs confirmation";
        assert_line(&ended, 1, ".guard/guard.toml:", told);
        // It needed trust before, and each change ended that trust.
        git(&world.repo(), &["commit", "-q", "-a", "-m", "needs trust"]);
        let ended = after(&world, FILE, "\"git-push\", ", "");
        assert_line(&ended, 0, "ok   trust ", "needed after each change");
        git(&world.repo(), &["commit", "-q", "-a", "-m", "other rule"]);
        assert_line(&after(&world, FILE, &format!("{need}\n"), ""), 0, "ok   trust ", "not needed");
    }
}

#[test]
fn the_settings_that_differ_are_listed() {
    for (old, new, told) in [
        (", \"drop-table\"", "", "policy `ours`: `raise`: removed `drop-table`"),
        (
            "\"npm publish\"",
            "\"npm  publish\"",
            "policy `ours`: `deny-patterns`: removed `npm publish`, added `npm  publish`",
        ),
        ("raise = [\"git-push\", \"drop-table\"], ", "", "policy `ours`: `raise`: removed `git-push`, `drop-table`"),
        ("source =", "tools = [\"PowerShell\"]\nsource =", "policy `ours`: `tools`: PowerShell, was every tool"),
        ("source =", "on-error = \"deny\"\nsource =", "policy `ours`: `on-error`: deny, was ask"),
        ("name = \"ours\"", "name = \"theirs\"", "policy `ours`: removed or switched off"),
        ("name = \"ours\"", "name = \"theirs\"", "policy `theirs`: added"),
    ] {
        let world = repository();
        let ended = after(&world, FILE, old, new);
        let has = ended.stdout.lines().any(|line| line.trim_start().starts_with(FILE) && line.ends_with(told));
        assert!(has && ended.stdout.contains("ok   settings"), "{told}: {ended:?}");
    }
    let world = repository();
    assert_line(&ci(&world, &["--against", "HEAD"]), 0, "ok   settings ", "no changes since HEAD");
    assert_line(&ci(&world, &[]), 0, "skip settings ", "`--against` names no revision");
}

#[test]
fn a_tool_whose_arguments_mean_something_else_now_is_listed() {
    const TOOL: &str = "[[tool]]\nmatch = \"mcp__ops__exec\"\nshell = \"line\"\n";
    let world = repository();
    world.write("repo/.guard/guard.toml", format!("{ENTRY}{TOOL}"));
    git(&world.repo(), &["commit", "-q", "-a", "-m", "tool"]);
    for (new, told) in [("", "removed"), (&*TOOL.replace("line", "text"), "changed")] {
        world.write("repo/.guard/guard.toml", format!("{ENTRY}{new}"));
        let ended = ci(&world, &["--against", "HEAD"]);
        assert!(ended.stdout.contains(&format!("`[[tool]]` for `mcp__ops__exec`: {told}")), "{ended:?}");
    }
    let ended = ci(&world, &["--against", "HEAD~1"]);
    assert!(ended.stdout.contains("`[[tool]]` for `mcp__ops__exec`: added"), "{ended:?}");
}

#[test]
fn a_change_of_rules_in_a_file_is_listed_with_the_file() {
    let world = clone();
    let ended = after(&world, ".guard/team.rego", "package.publish", "package.publishes");
    assert!(ended.stdout.contains("`.guard/team.rego` differs"), "{ended:?}");
}

#[test]
fn a_folder_of_cases_that_is_gone_fails() {
    let world = clone();
    let cases = world.repo().join(".guard/cases");
    fs::rename(&cases, world.repo().join(".guard/case")).unwrap();
    let ended = ci(&world, &["--against", "HEAD"]);
    assert_line(&ended, 1, ".guard/cases: ", "it has no cases any more, and has some at HEAD");
    // A file that is renamed leaves cases there.
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
    let ended = ci(&world, &["--against", "HEAD"]);
    assert_line(&ended, 0, "skip replay ", "no configuration to compare with at HEAD");
    assert_line(&ended, 0, "skip settings ", "no configuration to compare with at HEAD");
    assert_eq!(ci(&world, &["--against", "nowhere"]).exit, 1);
}

/// Where `guard-host new` puts them.
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
    assert_line(&ci(&world, &[]), 0, "ok   test ", "1 case");
    world.write("repo/.guard/rules/cases/x.toml", case("y"));
    let ended = ci(&world, &[]);
    assert_line(&ended, 1, ".guard/rules/cases/x.toml:1: ", "expected deny, got abstain");
    let again = "`guard-host test rego .guard/rules/cases --settings-file .guard/rules/policy.rego` shows more";
    assert!(ended.stdout.contains(again), "{ended:?}");
    // Rules in CEL are tested as those in Rego are. Two policies can't share the cases.
    let rules = "[[rules]]\nrule = \"no-x\"\noutcome = \"deny\"\nwhen = \"analysis.commands.exists(c, c.program == 'y')\"\n\
                 message = \"m\"\n";
    world.write("repo/.guard/rules/policy.toml", rules);
    let cel = entry.replace("rego", "cel").replace("policy.cel", "policy.toml");
    world.write("repo/.guard/guard.toml", &cel);
    assert_line(&ci(&world, &[]), 0, "ok   test ", "1 case");
    world.write("repo/.guard/guard.toml", format!("{cel}{}", entry.replace("\"rules\"", "\"others\"")));
    let ended = ci(&world, &[]);
    let told = "its cases are run for policy `rules`, and not for `others`";
    assert_line(&ended, 0, "warning: .guard/rules/cases: ", told);
}

#[test]
fn a_warning_of_the_check_is_told_and_fails_nothing() {
    let world = repository();
    fs::create_dir_all(world.path("repo/billing")).unwrap();
    let entry = "[[policy]]\nname = \"files\"\nsource = \"builtin:write-control\"\n\
                 settings = { protected = [\"biling/**\"] }\n";
    world.write("repo/.guard/guard.toml", entry);
    let ended = ci(&world, &[]);
    let told = "policy `files`: no file matches `biling/**` in `protected`";
    assert_line(&ended, 0, "warning: .guard/guard.toml:2: ", told);
    assert!(ended.stdout.contains("hint: did you mean `billing/**`?"), "{ended:?}");
    let github = ci(&world, &["--format", "github"]);
    assert_line(&github, 0, "::warning file=.guard/guard.toml,line=2,title=check::", "did you mean `billing/**`?");
    let json: Value = serde_json::from_str(&ci(&world, &["--format", "json"]).stdout).unwrap();
    assert_eq!(json["steps"][1]["warnings"][0]["text"].as_str(), Some(told), "{json}");
    let github = ci(&world, &["--against", "HEAD", "--format", "github"]);
    assert!(github.stdout.contains("::notice file=.guard/guard.toml"), "{github:?}");
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
    // Cases beside rules, settings, and data are none of them.
    world.write("repo/.guard/rules/cases/a.toml", case);
    world.write("repo/.guard/data/a.toml", "x = 1\n");
    world.write("repo/.guard/team.json", "{}\n");
    assert!(!ci(&world, &[]).stdout.contains("warning: "), "{:?}", ci(&world, &[]));
}

#[test]
fn a_call_that_is_judged_milder_is_shown_with_its_line() {
    let world = repository();
    let ended = after(&world, FILE, "\"npm publish\"", "\"npm unpublish\"");
    let told = "`npm publish`: deny ours:npm publish -> ask command-guard:publish-package";
    assert_line(&ended, 1, ".guard/calls.jsonl:2: judged milder than at HEAD: ", told);
    // A call that is removed has no line.
    fs::write(world.repo().join(".guard/calls.jsonl"), "{\"command\": \"ls\"}\n").unwrap();
    let ended = ci(&world, &["--against", "HEAD"]);
    assert_line(
        &ended,
        1,
        ".guard/calls.jsonl: judged milder than at HEAD: `npm publish` (removed from the file)",
        "-> ask",
    );
}

#[test]
fn a_line_of_the_calls_that_cannot_be_read_fails() {
    let world = repository();
    world.write(
        "repo/.guard/calls.jsonl",
        "{\"command\": \"ls\"}\n{\"command\": \"npm publish\"}\n{\"command\": \"x\"\n{\"tol\": 1}\n",
    );
    let ended = ci(&world, &["--against", "HEAD"]);
    assert_line(&ended, 1, ".guard/calls.jsonl:3: not read: ", "no JSON");
    assert_line(&ended, 1, ".guard/calls.jsonl:4: not read: ", "of no format that is known");
    // To correct the line is no mistake.
    git(&world.repo(), &["commit", "-q", "-a", "-m", "broken"]);
    world.write("repo/.guard/calls.jsonl", "{\"command\": \"ls\"}\n{\"command\": \"npm publish\"}\n");
    assert_eq!(ci(&world, &["--against", "HEAD"]).exit, 0);
}

#[test]
fn refused_settings_are_told_once_and_at_their_place() {
    let world = clone();
    let ended = after(&world, FILE, "protected = ", "protectd = ");
    assert_line(&ended, 1, ".guard/guard.toml:7: ", "unknown field `protectd`");
    assert_eq!(ended.stdout.matches("unknown field").count(), 1, "{ended:?}");
    assert_line(&ended, 1, "skip test ", "the policies can't be used, see above");
    let ended = world.run(&["test", "chain", ".guard/cases"], "");
    assert!(ended.exit != 0 && ended.stderr.contains(".guard/guard.toml:7:"), "{ended:?}");
    assert!(!ended.stderr.contains("cases"), "{ended:?}");
}
