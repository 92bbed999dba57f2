//! `guard-host ci` and `replay` with a `.guard/guard.toml` in a folder below the project's root.

use std::fs;

use super::{ci, git};
use crate::support::reply::assert_deny;
use crate::support::world::{ProcessOutput, World, end};

const FILE: &str = "repo/svc/a/.guard/guard.toml";

const RULES: &str = "[[policy]]\nname = \"migrations\"\nsource = \"builtin:write-control\"\n\
                     settings = { protected = [\"svc/a/db/**\"], shell = true }\n";

const ROOT: &str = "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\n\
                    settings = { deny-patterns = [\"npm publish\"] }\n";

/// Creates a repository whose service protects its migrations, with a recorded call that is denied.
fn monorepo() -> World {
    let world = World::new();
    fs::remove_dir_all(world.repo().join(".git")).unwrap();
    git(&world.repo(), &["init", "-q"]);
    world.write("repo/.guard/guard.toml", ROOT);
    world.write("repo/.guard/calls.jsonl", "{\"command\": \"rm svc/a/db/1.sql\"}\n{\"command\": \"npm publish\"}\n");
    world.write("repo/svc/a/db/1.sql", "");
    world.write("repo/svc/b/db/1.sql", "");
    world.write(FILE, RULES);
    git(&world.repo(), &["add", "."]);
    git(&world.repo(), &["commit", "-q", "-m", "rules"]);
    assert_deny(&world.bash("rm svc/a/db/1.sql"), &["[migrations: "]);
    world
}

fn against(world: &World) -> ProcessOutput {
    ci(world, &["--against", "HEAD"])
}

/// Asserts the exit code, and that a line of the output contains all parts.
#[track_caller]
fn assert_line(ended: &ProcessOutput, exit: i32, parts: &[&str]) {
    let has = ended.stdout.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    assert!(ended.exit == exit && has, "no line with {parts:?}: {ended:?}");
}

#[test]
fn unchanged_folder_files_pass() {
    let world = monorepo();
    let ended = against(&world);
    assert_line(&ended, 0, &["ok   settings", "no changes since HEAD"]);
    assert_line(&ended, 0, &["ok   replay", "2 calls, none judged milder"]);
    assert_line(&ended, 0, &["ok   check", "7 in the chain"]);
}

#[test]
fn a_removed_folder_file_fails_with_the_calls_that_it_denied() {
    const CALL: &str = "judged milder than at HEAD: `rm svc/a/db/1.sql`";
    for gone in ["repo/svc/a/.guard", "repo/svc/a", "repo/svc"] {
        let world = monorepo();
        fs::remove_dir_all(world.path(gone)).unwrap();
        let ended = against(&world);
        assert_line(&ended, 1, &["svc/a/.guard/guard.toml: policy `migrations`: removed or switched off"]);
        assert_line(&ended, 1, &[CALL]);
        let ended = world.run(&["replay", "--against", "HEAD", "--fail-on", "loosened", ".guard/calls.jsonl"], "");
        assert_line(&ended, 1, &["rm svc/a/db/1.sql"]);
    }
}

#[test]
fn a_milder_folder_file_fails_with_the_calls_that_it_denied() {
    let world = monorepo();
    world.write(FILE, RULES.replace("svc/a/db/**", "svc/a/dbx/**"));
    let ended = against(&world);
    assert_line(&ended, 1, &["svc/a/.guard/guard.toml:2", "`protected`", "removed `svc/a/db/**`"]);
    assert_line(&ended, 1, &["judged milder than at HEAD: `rm svc/a/db/1.sql`"]);
    // Stricter rules are only listed.
    world.write(FILE, RULES.replace("svc/a/db/**", "svc/a/db/**\", \"svc/a/api/**"));
    assert_line(&against(&world), 0, &["added `svc/a/api/**`"]);
}

#[test]
fn changes_that_no_recorded_call_reaches_are_listed() {
    let world = monorepo();
    world.write("repo/.guard/calls.jsonl", "{\"command\": \"ls\"}\n");
    git(&world.repo(), &["commit", "-q", "-a", "-m", "calls"]);
    fs::remove_dir_all(world.path("repo/svc/a/.guard")).unwrap();
    assert_line(&against(&world), 0, &["svc/a/.guard/guard.toml: policy `migrations`: removed or switched off"]);
    // A new file is listed as well.
    world.write("repo/svc/b/.guard/guard.toml", RULES.replace("svc/a", "svc/b"));
    assert_line(&against(&world), 0, &["svc/b/.guard/guard.toml:2", "policy `migrations`: added"]);
}

