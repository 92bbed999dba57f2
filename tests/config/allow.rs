//! `[[allow]]`: calls that a person allows permanently, and everything that it doesn't affect.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;

use guard_contract::{Outcome, Wasi};
use guard_engine::Analyzer;
use guard_kit::suite::Subject;
use guard_kit::suite::mutate::REWRITES;
use guard_state::AppDirs;
use serde_json::{Value, json};

use crate::support::layers::Layers;
use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::texts::{normalize, normalized_output};
use crate::support::world::World;
use crate::texts::assert_text;

const BUILDS: &str = r#"
[[allow]]
command = ["rm", "-rf"]
targets = ["node_modules", "dist/**"]
within = "project"
why = "npm recreates it"
until = "2999-01-31"
"#;

/// Creates a world whose user allows these calls.
fn allowing(text: &str) -> World {
    let world = World::new();
    world.configure(text);
    world
}

#[test]
fn what_it_covers_is_not_asked_about_and_stands_in_the_log() {
    let world = allowing(BUILDS);
    for command in ["rm -rf node_modules", "rm -rf ./node_modules dist/a", "rm -rf dist/* 2>/dev/null"] {
        assert_silent(&world.bash(command));
    }
    let lines = world.audit();
    assert_eq!(lines.len(), 3, "{lines:?}");
    let line = &lines[0];
    assert_eq!((&line["action"], &line["policy"]), (&json!("allow"), &json!("config")));
    assert_eq!((&line["rule"], &line["operation"]), (&json!("npm recreates it"), &json!("rm -rf node_modules")));
    assert_eq!(line["rules"], json!(["command-guard:rm-recursive-force"]));
    let explained = world.run(&["explain", "rm -rf node_modules"], "");
    assert!(explained.stdout.contains("npm recreates it"), "{explained:?}");
}

#[test]
fn a_call_that_does_anything_else_is_asked_about() {
    let world = allowing(BUILDS);
    for command in [
        "rm -rf src",
        "rm -rf dist",
        "rm -rf node_modules src",
        "rm -rf node_modules ../node_modules",
        "rm -rf dist/../src",
        "rm -rf dist/*/../../src",
        "rm -rf node_modules && rm -rf src",
        "rm -rf node_modules; ls",
        "rm -rf \"$x\"",
        "rm -rf node_modules/$x",
        "sudo rm -rf node_modules",
        "cd .. && rm -rf node_modules",
        "rm -rf node_modules > Makefile",
        "PATH=/x rm -rf node_modules",
        "rm -rf $(echo node_modules)",
        "rm -r -f node_modules",
        "rm -rfv node_modules",
        "./rm -rf node_modules && rm -rf node_modules src",
        "xargs rm -rf node_modules",
        "bash -c 'rm -rf node_modules'",
        // The pattern matches `..`, or follows a link.
        "rm -rf dist/.?/lib",
        "rm -rf dist/.*",
        "rm -rf dist/[.]./lib",
        "rm -rf dist/*/lib",
        "rm -rf dist/*/",
        "rm -rf dist/**",
        // A variable is changed or something is run by other than a simple command.
        "for HOME in /x; do rm -rf node_modules; done",
        "for d in .?; do rm -rf dist/$d/lib; done",
        "((PATH=1)); rm -rf node_modules",
        "[[ -n ${PATH:=/x} ]] && rm -rf node_modules",
        "case ${PATH:=/x} in *) rm -rf node_modules;; esac",
        "if true; then rm -rf node_modules; fi",
        "(rm -rf node_modules)",
        "f() { rm -rf node_modules; }; f",
    ] {
        assert_ask(&world.bash(command), &[]);
    }
    assert_deny(&world.bash("rm -rf node_modules /"), &["[command-guard: rm-root]"]);
    // Another project's folder with that name, and a link to something else.
    assert_ask(&world.bash(&format!("rm -rf {}/elsewhere/node_modules", world.home.path().display())), &[]);
    std::fs::create_dir_all(world.path("repo/src")).unwrap();
    symlink("src", world.path("repo/node_modules")).unwrap();
    assert_ask(&world.bash("rm -rf node_modules/"), &[]);
}

/// Returns every rewrite of the text, and every rewrite of those.
fn rewritten(analyzer: &Analyzer, world: &World, text: &str) -> BTreeSet<String> {
    let (cwd, home) = (world.repo().display().to_string(), world.home.path().display().to_string());
    let of = |text: &str| -> Vec<String> {
        REWRITES.iter().filter_map(|rewrite| rewrite.command(text, analyzer, &cwd, &home)).collect()
    };
    let once = of(text);
    let twice: Vec<String> = once.iter().flat_map(|text| of(text)).collect();
    once.into_iter().chain(twice).collect()
}

