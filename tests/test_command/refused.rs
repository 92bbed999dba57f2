//! Subjects that can't be tested: the exit code and the text of each error.

use super::{denied, json, test};
use crate::support::guests;
use crate::support::texts::normalized_output;
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

/// Returns the error with this exit code.
#[track_caller]
fn refused(world: &World, ended: &ProcessOutput, exit: i32) -> String {
    assert_eq!((ended.exit, ended.stdout.as_str()), (exit, ""), "{ended:?}");
    assert!(ended.stderr.starts_with("error: "), "{ended:?}");
    normalized_output(world, ended)
}

#[test]
fn what_is_no_policy_ends_with_65_and_says_why() {
    let world = World::new();
    world.write("repo/cases.toml", denied(""));
    let guests = [
        "core-module",
        "not-a-policy",
        "wrong-version",
        "future-import",
        "describe-loops",
        "configure-refuses",
        "configure-traps",
        "configure-loops",
    ];
    let mut output = guests.map(|guest| refused(&world, &test(&world, guest, &["cases.toml"]), 65)).concat();
    let text = world.write("repo/text.wasm", "no component at all");
    output += &refused(&world, &world.run(&["test", text.to_str().unwrap(), "cases.toml"], ""), 65);
    // Without a cache, the same inputs are rejected.
    let cold = World::new();
    cold.write("repo/cases.toml", denied(""));
    output += &["core-module", "wrong-version"]
        .map(|guest| refused(&cold, &test(&cold, guest, &["cases.toml"]), 65))
        .concat();
    assert_text!("test_no_policy", output);
}

#[test]
fn settings_that_a_built_in_refuses_are_named_with_their_file() {
    let world = World::new();
    world.write(
        "repo/cases.json",
        "{\"settings\":{\"secret-reads\":5},\"cases\":[{\"input\":\"ls\",\"expect\":\"abstain\"}]}",
    );
    let ended = world.run(&["test", "command-guard", "cases.json"], "");
    let output = refused(&world, &ended, 65);
    let ended = world.run(&["test", "chain", "cases.json"], "");
    assert_text!("test_refused_settings", output + &refused(&world, &ended, 65));
}

#[test]
fn what_is_missing_ends_with_66() {
    let world = World::new();
    world.write("repo/cases.toml", denied(""));
    let mut output = refused(&world, &world.run(&["test", "no-such-policy", "cases.toml"], ""), 66);
    std::fs::create_dir(world.repo().join("empty")).unwrap();
    world.write("repo/empty.toml", "[facts]\n");
    for cases in ["none.toml", "empty", "empty.toml"] {
        output += &refused(&world, &test(&world, "denies", &[cases]), 66);
    }
    assert_text!("test_missing", output);
}

#[test]
fn a_suite_that_makes_no_sense_ends_with_65_and_names_its_place() {
    let world = World::new();
    let mut shown = Vec::new();
    for (name, text) in [
        ("a.toml", "[[cases]]\ninput = 'ls'\nexpext = 'ask'\n"),
        ("b.json", "{\"cases\":[\n{\"imput\":\"ls\"}]}"),
        ("c.jsonl", "\n\n{oops\n"),
        ("d.toml", "[[cases]\n"),
        ("e.toml", "\n[[cases]]\ninput = 'ls'\n"),
        ("f.yaml", "cases: []"),
    ] {
        world.write(&format!("repo/{name}"), text);
        shown.push(refused(&world, &test(&world, "denies", &[name]), 65));
    }
    assert_text!("test_refused_suites", shown.join("\n"));
}

#[test]
fn a_chain_whose_configuration_is_broken_is_not_tested() {
    let world = World::new();
    world.write("repo/cases.toml", denied(""));
    world.configure("presett = \"none\"\n");
    let output = refused(&world, &world.run(&["test", "chain", "cases.toml"], ""), 78);
    guests::chain(&world, &["core-module"], "");
    let output = output + &refused(&world, &world.run(&["test", "chain", "cases.toml"], ""), 65);
    assert_text!("test_broken_chain", output);
}

/// The hook asks if a policy gives no answer, but a case that expects ask doesn't pass because of that.
#[test]
fn a_limit_that_is_reached_fails_the_case_and_is_named() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\ninput = 'ls'\nexpect = 'ask'\n");
    world.write("repo/fault.toml", "[[cases]]\ninput = 'ls'\nexpect = 'ask'\nrule = 'policy-fault'\n");
    let mut output = String::new();
    for guest in ["endless-loop", "memory-bomb", "deep-recursion", "trap", "refuses", "undeclared-rule"] {
        let ended = test(&world, guest, &["cases.toml", "--format", "json"]);
        assert_eq!(ended.exit, 1, "{guest}: {ended:?}");
        let difference = &json(&ended)["cases"][0]["differences"][0];
        assert_eq!(difference["what"], "fault", "{guest}");
        output += &format!("{}\n", difference["got"]);
    }
    assert_text!("test_limits", output);
    assert_eq!(test(&world, "trap", &["fault.toml"]).exit, 0);
    assert_eq!(test(&world, "shell", &["fault.toml"]).exit, 1);
}