#[test]
fn a_broken_folder_file_fails_as_in_config_check() {
    for (old, new) in [("[[policy]]", "[[policy"), ("source =", "sorce ="), ("svc/a/db/**", "svc/["), ("shell", "shel")]
    {
        let world = monorepo();
        world.write(FILE, RULES.replace(old, new));
        let checked = world.run(&["config", "check"], "");
        assert_eq!(checked.exit, 78, "{checked:?}");
        let error = checked.stderr.lines().find(|line| line.starts_with("error: ")).unwrap();
        let (place, text) = error.rsplit_once(".toml:").unwrap();
        assert!(place.contains("svc/a/.guard/guard"), "{error}");
        let text = text.split_once(": ").unwrap().1;
        for ended in [ci(&world, &[]), against(&world)] {
            assert_line(&ended, 1, &["svc/a/.guard/guard.toml:", text]);
            assert!(ended.stdout.contains("FAIL check"), "{ended:?}");
        }
    }
}

#[test]
fn a_folder_file_that_comes_to_need_trust_fails() {
    let world = monorepo();
    world.write(FILE, RULES.replace("source =", "on-error = \"allow\"\nsource ="));
    let ended = against(&world);
    assert_line(&ended, 1, &["svc/a/.guard/guard.toml:", "until each person runs `guard-host trust svc/a`"]);
    assert_line(&ci(&world, &[]), 0, &["ok   trust", "`guard-host trust svc/a`"]);
    // It needed trust before.
    git(&world.repo(), &["commit", "-q", "-a", "-m", "needs trust"]);
    assert_line(&against(&world), 0, &["ok   trust"]);
    assert_line(&against(&world), 0, &["2 calls, none judged milder"]);
    fs::remove_file(world.path(FILE)).unwrap();
    assert_line(&against(&world), 1, &["judged milder than at HEAD: `rm svc/a/db/1.sql`"]);
}

#[test]
fn a_project_with_folder_files_only_is_checked() {
    let world = monorepo();
    fs::remove_file(world.path("repo/.guard/guard.toml")).unwrap();
    git(&world.repo(), &["commit", "-q", "-a", "-m", "folders only"]);
    let ended = ci(&world, &[]);
    assert_line(&ended, 0, &["ok   check", "6 in the chain"]);
    assert!(!ended.stdout.contains("warning: "), "{ended:?}");
    world.write(FILE, RULES.replace("svc/a/db/**", "svc/a/dbx/**"));
    assert_line(&against(&world), 1, &["judged milder than at HEAD: `rm svc/a/db/1.sql`"]);
    world.write(FILE, RULES);
    assert_line(&against(&world), 0, &["2 calls, none judged milder"]);
}

#[test]
fn the_files_of_a_repository_in_the_project_are_not_of_the_revision() {
    let world = monorepo();
    fs::create_dir_all(world.path("repo/vendor/x/.git")).unwrap();
    world.write("repo/vendor/x/db/1.sql", "");
    world.write("repo/vendor/x/.guard/guard.toml", RULES.replace("svc/a/db/**", "db/**"));
    world.write("repo/.guard/calls.jsonl", "{\"command\": \"rm vendor/x/db/1.sql\"}\n");
    let ended = world.run(&["replay", "--against", "HEAD", ".guard/calls.jsonl"], "");
    assert!(ended.exit == 0 && !ended.stdout.contains("vendor/x"), "{ended:?}");
    let needs_trust = RULES.replace("svc/a/db/**", "db/**").replace("source =", "on-error = \"allow\"\nsource =");
    world.write("repo/vendor/x/.guard/guard.toml", needs_trust);
    let ended = against(&world);
    assert_line(&ended, 0, &["ok   trust", "`guard-host trust vendor/x`"]);
    assert_line(&ended, 0, &["ok   settings", "no changes since HEAD"]);
}

