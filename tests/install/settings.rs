//! The settings files: the inserted text in the user's layout, and that its removal restores every byte.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::{CLOSING, SETTINGS, closed, done, handlers, json, read, text};
use crate::support::texts::{Transcript, lines_about};
use crate::support::world::World;
use crate::texts::assert_text;

/// The content of a new file, with `COMMAND` and `CLOSED` replaced.
const FRESH: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "CLOSED",
            "timeout": 20,
            "onFailure": "block"
          }
        ]
      }
    ],
    "PostToolUse": [
      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "COMMAND",
            "timeout": 5,
            "async": true
          }
        ]
      }
    ],
    "SessionEnd": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "COMMAND",
            "timeout": 5
          }
        ]
      }
    ]
  }
}
"#;

fn fresh(world: &World) -> String {
    let home = text(world.home.path());
    let command = format!(
        "{} --config {home}/.config/guard-host/guard.toml --state {home}/.local/state/guard-host \
         --cache {home}/.cache/guard-host hook claude",
        env!("CARGO_BIN_EXE_guard-host")
    );
    FRESH.replace("COMMAND", &command).replace("CLOSED", &closed(&command))
}

#[test]
fn a_new_file_holds_the_hook_and_nothing_else() {
    let world = World::new();
    let ended = done(&world, &["install", "claude"]);
    assert_eq!(read(&world, SETTINGS), fresh(&world));
    assert_text!("install_claude", &world, 0, ended);
    let mode = fs::metadata(world.path(SETTINGS)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// Texts of settings as people and programs write them.
const TEXTS: [&str; 15] = [
    "",
    "\n",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\"hooks\":{}}",
    "{ \"hooks\" : { \"PreToolUse\" : [ ] , \"SessionEnd\":[\n]} }\n",
    "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"]\n  }\n}\n",
    "{\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{\n\t\t\t\t\"matcher\": \"Bash\",\n\t\t\t\t\"hooks\": [ { \"type\": \"command\",\n\t\t\t\t\t\"command\": \"./pre-commit-guard.sh\" } ]\n\t\t\t}\n\t\t]\n\t}\n}",
    "{\r\n    \"hooks\": {\r\n        \"Stop\": [\r\n            { \"hooks\": [ { \"type\": \"command\", \"command\": \"say done\" } ] }\r\n        ]\r\n    },\r\n    \"env\": { \"A\": \"\\u00e9\" }\r\n}\r\n",
    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Edit\",\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]},{\"hooks\":[]}]},\"a\":1}",
    "   {  \"z\":1,\n\n\n \"a\"  :  [1,2 , 3]\t}   \n\n",
    "{\n  \"hooks\": {},\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n",
    "{\n  \"note\": \"guard-host hook claude\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"hooks\": [ { \"type\": \"command\", \"command\": \"echo guard-host\" } ] }\n    ]\n  }\n}\n",
];

#[test]
fn s1_99d_what_is_put_in_is_taken_out_to_the_byte() {
    let world = World::new();
    for before in TEXTS {
        for (scope, file) in [
            (&["--scope", "user"][..], ".claude/settings.json"),
            (&["--scope", "project"], "repo/.claude/settings.local.json"),
            (&["--scope", "project", "--shared"], "repo/.claude/settings.json"),
        ] {
            world.write(file, before);
            done(&world, &[&["install", "claude"], scope].concat());
            let installed = read(&world, file);
            let settings = json(&world, file);
            assert_eq!(settings["hooks"]["PreToolUse"].as_array().unwrap().last().unwrap()["matcher"], "*", "{before}");
            assert_eq!(installed.matches("\"onFailure\"").count(), 1, "{installed}");
            let again = done(&world, &[&["install", "claude"], scope].concat());
            assert_eq!(read(&world, file), installed);
            assert!(again.stdout.starts_with("unchanged: "), "{again:?}");
            done(&world, &[&["uninstall", "claude"], scope].concat());
            assert_eq!(read(&world, file), before);
            done(&world, &[&["uninstall", "claude"], scope].concat());
            assert_eq!(read(&world, file), before);
        }
    }
}

