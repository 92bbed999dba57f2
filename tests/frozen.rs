//! `wasi = "frozen"`: a guest that uses everything in WASI that Rust's library needs, with and without the key.

use crate::support::{crates, guests, world};
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::support::texts::normalize;
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

/// Returns the component, which is built once for all tests.
fn component() -> &'static PathBuf {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, component) = BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let component = crates::build("frozen", folder.path(), "asks_wasi.wasm");
        (folder, component)
    });
    component
}

/// Creates a world whose chain is only this guest, with `keys` in its entry.
fn world_with(keys: &str) -> World {
    let world = World::new();
    world.configure(&format!("preset = \"none\"\n{}", guests::entry("asks", component(), keys)));
    let warmed = world.run(&["cache", "warm"], "");
    assert_eq!(warmed.exit, 0, "{warmed:?}");
    world
}

const FROZEN: &str = "wasi = \"frozen\"";

/// Returns the guest's report of its attempt, or the whole reason if it gave no answer.
fn saw(ended: &ProcessOutput, deed: &str) -> String {
    let reason = ended.reason();
    let said = reason.strip_prefix(&format!("{deed}: ")).and_then(|rest| rest.split_once(". [asks: saw]"));
    said.map_or_else(|| reason.clone(), |(said, _)| said.to_owned())
}

/// Returns the reply's line with the reason why a policy gave no answer.
fn fault(world: &World, ended: &ProcessOutput) -> String {
    let reason = ended.reason();
    let line = reason.lines().find(|line| line.contains(": policy-fault]")).unwrap_or_else(|| panic!("{ended:?}"));
    normalize(world, &format!("{line}\n"))
}

#[test]
fn without_the_key_a_call_of_wasi_is_a_fault_that_names_it_and_the_key() {
    let world = world_with("");
    assert_eq!(saw(&world.bash("nothing"), "nothing"), "nothing");
    let mut said = String::new();
    for deed in ["clock", "elapsed", "environment", "random", "print", "exit", "connect"] {
        let ended = world.bash(deed);
        assert_eq!(ended.decision(), "ask", "{deed}: {ended:?}");
        said += &fault(&world, &ended);
    }
    assert_text!("frozen_without_the_key", said);
}

#[test]
fn a_frozen_wasi_answers_and_holds_nothing_of_the_machine() {
    let world = world_with(FROZEN);
    for (deed, expected) in [
        ("clock", "Ok(1ns)"),
        ("elapsed", "1ns"),
        ("environment", "[] []"),
        ("file", "Err(NotFound)"),
        ("write", "Err(NotFound)"),
        ("print", "printed"),
        ("read", "Ok(0)"),
    ] {
        let mut hook = world.command(&["hook", "claude"]);
        hook.env("SECRET", "of the machine");
        let payload = serde_json::json!({ "tool_name": "Bash", "tool_input": { "command": deed } });
        let ended = world::end(hook, &payload.to_string());
        assert_eq!(saw(&ended, deed), expected, "{ended:?}");
        assert!(ended.stderr.is_empty(), "what is printed goes nowhere: {ended:?}");
    }
    assert!(!world.path("repo/seen.txt").exists());
}

#[test]
fn a_frozen_wasi_is_the_same_at_every_call() {
    let (one, other) = (world_with(FROZEN), world_with(FROZEN));
    let first = saw(&one.bash("random"), "random");
    assert!(first.starts_with("code 0, distinct true, bytes ["), "{first}");
    for ended in [one.bash("random"), other.bash("random")] {
        assert_eq!(saw(&ended, "random"), first);
    }
}

#[test]
fn what_a_frozen_wasi_does_not_give_is_a_fault() {
    let world = world_with(FROZEN);
    assert_text!("frozen_faults", ["exit", "panic", "connect"].map(|deed| fault(&world, &world.bash(deed))).concat());
}

