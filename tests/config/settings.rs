//! Entries of the user's file: their places in the chain, and the sources of their settings.

use guard_contract::Outcome;
use guard_contract::policy::Source;
use serde_json::{Value, json};

use crate::support::layers::Layers;
use crate::support::reply::{assert_ask, assert_deny, assert_silent, assert_warn};
use crate::support::world::World;

const PUSH: &str = "git push";

#[test]
fn an_entry_takes_the_place_of_the_presets_entry_of_its_name() {
    let before = Layers::new().names();
    let layers = Layers::new().user("[[policy]]\nname = \"command-guard\"\nsettings = { lower = [\"git-push\"] }\n");
    assert_eq!(layers.names(), before);
    let place = before.iter().position(|name| name == "command-guard").unwrap();
    assert_eq!(layers.load().entries[place].settings, "{\"lower\":[\"git-push\"]}");
    let verdicts = layers.decide(&[("Bash", json!({ "command": PUSH }))]);
    assert_eq!(verdicts[0].outcome, Outcome::Warn);
}

#[test]
fn an_entry_may_swap_a_built_in_for_another_component() {
    let layers = Layers::new().user("[[policy]]\nname = \"command-guard\"\nsource = \"~/ours.wasm\"\n");
    let swapped = layers.load().entries.into_iter().find(|entry| entry.name == "command-guard").unwrap();
    assert_eq!(swapped.source, Source::File(layers.world.path("ours.wasm")));
}

#[test]
fn a_built_in_may_stand_in_the_chain_under_another_name() {
    let world = World::new();
    world.configure(
        "[[policy]]\nname = \"second\"\nsource = \"builtin:command-guard\"\nsettings = { raise = [\"git-push\"] }\n",
    );
    assert_deny(&world.bash(PUSH), &["[second: git-push]"]);
    assert_silent(&world.bash("ls"));
}

#[test]
fn a_component_stands_beside_the_file_that_names_it() {
    let layers = Layers::new().user("[[policy]]\nname = \"ours\"\nsource = \"sub/ours.wasm\"\n");
    let ours = layers.load().entries.pop().unwrap();
    assert_eq!(ours.source, Source::File(layers.world.path(".config/guard-host/sub/ours.wasm")));
}

#[test]
fn a_pinned_digest_that_differs_is_a_fault() {
    let world = World::new();
    let pin = "0".repeat(64);
    world.configure(&format!("[[policy]]\nname = \"command-guard\"\nsha256 = \"{pin}\"\n"));
    assert_ask(&world.bash("ls"), &["[command-guard: policy-fault]", &pin]);
}

#[test]
fn each_preset_holds_the_ones_before_it() {
    let names = |preset: &str| Layers::new().user(format!("preset = \"{preset}\"\n")).names();
    assert_eq!(names("none"), [""; 0]);
    let chains = ["standard", "guardrail", "full"].map(names);
    assert_eq!(chains[0], Layers::new().names());
    for pair in chains.windows(2) {
        assert!(pair[0].iter().all(|name| pair[1].contains(name)), "{pair:?}");
    }
}

#[test]
fn the_chains_of_the_presets_have_their_order() {
    assert_eq!(
        Layers::new().names(),
        ["self-protect", "command-guard", "protected-files", "session-guard", "intrusion-guard"]
    );
    let hardened = Layers::new().user("preset = \"hardened\"\n").names();
    assert_eq!(hardened, Layers::new().names());
    let guardrail = Layers::new().user("preset = \"guardrail\"\n").names();
    assert_eq!(
        guardrail,
        ["self-protect", "command-guard", "protected-files", "session-guard", "intrusion-guard", "path-context"]
    );
    let full = Layers::new().user("preset = \"full\"\n").names();
    assert_eq!(full[..6], guardrail);
    assert_eq!(full[6..], ["write-control", "plan-enforcer"]);
}

/// Returns the settings from a settings file, or the reason why they can't be read.
fn read(name: &str, text: Option<&str>) -> (Value, String) {
    let layers = Layers::new().user(format!("[[policy]]\nname = \"command-guard\"\nsettings-file = \"~/{name}\"\n"));
    if let Some(text) = text {
        layers.world.write(name, text);
    }
    let config = layers.load();
    assert_eq!(config.problems, []);
    let entry = config.entries.iter().find(|entry| entry.name == "command-guard").unwrap();
    let problem = entry.broken_settings().map_or_else(String::new, ToString::to_string);
    (serde_json::from_str(&entry.settings).unwrap(), problem)
}