#[test]
fn s1_99d_what_was_not_there_is_not_there_again() {
    let world = World::new();
    for arguments in [&["claude"][..], &["claude", "--scope", "project"], &["claude", "--shared"]] {
        done(&world, &[&["install"], arguments].concat());
        assert!(world.path(".claude").exists() || world.path("repo/.claude").exists());
        done(&world, &[&["install"], arguments].concat());
        done(&world, &[&["uninstall"], arguments].concat());
        assert!(!world.path(".claude").exists() && !world.path("repo/.claude").exists());
    }
    // An existing folder stays.
    fs::create_dir(world.path(".claude")).unwrap();
    done(&world, &["install", "claude"]);
    done(&world, &["uninstall", "claude"]);
    assert!(world.path(".claude").exists() && !world.path(SETTINGS).exists());
    done(&world, &["uninstall", "claude"]);
}

#[test]
fn s4_97_the_hooks_of_others_keep_their_bytes_and_their_order() {
    let world = World::new();
    let before = "{\n\t\"a\" : 1,\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{ \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \"command\": \"./pre-commit-guard.sh\" } ] }\n\t\t],\n\t\t\"Stop\": []\n\t},\n\t\"z\": [1,2 ,3]\n}";
    world.write("repo/.claude/settings.json", before);
    done(&world, &["install", "claude", "--shared"]);
    let expected = "{\n\t\"a\" : 1,\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{ \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \"command\": \"./pre-commit-guard.sh\" } ] },\n\t\t\t{\n\t\t\t\t\"matcher\": \"*\",\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \"guard-host hook claudeCLOSING\",\n\t\t\t\t\t\t\"timeout\": 20,\n\t\t\t\t\t\t\"onFailure\": \"block\"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t],\n\t\t\"Stop\": [],\n\t\t\"PostToolUse\": [\n\t\t\t{\n\t\t\t\t\"matcher\": \"*\",\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \"guard-host hook claude\",\n\t\t\t\t\t\t\"timeout\": 5,\n\t\t\t\t\t\t\"async\": true\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t],\n\t\t\"SessionEnd\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \"guard-host hook claude\",\n\t\t\t\t\t\t\"timeout\": 5\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t},\n\t\"z\": [1,2 ,3]\n}";
    assert_eq!(read(&world, "repo/.claude/settings.json"), expected.replace("CLOSING", CLOSING));
}

#[test]
fn an_older_entry_is_replaced_where_it_stands() {
    let world = World::new();
    let (first, last) = (
        json!({ "matcher": "Bash", "hooks": [{ "type": "command", "command": "first" }] }),
        json!({ "matcher": "Edit", "hooks": [{ "type": "command", "command": "last" }] }),
    );
    for older in [
        json!({ "type": "command", "command": "guard-host hook claude" }),
        json!({ "type": "command", "command": "\"/opt/old place/guard-host\" --config /x hook claude", "timeout": 5 }),
        json!({ "type": "command", "command": "/old/guard-host", "args": ["hook", "claude"], "timeout": 20 }),
        json!({ "type": "command", "command": "guard-host", "args": ["hook"], "if": "Bash(git *)", "async": true }),
    ] {
        let alone = json!({ "hooks": { "PreToolUse": [first, { "matcher": "Bash|Write", "hooks": [older] }, last] } });
        world.write(SETTINGS, alone.to_string());
        done(&world, &["install", "claude"]);
        let groups = json(&world, SETTINGS)["hooks"]["PreToolUse"].as_array().unwrap().clone();
        assert_eq!((groups.len(), &groups[0], &groups[2]), (3, &first, &last), "{older}");
        let line = groups[1]["hooks"][0]["command"].as_str().unwrap();
        assert!(line.contains(env!("CARGO_BIN_EXE_guard-host")) && line.ends_with(CLOSING), "{line}");
        assert_eq!(groups[1]["hooks"][0].as_object().unwrap().len(), 4, "{older}");
        done(&world, &["uninstall", "claude"]);
        assert_eq!(json(&world, SETTINGS), json!({ "hooks": { "PreToolUse": [first, last] } }), "{older}");
    }
}

#[test]
fn several_entries_become_one() {
    let world = World::new();
    let own = json!({ "type": "command", "command": "/old/guard-host", "args": ["hook", "claude"] });
    let other = json!({ "type": "command", "command": "other" });
    let settings = json!({ "hooks": {
        "PreToolUse": [{ "matcher": "Bash", "hooks": [other, own, own] }, { "matcher": "*", "hooks": [own] }],
        "PostToolUse": [{ "hooks": [own] }],
    } });
    world.write(SETTINGS, settings.to_string());
    done(&world, &["install", "claude"]);
    let installed = json(&world, SETTINGS);
    let handlers = handlers(&installed, "PreToolUse");
    assert_eq!(handlers.len(), 2, "{installed}");
    assert_eq!(installed["hooks"]["PreToolUse"][0], json!({ "matcher": "Bash", "hooks": [other] }));
    assert_eq!(installed["hooks"]["PreToolUse"][1]["matcher"], "*");
    let after = json!([{ "matcher": "*", "hooks": [installed["hooks"]["PostToolUse"][0]["hooks"][0]] }]);
    assert_eq!(installed["hooks"]["PostToolUse"], after);
    assert_eq!(after[0]["hooks"][0]["async"], true);
    done(&world, &["uninstall", "claude"]);
    assert_eq!(json(&world, SETTINGS), json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [other] }] } }));
}