#[test]
fn no_rewrite_of_a_call_that_does_more_is_covered() {
    let world = World::new();
    let dirs = AppDirs::under_home(world.home.path().to_str().unwrap());
    let subject = Subject::policy("command-guard", Wasi::Absent, &world.repo(), &dirs).unwrap();
    let more = [
        "rm -rf node_modules src",
        "rm -rf node_modules ../other",
        "rm -rf node_modules && git push origin topic",
        "rm -rf node_modules/../src",
    ];
    let texts: BTreeSet<String> = more.iter().flat_map(|text| rewritten(subject.analyzer(), &world, text)).collect();
    assert!(texts.len() > 2000, "{}", texts.len());
    let lines: String = texts.iter().map(|text| format!("{}\n", json!({ "tool": "Bash", "input": text }))).collect();
    let outcomes = || {
        let ended = world.run(&["check", "--batch"], &lines);
        let outcome = |line: &str| serde_json::from_str::<Value>(line).unwrap()["outcome"].clone();
        ended.stdout.lines().map(outcome).collect::<Vec<_>>()
    };
    let before = outcomes();
    world.configure(BUILDS);
    assert_silent(&world.bash("rm -rf node_modules"));
    let lifted: Vec<&String> = outcomes()
        .iter()
        .zip(&before)
        .zip(&texts)
        .filter(|((after, before), _)| after != before)
        .map(|(_, text)| text)
        .collect();
    assert!(lifted.is_empty() && before.len() == texts.len(), "{lifted:?}");
}

