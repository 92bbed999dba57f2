//! Settings of Claude Code that change during a session: a change that removes the hook isn't applied.

use serde_json::{Value, json};

use crate::support::texts::normalize;
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

/// Sends the event in the form of 2.1.332.
fn changed(world: &World, source: &str, file: &str) -> ProcessOutput {
    let payload = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": world.repo(), "hook_event_name": "ConfigChange",
        "source": source, "file_path": world.path(file),
    });
    world.run(&["hook", "claude"], &payload.to_string())
}

/// Returns the reason why the change isn't applied.
#[track_caller]
fn held(world: &World, ended: &ProcessOutput) -> String {
    let reply: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    assert_eq!((ended.exit, &reply["decision"]), (2, &json!("block")), "{ended:?}");
    assert_eq!(ended.stderr.trim_end(), reply["reason"], "{ended:?}");
    normalize(world, &ended.stderr)
}

const SETTINGS: &str = ".claude/settings.json";

#[test]
fn a_change_that_takes_the_hook_out_is_not_applied_and_logged() {
    let world = World::new();
    assert_eq!(world.run(&["install", "claude"], "").exit, 0);
    assert!(changed(&world, "user_settings", SETTINGS).is_silent());
    let installed = std::fs::read_to_string(world.path(SETTINGS)).unwrap();
    let narrowed = installed.replace("PreToolUse", "Notification");
    let mut told = String::new();
    for text in ["{}", "", "{ \"hooks\": { \"PreToolUse\": [] } }", &narrowed] {
        world.write(SETTINGS, text);
        told += &held(&world, &changed(&world, "user_settings", SETTINGS));
    }
    std::fs::remove_file(world.path(SETTINGS)).unwrap();
    assert_text!("hook_removed", told + &held(&world, &changed(&world, "user_settings", SETTINGS)));
    let lines = world.audit();
    assert_eq!(lines.len(), 5, "{lines:?}");
    let line = &lines[0];
    assert_eq!((&line["action"], &line["tool"]), (&json!("block"), &json!("ConfigChange")), "{line}");
    assert_eq!((&line["policy"], &line["rule"]), (&json!("guard-host"), &json!("hook-removed")), "{line}");
    assert_eq!((&line["session"], &line["operation"]), (&json!("s1"), &json!(world.path(SETTINGS))), "{line}");
    world.write(SETTINGS, &installed);
    assert!(changed(&world, "user_settings", SETTINGS).is_silent());
}

#[test]
fn a_change_that_switches_all_hooks_off_is_not_applied() {
    let world = World::new();
    let local = "repo/.claude/settings.local.json";
    world.write(local, "{ \"disableAllHooks\": true }");
    assert_text!("hooks_switched_off", held(&world, &changed(&world, "local_settings", local)));
    world.write(local, "{ \"disableAllHooks\": false }");
    assert!(changed(&world, "local_settings", local).is_silent());
}

#[test]
fn other_settings_are_applied() {
    let world = World::new();
    assert_eq!(world.run(&["install", "claude"], "").exit, 0);
    // Nothing was registered there.
    world.write("repo/.claude/settings.json", "{ \"hooks\": {} }");
    assert!(changed(&world, "project_settings", "repo/.claude/settings.json").is_silent());
    // Claude Code applies an administrator's settings in any case, and skills contain no hook of ours.
    world.write(SETTINGS, "{}");
    for source in ["policy_settings", "skills", "later_settings"] {
        assert!(changed(&world, source, SETTINGS).is_silent(), "{source}");
    }
    // A person has removed the hook.
    assert_eq!(world.run(&["install", "claude"], "").exit, 0);
    assert_eq!(world.run(&["uninstall", "claude"], "").exit, 0);
    assert!(changed(&world, "user_settings", SETTINGS).is_silent());
    assert!(world.audit().is_empty());
}