#[test]
fn a_group_that_is_shared_keeps_its_matcher() {
    let world = World::new();
    let other = json!({ "type": "command", "command": "other" });
    let own = json!({ "type": "command", "command": "guard-host hook claude" });
    world
        .write(SETTINGS, json!({ "hooks": { "PreToolUse": [{ "matcher": "*", "hooks": [own, other] }] } }).to_string());
    done(&world, &["install", "claude"]);
    let groups = json(&world, SETTINGS)["hooks"]["PreToolUse"].as_array().unwrap().clone();
    assert_eq!((groups.len(), groups[0]["hooks"].as_array().unwrap().len()), (1, 2));
    assert_eq!((&groups[0]["hooks"][0]["onFailure"], &groups[0]["hooks"][1]), (&json!("block"), &other));
}

#[test]
fn an_upgrade_still_knows_what_was_there_before() {
    let world = World::new();
    let before = "{ \"hooks\" : { } }";
    world.write(SETTINGS, before);
    done(&world, &["install", "claude", "--matcher", "Bash", "--timeout", "30"]);
    done(&world, &["install", "claude"]);
    assert_eq!(json(&world, SETTINGS)["hooks"]["PreToolUse"][0]["matcher"], "*");
    done(&world, &["uninstall", "claude"]);
    assert_eq!(read(&world, SETTINGS), before);
}

#[test]
fn what_others_add_afterwards_stays() {
    let world = World::new();
    world.write(SETTINGS, "{\n  \"model\": \"opus\"\n}\n");
    done(&world, &["install", "claude"]);
    let changed = read(&world, SETTINGS).replace("\"opus\"", "\"sonnet\"");
    world.write(SETTINGS, &changed);
    done(&world, &["uninstall", "claude"]);
    assert_eq!(read(&world, SETTINGS), "{\n  \"model\": \"sonnet\"\n}\n");
    // Without the state, the entry is still removed.
    done(&world, &["install", "claude"]);
    fs::remove_dir_all(world.path(".local/state/guard-host/registrations")).unwrap();
    done(&world, &["uninstall", "claude"]);
    assert_eq!(read(&world, SETTINGS), "{\n  \"model\": \"sonnet\"\n}\n");
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let world = World::new();
    let mut told = Transcript::default();
    for broken in [
        "{\n  \"a\": 1,\n}\n",
        "{\n  // mine\n  \"a\": 1\n}\n",
        "{\"a\": ",
        "[]",
        "{\n  \"hooks\": []\n}",
        "{ \"hooks\": { \"PreToolUse\": {} } }",
    ] {
        world.write(SETTINGS, broken);
        let ended = world.run(&["install", "claude", "--shim", "guard.sh"], "");
        told.add(&world, 65, &ended);
        assert_eq!(read(&world, SETTINGS), broken);
        assert!(!world.path(".claude/hooks").exists());
    }
    fs::write(world.path(SETTINGS), b"{\n\"a\": \"\xff\"}").unwrap();
    for command in ["install", "uninstall"] {
        told.add(&world, 65, &world.run(&[command, "claude"], ""));
    }
    assert_text!("install_unreadable", told.0);
}

#[test]
fn a_dry_run_prints_a_diff_and_writes_nothing() {
    let world = World::new();
    let file = world.write(SETTINGS, "{\n  \"model\": \"opus\",\n  \"b\": 1\n}");
    let mut told = Transcript::default();
    told.add(&world, 0, &done(&world, &["install", "claude", "--dry-run", "--shim", "guard.sh"]));
    assert_eq!(read(&world, SETTINGS), "{\n  \"model\": \"opus\",\n  \"b\": 1\n}");
    assert!(!world.path(".claude/hooks").exists());
    assert!(!world.path(".local/state/guard-host/registrations").exists());
    done(&world, &["install", "claude"]);
    let ended = done(&world, &["install", "claude", "--dry-run"]);
    assert_eq!(ended.stdout, format!("unchanged: {}\n", text(&file)));
    told.add(&world, 0, &done(&world, &["uninstall", "claude", "--dry-run"]));
    assert_text!("install_dry_run", told.0);
    assert!(read(&world, SETTINGS).contains("\"hooks\""));
}

