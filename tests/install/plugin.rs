//! A plugin with the hook: its files, and other files that it leaves unchanged.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value, json};

use super::{closed, done, handlers, json, read, text};
use crate::support::reply::{assert_deny, assert_silent};
use crate::support::world::{World, end};

const DIR: &str = "repo/.claude/plugins/safety-guard";

fn install(world: &World, more: &[&str]) {
    done(world, &[&["install", "claude", "--plugin", ".claude/plugins/safety-guard"], more].concat());
}

fn file(name: &str) -> String {
    format!("{DIR}/{name}")
}

fn is_executable(world: &World, name: &str) -> bool {
    fs::metadata(world.path(&file(name))).unwrap().permissions().mode() & 0o777 == 0o755
}

#[test]
fn s1_99c_the_files_of_a_plugin() {
    let world = World::new();
    install(&world, &[]);
    let about = json(&world, &file(".claude-plugin/plugin.json"));
    assert_eq!((&about["name"], &about["version"]), (&json!("safety-guard"), &json!(env!("CARGO_PKG_VERSION"))));
    assert!(!about["description"].as_str().unwrap().is_empty());
    let manifest = json(&world, &file("manifest.json"));
    for key in ["name", "version", "description", "hooks"] {
        assert!(manifest[key].as_str().is_some_and(|text| !text.is_empty()), "{manifest}");
    }
    assert!(world.path(&file(manifest["hooks"].as_str().unwrap())).exists());
    let market = json(&world, &file(".claude-plugin/marketplace.json"));
    assert!(market["name"].is_string() && market["owner"]["name"].is_string(), "{market}");
    assert_eq!(
        (&market["plugins"][0]["name"], &market["plugins"][0]["source"]),
        (&json!("safety-guard"), &json!("./"))
    );
    assert!(!world.path(".claude").exists() && !world.path("repo/.claude/settings.json").exists());
}

#[test]
fn s4_10_s4_11_s4_99a_the_matcher_stands_as_it_was_given() {
    let world = World::new();
    install(&world, &["--matcher", "Write|Edit"]);
    assert!(read(&world, &file("hooks/hooks.json")).contains("\"matcher\": \"Write|Edit\""));
    assert_eq!(json(&world, &file("hooks/hooks.json"))["hooks"]["PreToolUse"].as_array().unwrap().len(), 1);
}