#[test]
fn the_key_is_part_of_the_configuration_and_of_the_artifact() {
    let world = World::new();
    let both = format!(
        "preset = \"none\"\n{}{}",
        guests::entry("plain", component(), ""),
        guests::entry("asks", component(), FROZEN)
    );
    world.configure(&both);
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    let both = world.bash("clock");
    assert!(both.reason().contains("clock: Ok(1ns)"), "{both:?}");
    let artifacts = std::fs::read_dir(world.path(".cache/guard-host/artifacts")).unwrap();
    let names: Vec<String> = artifacts.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let frozen = names.iter().filter(|name| name.ends_with("-frozen.cwasm")).count();
    assert_eq!(frozen, 1, "{names:?}");
    assert_eq!(world.run(&["cache", "verify"], "").exit, 0);

    world.configure(&format!("preset = \"none\"\n{}", guests::entry("asks", component(), "")));
    let without = world.bash("clock");
    assert_text!("frozen_for_one", fault(&world, &both) + &fault(&world, &without));
    world.configure(&format!("preset = \"none\"\n{}", guests::entry("asks", component(), FROZEN)));
    assert_eq!(saw(&world.bash("clock"), "clock"), "Ok(1ns)");
}

#[test]
fn a_project_cannot_ask_for_it() {
    let world = World::new();
    world.configure("preset = \"none\"\n");
    std::fs::copy(component(), world.path("repo/asks.wasm")).unwrap();
    world
        .write("repo/.guard/guard.toml", "[[policy]]\nname = \"asks\"\nsource = \"../asks.wasm\"\nwasi = \"frozen\"\n");
    assert_text!("frozen_in_a_project", normalize(&world, &world.bash("nothing").reason()));
}

#[test]
fn a_fault_shows_what_the_guest_wrote_to_standard_error_last() {
    let world = world_with(FROZEN);
    assert_text!("frozen_abort", fault(&world, &world.bash("abort")));
}

#[test]
fn its_clocks_never_stand() {
    let world = world_with(FROZEN);
    let shown = saw(&world.bash("looks"), "looks");
    assert_eq!(shown, "1ns 1ns");
}

#[test]
fn a_test_grants_what_the_manifest_requests_and_no_more() {
    let world = World::new();
    let component = component().to_str().unwrap();
    let case = |name: &str, answer: &str| {
        format!("[[cases]]\ninput = 'variable {name}'\nexpect = 'ask'\nmessage = '{answer}'\n")
    };
    let facts = "[facts]\nenv = { GRANTED = 'a value', OTHER = 'another' }\n";
    let text = format!("{facts}{}{}", case("GRANTED", "Ok(\"a value\")"), case("OTHER", "name: \"denied\""));
    let file = world.write("cases.toml", text);
    let ended = world.run(&["test", component, file.to_str().unwrap()], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
}

#[test]
fn a_policy_can_be_added_and_tested_with_it() {
    let world = World::new();
    world.configure("preset = \"none\"\n");
    let component = component().to_str().unwrap();
    let added = world.run(&["policy", "add", component, "--wasi", "frozen"], "");
    assert_eq!(added.exit, 0, "{added:?}");
    assert!(world.bash("clock").reason().contains("clock: Ok(1ns)"), "{:?}", world.bash("clock"));

    let cases = r#"{"cases":[{"input":"clock","expect":"ask","message":"Ok(1ns)"}]}"#;
    let file = world.write("cases.json", cases);
    let test = |keys: &[&str]| world.run(&[&["test", component, file.to_str().unwrap()], keys].concat(), "").exit;
    assert_eq!((test(&[]), test(&["--wasi", "frozen"])), (1, 0));

    let inspected = world.run(&["policy", "inspect", component, "--wasi", "frozen", "--format", "json"], "");
    let about: serde_json::Value = serde_json::from_str(&inspected.stdout).unwrap();
    let clock =
        |key: &str| about[key].as_array().unwrap().iter().any(|one| one.as_str().unwrap().contains("wall-clock"));
    assert!(clock("fixed") && !clock("foreign"), "{about}");
}