/// The seed's `hooks.json`, which `install` writes instead of a person: S2-72.
#[test]
fn s2_06_s2_40_another_file_has_the_events_at_its_top() {
    let world = World::new();
    let file = world.path(".claude/hooks/hooks.json");
    let to = ["--matcher", "Bash|Write|Edit", "--timeout", "5", "--hooks-file", text(&file)];
    let ended = done(&world, &[&["install", "claude"], &to[..]].concat());
    // The suggested command reads the same file.
    let mut told = Transcript::default();
    told.add(&world, 0, &ended);
    let looked = world.run(&["doctor", "--hooks-file", text(&file)], "");
    told.add_text(&world, &lines_about(&looked.stdout, "canary: "));
    // Without the option, the remedy names it.
    let unnamed = world.run(&["doctor"], "");
    assert_eq!(unnamed.exit, 69, "{unnamed:?}");
    told.add_text(&world, &lines_about(&unnamed.stdout, "registration: "));
    assert_text!("install_hooks_file", told.0);
    let written = json(&world, ".claude/hooks/hooks.json");
    let group = &written["PreToolUse"][0];
    assert_eq!((&group["matcher"], group["hooks"].as_array().unwrap().len()), (&json!("Bash|Write|Edit"), 1));
    assert_eq!((&group["hooks"][0]["type"], &group["hooks"][0]["timeout"]), (&json!("command"), &json!(5)));
    assert!(!world.path(SETTINGS).exists());
    done(&world, &["uninstall", "claude", "--hooks-file", text(&file)]);
    assert!(!world.path(".claude").exists());
    // A file with the events below `hooks` keeps them there.
    world.write("h.json", "{ \"hooks\": {} }");
    done(&world, &["install", "claude", "--hooks-file", "../h.json"]);
    assert_eq!(handlers(&json(&world, "h.json"), "PreToolUse").len(), 1);
}

#[test]
fn c_10_fail_open_leaves_the_switch_out_and_says_what_else_to_set() {
    let world = World::new();
    let ended = done(&world, &["install", "claude", "--fail-open"]);
    assert!(!read(&world, SETTINGS).contains("onFailure"));
    assert!(ended.stdout.contains("on-malformed = \"allow\""), "{ended:?}");
    done(&world, &["install", "claude"]);
    assert!(read(&world, SETTINGS).contains("\"onFailure\": \"block\""));
}

#[test]
fn arguments_that_make_no_sense_change_nothing() {
    let world = World::new();
    for arguments in [
        &["install", "no-such-harness"][..],
        &["install", "claude", "--scope", "machine"],
        &["install", "claude", "--scope", "user", "--shared"],
        &["install", "claude", "--scope", "user", "--plugin", "p"],
        &["install", "claude", "--hooks-file", "h.json", "--plugin", "p"],
        &["install", "claude", "--timeout", "1"],
        &["install", "claude", "--shim", "../x"],
        &["install", "claude", "--shim", ".x"],
        &["uninstall", "claude", "--matcher", "Bash"],
        &["completions", "no-such-shell"],
    ] {
        let ended = world.run(arguments, "");
        assert_eq!((ended.exit, ended.stdout.as_str()), (64, ""), "{arguments:?}: {ended:?}");
    }
    assert!(!world.path(".claude").exists() && !world.path("repo/.claude").exists());
}

#[test]
fn paths_that_a_shared_registration_lacks_are_told() {
    let world = World::new();
    let config = world.write("own.toml", "");
    let told = |arguments: &[&str]| {
        let own = ["--config", config.to_str().unwrap()];
        let ended = world.run(&[&own[..], &["install", "claude"], arguments, &["--dry-run"]].concat(), "");
        assert_eq!(ended.exit, 0, "{ended:?}");
        (ended.stderr.contains("the hook is registered without `--config`"), ended.stdout.contains("own.toml"))
    };
    assert_eq!(told(&["--shared"]), (true, false));
    assert_eq!(told(&["--scope", "project"]), (false, true));
    let usual = world.run(&["install", "claude", "--shared", "--dry-run"], "");
    assert!(!usual.stderr.contains("warning: "), "{usual:?}");
}
