//! `policy`, `cache` and `config`: their output and exit codes.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::support::reply::{assert_ask, assert_deny};
use crate::support::texts::{Transcript, lines_about, normalize};
use crate::support::world::World;
use crate::texts::assert_text;

#[track_caller]
fn json_of(world: &World, arguments: &[&str]) -> Value {
    let ended = world.run(arguments, "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{arguments:?}: {ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

#[track_caller]
fn assert_keys(value: &Value, keys: &[&str]) {
    let have: BTreeSet<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(have, keys.iter().copied().collect(), "{value}");
}

#[test]
fn policy_list_shows_the_chain_in_order() {
    let world = World::new();
    let rows = json_of(&world, &["policy", "list", "--format", "json"]);
    for row in rows.as_array().unwrap() {
        assert_keys(row, &["layer", "name", "source", "state", "tools", "version"]);
        assert_eq!((&row["layer"], &row["state"]), (&json!("user"), &json!("ready")));
    }
    let names: Vec<&str> = rows.as_array().unwrap().iter().filter_map(|row| row["name"].as_str()).collect();
    let at = |name: &str| names.iter().position(|other| *other == name).unwrap();
    assert!(at("command-guard") < at("protected-files"));
    let ended = world.run(&["policy", "list"], "");
    assert_eq!(ended.stdout.lines().count(), names.len());
}

#[test]
fn policy_list_shows_a_broken_policy_and_still_ends_well() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"ours\"\nsource = \"gone.wasm\"\n");
    let rows = json_of(&world, &["policy", "list", "--format", "json"]);
    let ours = rows.as_array().unwrap().iter().find(|row| row["name"] == "ours").unwrap();
    assert!(ours["state"].as_str().unwrap().contains("gone.wasm"), "{ours}");
}

#[test]
fn policy_inspect_shows_what_a_policy_is() {
    let world = World::new();
    let about = json_of(&world, &["policy", "inspect", "command-guard", "--format", "json"]);
    assert_keys(
        &about,
        &[
            "bytes", "cost", "examples", "exports", "failing", "fault", "fixed", "foreign", "granted", "id", "imports",
            "missing", "pinned", "rules", "sha256", "source", "summary", "tools", "uncalled", "version", "waiting",
            "wishes",
        ],
    );
    assert_keys(&about["rules"][0], &["ceiling", "default", "id", "summary"]);
    assert_keys(&about["granted"], &["env", "journal", "read"]);
    assert_eq!((&about["id"], &about["source"]), (&json!("command-guard"), &json!("builtin:command-guard")));
    assert_eq!(about["exports"], json!(["guard:policy/policy@0.1.0"]));
    assert_eq!(about["sha256"].as_str().unwrap().len(), 64);
    let rules: Vec<&str> = about["rules"].as_array().unwrap().iter().filter_map(|rule| rule["id"].as_str()).collect();
    assert!(rules.contains(&"rm-root") && rules.contains(&"git-push"));
    let text = world.run(&["policy", "inspect", "command-guard"], "").stdout;
    assert_text!("policy_inspect_line", lines_about(&text, "rm-root ") + &lines_about(&text, "policy/files"));
}

#[test]
fn policy_inspect_refuses_what_is_no_policy() {
    let world = World::new();
    let ended = world.run(&["policy", "inspect", "no-such-policy"], "");
    let mut transcript = Transcript::default();
    transcript.add(&world, 66, &ended);
    world.write("repo/text.wasm", "no component");
    transcript.add(&world, 65, &world.run(&["policy", "inspect", "text.wasm"], ""));
    world.configure("[[policy]]\nname = \"ours\"\nsource = \"gone.wasm\"\n");
    transcript.add(&world, 69, &world.run(&["policy", "inspect", "ours"], ""));
    assert_text!("policy_inspect_refused", transcript.0);
}

#[test]
fn cache_warm_makes_everything_once() {
    let world = World::new();
    let ended = world.run(&["cache", "warm"], "");
    assert_text!("cache_warm", &world, 0, ended);
    assert_eq!(world.run(&["cache", "warm"], ""), ended);
}

#[test]
fn cache_warm_tells_what_cannot_be_made() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"ours\"\nsource = \"gone.wasm\"\n");
    let ended = world.run(&["cache", "warm"], "");
    let mut transcript = Transcript::default();
    transcript.add(&world, 69, &ended);
    world.configure("preset = \n");
    transcript.add(&world, 78, &world.run(&["cache", "warm"], ""));
    assert_text!("cache_warm_refused", transcript.0);
}