#[test]
fn a_settings_file_is_read_by_its_extension() {
    let expected = json!({ "raise": ["git-push"] });
    assert_eq!(read("s.json", Some("{\"raise\": [\"git-push\"]}")), (expected.clone(), String::new()));
    assert_eq!(read("s.toml", Some("raise = [\"git-push\"]\n")), (expected, String::new()));
    let values = r#"{"a":[1,-2,1.5,null,true,"x",{"b":{}}]}"#;
    assert_eq!(read("s.json", Some(values)), (serde_json::from_str(values).unwrap(), String::new()));
    let (settings, problem) = read("s.yaml", Some("raise: [git-push]\n"));
    assert_eq!(settings["text"], "raise: [git-push]\n");
    assert!(settings["file"].as_str().unwrap().ends_with("/s.yaml"), "{settings}");
    assert_eq!((settings.as_object().unwrap().len(), problem.as_str()), (2, ""));
}

/// S2-26, S4-62: `presets` tests that a file is missing which no entry names.
#[test]
fn a_settings_file_that_is_named_and_missing_breaks_its_entry() {
    for name in ["s.json", "s.toml", "s.txt"] {
        let (settings, problem) = read(name, None);
        assert!(settings == json!({}) && problem.contains(name), "{problem}");
    }
}

#[test]
fn a_settings_file_that_is_named_and_cannot_be_used_breaks_its_entry() {
    for (name, text) in [("s.json", "{oops"), ("s.json", "[]"), ("s.json", ""), ("s.toml", "= 1"), ("s.json", "5")] {
        let (settings, problem) = read(name, Some(text));
        assert!(settings == json!({}) && problem.contains(&format!("{name}:1:")), "{name} {text}: {problem}");
    }
    let (settings, problem) = read("s.json", Some(&"x".repeat((1 << 20) + 1)));
    assert!(settings == json!({}) && problem.contains("1 MiB"), "{problem}");
}

#[test]
fn broken_settings_are_told_by_check_and_config_check_and_what_the_defaults_say_still_counts() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings-file = \"~/s.json\"\n");
    world.write("s.json", "{oops");
    assert_ask(&world.bash(PUSH), &["[command-guard: policy-fault]", "s.json:1:2", "[command-guard: git-push]"]);
    let ended = world.run(&["check", "ls"], "");
    assert!(ended.exit == 1 && ended.stdout.contains("s.json:1:2"), "{ended:?}");
    let ended = world.run(&["config", "check"], "");
    assert!(ended.exit == 78 && ended.stderr.contains("s.json:1:2"), "{ended:?}");
}

#[test]
fn a_changed_settings_file_counts_at_the_next_call() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings-file = \"~/s.json\"\n");
    assert_ask(&world.bash(PUSH), &[]);
    world.write("s.json", "{\"raise\":[\"git-push\"]}");
    assert_deny(&world.bash(PUSH), &[]);
    world.write("s.json", "{\"lower\":[\"git-push\"]}");
    assert_warn(&world.bash(PUSH), &[]);
}

#[test]
fn tools_narrow_what_a_policy_sees_and_never_widen_it() {
    let world = World::new();
    let entry = |tools: &str| world.configure(&format!("[[policy]]\nname = \"command-guard\"\ntools = {tools}\n"));
    let power =
        json!({ "tool_name": "PowerShell", "tool_input": { "command": "git push -f origin main" } }).to_string();
    entry("[\"PowerShell\"]");
    assert_silent(&world.bash("git push -f origin main"));
    assert_deny(&world.hook(&power), &[]);
    entry("[\"Ba*\"]");
    assert_deny(&world.bash("git push -f origin main"), &[]);
    assert_silent(&world.hook(&power));
    entry("[\"*\"]");
    assert_deny(&world.bash("git push -f origin main"), &[]);
    assert_silent(&world.hook("{\"tool_name\":\"WebFetch\",\"tool_input\":{\"command\":\"git push -f origin main\"}}"));
    // A policy without tools is a mistake.
    entry("[]");
    assert_deny(&world.bash("git push -f origin main"), &["[config: broken-config]", "`tools`"]);
}

#[test]
fn an_allow_of_a_policy_without_leave_grants_nothing() {
    let config = Layers::new().load();
    assert!(config.entries.iter().all(|entry| !entry.may_allow));
}

#[test]
fn settings_that_a_policy_refuses_are_its_fault_and_name_what_is_wrong() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings = { raise = [\"no-such-rule\"] }\n");
    assert_ask(&world.bash("ls"), &["[command-guard: policy-fault]", "no-such-rule"]);
}
