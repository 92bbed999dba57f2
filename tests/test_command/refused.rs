//! Subjects that cannot be tested: the exit code and the text of each error.

use super::{denied, json, test};
use crate::support::guests;
use crate::support::texts::told;
use crate::support::world::{Ended, World};
use crate::texts::assert_text;

/// The error has this exit code, these words, and a way out.
#[track_caller]
fn refused(ended: &Ended, exit: i32, words: &[&str]) {
    assert_eq!((ended.exit, ended.stdout.as_str()), (exit, ""), "{ended:?}");
    assert!(ended.stderr.starts_with("error: "), "{ended:?}");
    for word in words {
        assert!(ended.stderr.contains(word), "`{word}`: {ended:?}");
    }
}

#[test]
fn what_is_no_policy_ends_with_65_and_says_why() {
    let world = World::new();
    world.write("repo/cases.toml", denied(""));
    for (guest, words) in [
        ("core-module", ["not a WebAssembly component, but a core module", "wasm-tools component new"]),
        ("not-a-policy", ["does not export `guard:policy/policy@0.1.0`", "hint: "]),
        (
            "wrong-version",
            ["guard:policy@0.1.0: it exports `guard:policy/policy@0.9.0`, which is another version", "hint: "],
        ),
        ("future-import", ["does not fit the contract guard:policy@0.1.0: ", "hint: "]),
        ("describe-loops", ["it took longer than its time limit of 2000 ms", ".wasm` cannot be used"]),
        ("configure-refuses", ["cases.toml: `configure-refuses` refuses its settings: the guest refuses", "hint: "]),
        ("configure-traps", ["`configure-traps` fails over its settings: it trapped: ", "cases.toml"]),
        ("configure-loops", ["fails over its settings: it took longer than its time limit of 200 ms", "cases.toml"]),
    ] {
        refused(&test(&world, guest, &["cases.toml"]), 65, &words);
    }
    let text = world.write("repo/text.wasm", "no component at all");
    refused(&world.run(&["test", text.to_str().unwrap(), "cases.toml"], ""), 65, &["not a WebAssembly component"]);
    // Without a cache the same things are refused.
    let cold = World::new();
    cold.write("repo/cases.toml", denied(""));
    refused(&test(&cold, "core-module", &["cases.toml"]), 65, &["but a core module"]);
    refused(&test(&cold, "wrong-version", &["cases.toml"]), 65, &["which is another version"]);
}

#[test]
fn settings_that_a_built_in_refuses_are_named_with_their_file() {
    let world = World::new();
    world.write(
        "repo/cases.json",
        "{\"settings\":{\"secret-reads\":5},\"cases\":[{\"input\":\"ls\",\"expect\":\"abstain\"}]}",
    );
    let ended = world.run(&["test", "command-guard", "cases.json"], "");
    refused(&ended, 65, &["cases.json:1: `command-guard` refuses its settings: "]);
    let ended = world.run(&["test", "chain", "cases.json"], "");
    refused(&ended, 65, &["cases.json:1: `settings` are those of one policy", "hint: "]);
}

#[test]
fn what_is_missing_ends_with_66() {
    let world = World::new();
    world.write("repo/cases.toml", denied(""));
    refused(&world.run(&["test", "no-such-policy", "cases.toml"], ""), 66, &["`no-such-policy`", "command-guard"]);
    refused(&test(&world, "denies", &["none.toml"]), 66, &["none.toml"]);
    std::fs::create_dir(world.repo().join("empty")).unwrap();
    refused(&test(&world, "denies", &["empty"]), 66, &["there are no cases", "hint: "]);
    world.write("repo/empty.toml", "[facts]\n");
    refused(&test(&world, "denies", &["empty.toml"]), 66, &["empty.toml: it has no cases", "hint: "]);
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
        let ended = test(&world, "denies", &[name]);
        refused(&ended, 65, &[name]);
        shown.push(told(&world, &ended));
    }
    assert_text!("test_refused_suites", shown.join("\n"));
}

#[test]
fn a_chain_whose_configuration_is_broken_is_not_tested() {
    let world = World::new();
    world.write("repo/cases.toml", denied(""));
    world.configure("presett = \"none\"\n");
    refused(&world.run(&["test", "chain", "cases.toml"], ""), 78, &["guard.toml:1:1", "did you mean `preset`?"]);
    guests::chain(&world, &["core-module"], "");
    refused(&world.run(&["test", "chain", "cases.toml"], ""), 65, &["core-module", "but a core module"]);
}

/// A policy that gives no answer is taken for ask by the hook; a case that expects ask does not hold because of it.
#[test]
fn a_limit_that_is_reached_fails_the_case_and_is_named() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\ninput = 'ls'\nexpect = 'ask'\n");
    world.write("repo/fault.toml", "[[cases]]\ninput = 'ls'\nexpect = 'ask'\nrule = 'policy-fault'\n");
    for (guest, cause) in [
        ("endless-loop", "it took longer than its time limit of 200 ms"),
        ("memory-bomb", "it wanted more memory than its limit of 64 MiB"),
        ("deep-recursion", "it ran out of stack, of which it has 1024 KiB"),
        ("trap", "instruction executed (in `decide`)"),
        ("refuses", "its `decide` failed: the guest refuses"),
        ("undeclared-rule", "the rule `undeclared` is not in its manifest"),
    ] {
        let ended = test(&world, guest, &["cases.toml", "--format", "json"]);
        assert_eq!(ended.exit, 1, "{guest}: {ended:?}");
        let difference = &json(&ended)["cases"][0]["differences"][0];
        assert_eq!(difference["what"], "fault", "{guest}");
        let got = difference["got"].as_str().unwrap();
        assert!(got.starts_with(&format!("none of `{guest}`: ")) && got.contains(cause), "{guest}: {got}");
    }
    assert_eq!(test(&world, "trap", &["fault.toml"]).exit, 0);
    assert_eq!(test(&world, "shell", &["fault.toml"]).exit, 1);
}