#[test]
fn cache_verify_finds_a_flipped_byte_and_the_hook_maps_none() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"rego\"\n");
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    assert_eq!(world.run(&["cache", "verify"], "").exit, 0);
    let artifacts = world.path(".cache/guard-host/artifacts");
    for entry in fs::read_dir(&artifacts).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cwasm") {
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x40;
            fs::write(&path, bytes).unwrap();
        }
    }
    let ended = world.run(&["cache", "verify"], "");
    assert_eq!(ended.exit, 69, "{ended:?}");
    assert_text!("cache_verify", normalize(&world, &(lines_about(&ended.stdout, ".cwasm") + &ended.stderr)));
    let decision = world.bash("rm -rf /").decision();
    assert!(decision == "deny" || decision == "ask", "{decision}");
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    assert_eq!(world.run(&["cache", "verify"], "").exit, 0);
    assert_deny(&world.bash("rm -rf /"), &[]);
}

#[test]
fn cache_verify_of_an_empty_cache_is_well() {
    assert_eq!(World::new().run(&["cache", "verify"], "").exit, 0);
}

#[test]
fn config_show_tells_what_holds() {
    let world = World::new();
    world.configure(
        "deadline-ms = 900\n[[policy]]\nname = \"command-guard\"\nsettings = { raise = [\"git-push\"] }\ntools = [\"Bash\"]\n\
         [policy.grants]\nenv = [\"X\"]\n",
    );
    let shown = json_of(&world, &["config", "show", "--format", "json"]);
    assert_keys(
        &shown,
        &[
            "allow",
            "audit",
            "bypass-ask",
            "cache",
            "confine",
            "deadline-ms",
            "disabled",
            "files",
            "on-malformed",
            "policies",
            "problems",
            "projects",
            "remote",
            "session",
            "tools",
            "undo",
            "warnings",
        ],
    );
    assert_keys(&shown["audit"], &["journal", "level", "max-bytes", "on-error", "path"]);
    assert_eq!((&shown["deadline-ms"], &shown["on-malformed"]), (&json!(900), &json!("report")));
    let [file] = shown["files"].as_array().unwrap().as_slice() else { panic!("one file: {shown}") };
    assert_eq!(normalize(&world, file.as_str().unwrap()), "HOME/.config/guard-host/guard.toml");
    let policy = shown["policies"].as_array().unwrap().iter().find(|policy| policy["name"] == "command-guard").unwrap();
    assert_keys(
        policy,
        &[
            "grants",
            "layer",
            "limits",
            "may-allow",
            "mode",
            "name",
            "on-error",
            "settings",
            "sha256",
            "source",
            "tools",
            "trusted",
        ],
    );
    assert_eq!(policy["settings"], json!({ "raise": ["git-push"] }));
    assert_eq!((&policy["tools"], &policy["on-error"]), (&json!(["Bash"]), &json!("ask")));
    assert_text!("config_show", &world, 0, world.run(&["config", "show"], ""));
}

#[test]
fn config_show_works_on_a_broken_file_and_tells_the_problem() {
    let world = World::new();
    world.configure("preset = \n");
    let shown = json_of(&world, &["config", "show", "--format", "json"]);
    assert_keys(&shown["problems"][0], &["hint", "layer", "place", "text"]);
    assert_text!("config_show_broken", normalize(&world, &world.run(&["config", "show"], "").stderr));
}

#[test]
fn config_check_ends_with_78_when_something_is_wrong() {
    let world = World::new();
    let ended = world.run(&["config", "check"], "");
    let mut transcript = Transcript::default();
    transcript.add(&world, 0, &ended);
    world.write("repo/.guard/guard.toml", "preset = \"none\"\n");
    transcript.add(&world, 78, &world.run(&["config", "check"], ""));
    assert_text!("config_check", transcript.0);
}

#[test]
fn another_configuration_file_can_be_named() {
    let world = World::new();
    let file =
        world.write("elsewhere.toml", "[[policy]]\nname = \"command-guard\"\nsettings = { raise = [\"git-push\"] }\n");
    let file = file.to_string_lossy();
    assert_eq!(world.run(&["--config", &file, "check", "git push"], "").exit, 2);
    assert_eq!(world.run(&["check", "git push", "--config", "../elsewhere.toml"], "").exit, 2);
    let payload = "{\"tool_input\":{\"command\":\"git push\"}}";
    assert_deny(&world.run(&["hook", "claude", "--config", &file], payload), &[]);
    assert_ask(&world.hook(payload), &[]);
}