/// Starts a handler as the harness does: with the variable expanded and set.
fn start(world: &World, handler: &Value) -> crate::support::world::ProcessOutput {
    let root = world.path(DIR);
    let command = handler["command"].as_str().unwrap().replace("${CLAUDE_PLUGIN_ROOT}", text(&root));
    let mut start = Command::new("/bin/sh");
    start.args(["-c", &command]);
    start.env_clear().env("HOME", world.home.path()).env("CLAUDE_PLUGIN_ROOT", &root).current_dir(world.repo());
    end(start, r#"{"tool_name":"Write","tool_input":{"file_path":".env","content":"x"}}"#)
}

#[test]
fn s4_99b_s4_99d_the_program_is_in_the_plugin_and_runs() {
    let world = World::new();
    install(&world, &[]);
    let [handler] = handlers(&json(&world, &file("hooks/hooks.json")), "PreToolUse").try_into().unwrap();
    assert!(handler["command"].as_str().unwrap().starts_with("[ -s \"${CLAUDE_PLUGIN_ROOT}\"/bin/guard-host ] && "));
    assert!(is_executable(&world, "bin/guard-host"));
    assert_deny(&start(&world, &handler), &[]);
}

#[test]
fn s4_12_s4_99b_a_script_in_the_plugin_becomes_the_program() {
    let world = World::new();
    install(&world, &["--shim", "write-control.sh", "--shared"]);
    let [handler] = handlers(&json(&world, &file("hooks/hooks.json")), "PreToolUse").try_into().unwrap();
    let script = "\"${CLAUDE_PLUGIN_ROOT}\"/hooks/write-control.sh";
    assert_eq!(handler["command"], closed(script));
    assert!(is_executable(&world, "hooks/write-control.sh"));
    assert!(!read(&world, &file("hooks/write-control.sh")).contains(text(world.home.path())));
    // Only the policy with that name answers, with the plugin's settings.
    let ended = start(&world, &handler);
    assert_deny(&ended, &["[write-control: protected-path]"]);
    assert!(!ended.reason().contains("protected-files"), "{ended:?}");
    world.write(&file("hooks/config/write-policies.json"), r#"{"protected":["x/**"],"warned":[],"safe":[]}"#);
    assert_silent(&start(&world, &handler));
    fs::remove_dir_all(world.path(&file("hooks/config"))).unwrap();
    // The script is recognized without being named.
    install(&world, &[]);
    let [handler] = handlers(&json(&world, &file("hooks/hooks.json")), "PreToolUse").try_into().unwrap();
    assert!(handler["command"].as_str().unwrap().starts_with("[ -s \"${CLAUDE_PLUGIN_ROOT}\"/bin/guard-host ] && "));
}

#[test]
fn a_second_run_changes_nothing_and_nothing_stays_behind() {
    let world = World::new();
    let all = ["--shim", "write-control.sh"];
    install(&world, &all);
    let names = ["hooks/hooks.json", ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", "manifest.json"];
    let before = names.map(|name| read(&world, &file(name)));
    install(&world, &all);
    assert_eq!(names.map(|name| read(&world, &file(name))), before);
    done(&world, &[&["uninstall", "claude", "--plugin", ".claude/plugins/safety-guard"], &all[..]].concat());
    assert!(!world.path("repo/.claude").exists());
}

#[test]
fn the_plugin_of_somebody_else_gets_the_hook_and_keeps_its_files() {
    let world = World::new();
    let about = "{\"name\":\"iflow-dev\"}";
    let hooks = "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\
                 \"command\":\"${CLAUDE_PLUGIN_ROOT}/hooks/pre-commit-guard.sh\"}]}]}}";
    world.write(&file(".claude-plugin/plugin.json"), about);
    world.write(&file("hooks/hooks.json"), hooks);
    install(&world, &["--matcher", "Write|Edit"]);
    assert_eq!(read(&world, &file(".claude-plugin/plugin.json")), about);
    let groups = json(&world, &file("hooks/hooks.json"))["hooks"]["PreToolUse"].as_array().unwrap().clone();
    assert_eq!((groups.len(), &groups[0]["matcher"], &groups[1]["matcher"]), (2, &json!("Bash"), &json!("Write|Edit")));
    assert!(!world.path(&file("manifest.json")).exists());
    done(&world, &["uninstall", "claude", "--plugin", ".claude/plugins/safety-guard"]);
    assert_eq!(read(&world, &file("hooks/hooks.json")), hooks);
    assert_eq!(read(&world, &file(".claude-plugin/plugin.json")), about);
    assert!(!world.path(&file("bin")).exists());
}

#[test]
fn files_of_others_are_not_overwritten() {
    let world = World::new();
    world.write(&file("manifest.json"), "{\"name\":\"mine\"}");
    world.write(&file("bin/guard-host"), "#!/bin/sh\n");
    let ended = world.run(&["install", "claude", "--plugin", ".claude/plugins/safety-guard"], "");
    assert!(ended.exit == 69 && ended.stderr.contains("bin/guard-host"), "{ended:?}");
    assert!(!world.path(&file("hooks")).exists());
    fs::remove_file(world.path(&file("bin/guard-host"))).unwrap();
    install(&world, &[]);
    assert_eq!(read(&world, &file("manifest.json")), "{\"name\":\"mine\"}");
    done(&world, &["uninstall", "claude", "--plugin", ".claude/plugins/safety-guard"]);
    assert_eq!(read(&world, &file("manifest.json")), "{\"name\":\"mine\"}");
}