#[test]
fn a_folder_is_the_one_that_a_link_leads_to() {
    let world = World::new();
    std::fs::create_dir_all(world.path("other/.git")).unwrap();
    let repo = world.repo().canonicalize().unwrap();
    world.configure(&format!("[[allow]]\ncommand = [\"git\", \"push\"]\nwithin = \"{}\"\n", repo.display()));
    symlink("../other", world.path("repo/link")).unwrap();
    let push = |cwd: &str| {
        let payload = json!({ "session_id": "s1", "cwd": world.path(cwd), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": { "command": "git push" } });
        world.hook(&payload.to_string())
    };
    assert_silent(&push("repo"));
    std::fs::create_dir_all(world.path("repo/sub")).unwrap();
    assert_silent(&push("repo/sub"));
    assert_ask(&push("repo/link"), &[]);
    assert_ask(&push("other"), &[]);
    world.configure("[[allow]]\ncommand = [\"git\", \"push\"]\n");
    let mut codex = json!({ "session_id": "s1", "turn_id": "t", "cwd": world.repo(), "hook_event_name": "PreToolUse",
        "tool_name": "shell", "tool_input": { "command": "git push", "workdir": "link" } });
    let hook = |payload: &Value| world.run(&["hook", "codex"], &payload.to_string());
    assert!(hook(&codex).stdout.contains("deny"), "{:?}", hook(&codex));
    codex["tool_input"]["workdir"] = json!("sub");
    assert!(!hook(&codex).stdout.contains("deny"), "{:?}", hook(&codex));
}

#[test]
fn a_secret_of_an_allow_is_not_logged() {
    let world = allowing("[[allow]]\ncommand = [\"git\", \"push\", \"https://u:sw0rdfish-9f3k2@h.example/r\"]\n");
    assert_silent(&world.bash("git push https://u:sw0rdfish-9f3k2@h.example/r"));
    let log = std::fs::read_to_string(world.path(".local/state/guard-host/audit.jsonl")).unwrap();
    assert!(log.contains("\"allow\"") && !log.contains("sw0rdfish"), "{log}");
}

#[test]
fn a_word_that_names_no_path_is_not_covered() {
    let world = allowing("[[allow]]\ncommand = ['git', 'push']\ntargets = ['topic']\n");
    for command in ["git push topic", "git push origin", "git push origin topic"] {
        assert_ask(&world.bash(command), &[]);
    }
}

#[test]
fn without_targets_the_words_are_the_whole_command() {
    let world =
        allowing("[[allow]]\ncommand = ['git', 'push', 'origin', 'topic']\nrules = ['command-guard:git-push']\n");
    assert_silent(&world.bash("git push origin topic"));
    for command in
        ["git push origin other", "git push origin topic other", "git push origin", "git push origin topic &&ls"]
    {
        assert_ask(&world.bash(command), &[]);
    }
}

#[test]
fn an_allow_that_is_over_or_names_another_rule_counts_for_nothing() {
    for text in [
        BUILDS.replace("2999-01-31", "2020-01-31"),
        format!("{BUILDS}rules = ['command-guard:rm-glob']\n"),
        format!("{BUILDS}rules = ['other:rm-recursive-force']\n"),
        BUILDS.replace("\"project\"", "\"~/elsewhere\""),
    ] {
        assert_ask(&allowing(&text).bash("rm -rf node_modules"), &["[command-guard: rm-recursive-force]"]);
    }
    assert_silent(&allowing(&BUILDS.replace("\"project\"", "\"~/repo\"")).bash("rm -rf node_modules"));
}

#[test]
fn self_protection_is_never_lifted() {
    let world = allowing("[[allow]]\ncommand = ['guard-host', 'policy', 'remove', 'x']\n");
    assert_ask(&world.bash("guard-host policy remove x"), &["[self-protect: guard-command]"]);
}

#[test]
fn the_managed_file_is_loosened_by_nobody_else() {
    let calls = [("Bash", json!({ "command": "rm -rf node_modules" }))];
    for managed in ["preset = 'standard'\n", "lock = ['command-guard']\n"] {
        let layers = Layers::new().managed(managed).user(format!("preset = 'none'\n{BUILDS}"));
        assert_eq!(layers.decide(&calls)[0].outcome, Outcome::Ask, "{managed}");
        let layers = layers.managed(format!("{managed}{BUILDS}"));
        assert_eq!(layers.decide(&calls)[0].outcome, Outcome::Abstain, "{managed}");
    }
}

#[test]
fn a_projects_file_may_hold_none() {
    let world = World::new();
    world.write("repo/.guard/guard.toml", BUILDS);
    let asked = world.bash("rm -rf node_modules");
    assert_ask(&asked, &["[config: broken-config]"]);
    assert_text!("project_allow", normalize(&world, &asked.reason()));
}

#[test]
fn what_says_too_much_or_nothing_is_a_problem() {
    let entry = |text: &str| format!("[[allow]]\n{text}\n");
    let mut said = String::new();
    for text in [
        "targets = ['x']",
        "command = ['rm', '']",
        "command = ['rm']\ntargets = ['**']",
        "command = ['rm']\ntargets = ['/etc/x']",
        "command = ['rm']\ntargets = ['a/../../x']",
        "command = ['rm']\ntargets = ['[x']",
        "command = ['rm']\nwithin = '/'",
        "command = ['rm']\nwithin = '~'",
        "command = ['rm']\nwithin = 'x'",
        "command = ['rm']\nuntil = 'soon'",
        "command = ['rm']\nuntil = '2027-13-01'",
        "command = ['rm']\nrules = ['rm-glob']",
        "command = ['rm']\nrules = ['self-protect:guard-command']",
        "command = ['rm']\ntarget = ['x']",
    ] {
        let world = allowing(&entry(text));
        let checked = world.run(&["config", "check"], "");
        assert_eq!(checked.exit, 78, "{text}: {checked:?}");
        said += &normalized_output(&world, &checked);
        assert_ask(&world.bash("ls"), &["[config: broken-config]"]);
    }
    assert_text!("config_allow_refused", said);
}

#[test]
fn config_show_lists_them() {
    let world = allowing(BUILDS);
    let shown = world.run(&["config", "show", "--format", "json"], "");
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(shown["allow"][0]["command"], json!(["rm", "-rf"]), "{shown}");
    assert_eq!(shown["allow"][0]["why"], "npm recreates it");
}

#[test]
fn targets_cover_folders_and_what_is_below_them() {
    for target in ["cache", "./cache", "cache/", "cache//", "cach*", "{cache,tmp}"] {
        let world = allowing(&format!("[[allow]]\ncommand = ['rm', '-rf']\ntargets = ['{target}']\n"));
        for command in ["rm -rf cache", "rm -rf ./cache", "rm -rf cache/a", "rm -rf cache/a/b cache"] {
            assert_silent(&world.bash(command));
        }
        for command in ["rm -rf src", "rm -rf cache src", "rm -rf src/cache", "rm -rf cache/../src"] {
            assert_ask(&world.bash(command), &[]);
        }
    }
    let below = allowing("[[allow]]\ncommand = ['rm', '-rf']\ntargets = ['cache//a/**']\n");
    assert_silent(&below.bash("rm -rf cache/a/b"));
    assert_ask(&below.bash("rm -rf cache/a"), &[]);
    let of_effects = allowing(
        "[[allow]]\ncommand = ['git', 'checkout']\neffects = ['git.discard', 'fs.write']\ntargets = ['./src']\n",
    );
    assert_silent(&of_effects.bash("git checkout -- src/x.ts"));
    assert_ask(&of_effects.bash("git checkout -- lib/x.ts"), &[]);
}