#[test]
fn the_rules_of_a_folder_file_are_tested_with_their_cases() {
    let world = monorepo();
    let rego = "[[policy]]\nname = \"rules\"\nsource = \"builtin:rego\"\nsettings-file = \"rules.rego\"\n";
    world.write(FILE, format!("{RULES}{rego}"));
    world.write("repo/svc/a/.guard/rules.rego", "package guard\n\ndeny contains \"no\" if input.tool == \"none\"\n");
    world.write("repo/svc/a/.guard/cases/a.toml", "[[cases]]\ninput = \"ls\"\nexpect = \"deny\"\n");
    assert_line(&ci(&world, &[]), 1, &["svc/a/.guard/cases/a.toml:1"]);
    world.write("repo/svc/a/.guard/cases/a.toml", "[[cases]]\ninput = \"ls\"\nexpect = \"abstain\"\n");
    assert_line(&ci(&world, &[]), 0, &["ok   test", "1 case"]);
}

#[test]
fn recorded_calls_are_judged_in_the_root_from_every_folder() {
    let world = monorepo();
    world.write("repo/.guard/guard.toml", ROOT.replace("npm publish", "npm pack"));
    world.write(FILE, RULES.replace("svc/a/db/**", "svc/a/dbx/**"));
    for folder in ["repo", "repo/svc/a", "repo/svc/b/db"] {
        let run = |arguments: &[&str]| {
            let mut command = world.command(arguments);
            command.current_dir(world.path(folder));
            end(command, "")
        };
        let ended = run(&["ci", "--against", "HEAD"]);
        assert_line(&ended, 1, &["judged milder than at HEAD: `rm svc/a/db/1.sql`"]);
        assert_line(&ended, 1, &["judged milder than at HEAD: `npm publish`"]);
    }
}

#[test]
fn cases_of_a_folder_are_run_with_its_chain() {
    let world = monorepo();
    let case = |expect: &str| format!("[[cases]]\ninput = \"rm svc/a/db/1.sql\"\nexpect = \"{expect}\"\n");
    world.write("repo/svc/a/.guard/cases/a.toml", case("deny"));
    assert_line(&against(&world), 0, &["ok   test", "1 case"]);
    world.write("repo/svc/a/.guard/cases/a.toml", case("abstain"));
    assert_line(&against(&world), 1, &["svc/a/.guard/cases/a.toml"]);
}

#[test]
fn recorded_calls_of_a_folder_are_reported() {
    let world = monorepo();
    world.write("repo/svc/a/.guard/calls.jsonl", "{\"command\": \"ls\"}\n");
    assert_line(&against(&world), 0, &["warning: svc/a/.guard/calls.jsonl: its calls aren't judged"]);
}

#[test]
fn changed_rules_are_named() {
    let world = monorepo();
    let rule = |name: &str, outcome: &str| {
        format!("[[rules]]\nrule = \"{name}\"\noutcome = \"{outcome}\"\nwhen = \"tool == 'X'\"\nmessage = \"no\"\n")
    };
    let entry = "[[policy]]\nname = \"team\"\nsource = \"builtin:cel\"\nsettings-file = \"team.toml\"\n";
    world.write("repo/.guard/guard.toml", format!("{ROOT}{entry}"));
    world.write("repo/.guard/team.toml", rule("one", "deny") + &rule("two", "deny"));
    git(&world.repo(), &["add", "."]);
    git(&world.repo(), &["commit", "-q", "-m", "more rules"]);
    world.write("repo/.guard/team.toml", rule("two", "warn"));
    let ended = against(&world);
    assert_line(&ended, 0, &["policy `team`: rule `one`: removed"]);
    assert_line(&ended, 0, &["policy `team`: rule `two`: `outcome`: \"warn\", was \"deny\""]);
}

#[test]
fn removed_and_weakened_cases_are_named() {
    let world = monorepo();
    let case = |command: &str, expect: &str| format!("[[cases]]\ninput = \"{command}\"\nexpect = {expect}\n");
    let kept = case("rm svc/a/db/1.sql", "\"deny\"");
    world.write("repo/svc/a/.guard/cases/a.toml", case("npm publish", "\"deny\"") + &kept + &case("ls", "\"abstain\""));
    git(&world.repo(), &["add", "."]);
    git(&world.repo(), &["commit", "-q", "-m", "cases"]);
    // Moving a case isn't removing it.
    fs::remove_file(world.path("repo/svc/a/.guard/cases/a.toml")).unwrap();
    world.write("repo/svc/a/.guard/cases/b.toml", case("npm publish", "[\"deny\", \"abstain\"]") + &kept);
    let ended = against(&world);
    assert_line(&ended, 0, &["the case `ls` was removed since HEAD"]);
    assert_line(&ended, 0, &["the case `npm publish` expects deny, abstain, was deny at HEAD"]);
    assert!(!ended.stdout.contains("the case `rm"), "{ended:?}");
}
