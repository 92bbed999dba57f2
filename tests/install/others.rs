//! Our entries and others: hooks that only mention this program, and the scripts that `install` created.

use serde_json::json;

use super::{SETTINGS, done, handlers, json, read};
use crate::support::texts::Transcript;
use crate::support::world::World;
use crate::texts::assert_text;

/// Lines that name the hook and do something else.
const OTHERS: [&str; 5] = [
    "logger 'guard-host hook claude'; my-other-check.sh",
    "my-check.sh && guard-host hook claude",
    "grep -q 'guard-host hook' f && ./x",
    "guard-host hook claude | tee log",
    "X=/a/guard-host hook claude",
];

#[test]
fn s4_97_a_hook_that_only_mentions_this_program_stays() {
    let world = World::new();
    for line in OTHERS {
        let own = json!({ "type": "command", "command": line });
        let settings = json!({ "hooks": {
            "PreToolUse": [{ "matcher": "Bash", "hooks": [own] }],
            "Stop": [{ "hooks": [own] }],
        } });
        world.write(SETTINGS, settings.to_string());
        done(&world, &["install", "claude"]);
        let installed = json(&world, SETTINGS);
        let before = handlers(&installed, "PreToolUse");
        assert_eq!((before.len(), &before[0]["command"]), (2, &json!(line)), "{installed}");
        assert_eq!(handlers(&installed, "Stop").len(), 1, "{installed}");
        done(&world, &["uninstall", "claude"]);
        assert_eq!(json(&world, SETTINGS), settings, "{line}");
        // Without a record, the entry is removed by its form alone.
        done(&world, &["install", "claude"]);
        std::fs::remove_dir_all(world.path(".local/state/guard-host/registrations")).unwrap();
        done(&world, &["uninstall", "claude"]);
        assert_eq!(json(&world, SETTINGS), settings, "{line}");
    }
}

#[test]
fn a_script_that_only_mentions_this_program_stays() {
    let world = World::new();
    let text = "#!/bin/sh\nexec my-check 'guard-host hook claude' \"$@\"\n";
    let script = world.write(".claude/hooks/mine.sh", text);
    let settings = json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": script.to_str().unwrap() }] }] } });
    world.write(SETTINGS, settings.to_string());
    done(&world, &["install", "claude"]);
    assert_eq!(handlers(&json(&world, SETTINGS), "PreToolUse").len(), 2);
    done(&world, &["uninstall", "claude"]);
    assert_eq!((json(&world, SETTINGS), read(&world, ".claude/hooks/mine.sh")), (settings, text.to_owned()));
}

#[test]
fn s1_99d_the_script_goes_with_the_registration_without_being_named() {
    let world = World::new();
    for (scope, script) in [
        (&[][..], ".claude/hooks/guard.sh"),
        (&["--scope", "project"], "repo/.claude/hooks/guard.sh"),
        (&["--shared"], "repo/.claude/hooks/guard.sh"),
        (&["--plugin", "p"], "repo/p/hooks/guard.sh"),
    ] {
        done(&world, &[&["install", "claude", "--shim", "guard.sh"], scope].concat());
        assert!(world.path(script).exists(), "{script}");
        let dry = done(&world, &[&["uninstall", "claude", "--dry-run"], scope].concat());
        assert!(dry.stdout.contains("guard.sh") && world.path(script).exists(), "{dry:?}");
        let ended = done(&world, &[&["uninstall", "claude"], scope].concat());
        assert!(ended.stdout.contains("hooks/guard.sh\n"), "{ended:?}");
        assert!(!world.path(".claude").exists() && !world.path("repo/.claude").exists(), "{script}");
        assert!(!world.path("repo/p").exists(), "{script}");
    }
}

#[test]
fn a_script_that_is_no_longer_started_goes_and_one_that_is_stays() {
    let world = World::new();
    done(&world, &["install", "claude", "--shim", "old.sh"]);
    done(&world, &["install", "claude", "--shim", "new.sh"]);
    assert!(!world.path(".claude/hooks/old.sh").exists() && world.path(".claude/hooks/new.sh").exists());
    done(&world, &["install", "claude"]);
    assert!(!world.path(".claude/hooks/new.sh").exists());
    // Another settings file starts it too.
    done(&world, &["install", "claude", "--shared", "--shim", "guard.sh"]);
    done(&world, &["install", "claude", "--scope", "project", "--shim", "guard.sh"]);
    done(&world, &["uninstall", "claude", "--scope", "project"]);
    assert!(world.path("repo/.claude/hooks/guard.sh").exists());
    // A user's own script that does the same isn't part of the registration.
    let own = world.write("bin/mine.sh", "#!/bin/sh\nexec guard-host hook claude \"$@\"\n");
    let handler = json!({ "type": "command", "command": own.to_str().unwrap() });
    world.write(SETTINGS, json!({ "hooks": { "PreToolUse": [{ "hooks": [handler] }] } }).to_string());
    done(&world, &["uninstall", "claude"]);
    assert_eq!((json(&world, SETTINGS), own.exists()), (json!({}), true));
}

#[test]
fn what_names_no_tool_or_no_policy_is_refused_with_the_names() {
    let world = World::new();
    let mut told = Transcript::default();
    for arguments in
        [["--matcher", "["], ["--matcher", "*Bash"], ["--only", "nope"], ["--only", "command-guard,plan-enforce"]]
    {
        told.add(&world, 64, &world.run(&[&["install", "claude"], &arguments[..]].concat(), ""));
    }
    assert!(!world.path(".claude").exists());
    world.configure("preset = \"full\"\n");
    done(&world, &["install", "claude", "--only", "command-guard,plan-enforcer"]);
    told.add(&world, 0, &done(&world, &["install", "claude", "--matcher", "Bash"]));
    assert_text!("install_unknown_names", told.0);
}
