//! Scripts by the user: `install --shim` replaces them and their entries, and `uninstall` restores both.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use serde_json::{Value, json};

use super::{SETTINGS, done, handlers, json, read, text};
use crate::support::reply::assert_ask;
use crate::support::terminal::attended_by;
use crate::support::texts::{Transcript, lines_about, normalize};
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

const MINE: &str = "#!/bin/bash\n# mine\nexit 0\n";

fn script_of_mine(world: &World, below_home: &str) {
    let path = world.write(below_home, MINE);
    fs::set_permissions(path, fs::Permissions::from_mode(0o750)).unwrap();
}

fn mode(world: &World, below_home: &str) -> u32 {
    fs::metadata(world.path(below_home)).unwrap().permissions().mode() & 0o777
}

/// Returns settings as a user writes them, with other hooks around.
fn settings_with(line: &str) -> Value {
    let other = json!({ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./lint.sh" }] });
    let own = json!({ "matcher": "Bash", "hooks": [{ "type": "command", "command": line, "timeout": 5 }] });
    json!({ "permissions": {}, "hooks": { "PreToolUse": [other, own], "Stop": [{ "hooks": [] }] } })
}

#[test]
fn s1_99a_s2_71_a_script_of_the_authors_is_set_aside_and_its_entry_replaced_in_every_spelling() {
    let name = "dangerous-command-guard.sh";
    let absolute = |world: &World| format!("bash '{}'", text(&world.path("repo/.claude/hooks").join(name)));
    let spellings: [&dyn Fn(&World) -> String; 12] = [
        &|_| format!("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/{name}"),
        &|_| format!("$CLAUDE_PROJECT_DIR/.claude/hooks/{name}"),
        &|_| format!("\"${{CLAUDE_PROJECT_DIR}}\"/.claude/hooks/{name}"),
        &|_| format!("\"${{CLAUDE_PROJECT_DIR}}/.claude/hooks/{name}\""),
        &|_| format!(".claude/hooks/{name}"),
        &|_| format!("./.claude/hooks/{name}"),
        &|_| format!("bash .claude/hooks/{name}"),
        &|_| format!("cd \"$CLAUDE_PROJECT_DIR\" && ./.claude/hooks/{name}"),
        &|_| format!("sh -c \"$CLAUDE_PROJECT_DIR/.claude/hooks/{name}\""),
        &|_| format!("bash -c 'cd .claude/hooks && ./{name}'"),
        &|_| format!("uv run .claude/hooks/{name}"),
        &absolute,
    ];
    let mut told = Transcript::default();
    for spelling in spellings {
        let world = World::new();
        let (script, settings) = (format!("repo/.claude/hooks/{name}"), "repo/.claude/settings.json");
        script_of_mine(&world, &script);
        let line = spelling(&world);
        let before = serde_json::to_string_pretty(&settings_with(&line)).unwrap();
        world.write(settings, &before);
        let arguments = ["install", "claude", "--scope", "project", "--shared", "--shim", name];
        let ended = done(&world, &arguments);
        told.add(&world, 0, &ended);
        let written = read(&world, settings);
        let [other, own] = handlers(&json(&world, settings), "PreToolUse").try_into().unwrap();
        assert_eq!(other["command"], "./lint.sh", "{line}");
        let started = format!("\"${{CLAUDE_PROJECT_DIR}}\"/.claude/hooks/{name}");
        assert!(own["command"].as_str().unwrap().contains(&format!(" && {started} || ")), "{line}: {own}");
        assert!(read(&world, &script).contains("--only command-guard"), "{line}");
        let kept = format!("{script}.before-guard-host");
        assert_eq!((read(&world, &kept).as_str(), mode(&world, &kept)), (MINE, 0o750), "{line}");
        // A second run changes nothing.
        done(&world, &arguments);
        assert_eq!((read(&world, settings), read(&world, &kept)), (written, MINE.to_owned()), "{line}");
        done(&world, &["uninstall", "claude", "--scope", "project", "--shared"]);
        assert_eq!((read(&world, settings), read(&world, &script)), (before, MINE.to_owned()), "{line}");
        assert_eq!((mode(&world, &script), world.path(&kept).exists()), (0o750, false), "{line}");
    }
    assert_text!("install_script", told.0);
}

#[test]
fn a_script_behind_other_words_is_replaced_or_told() {
    let (name, settings) = ("dangerous-command-guard.sh", "repo/.claude/settings.json");
    let path = format!(".claude/hooks/{name}");
    let arguments = ["install", "claude", "--scope", "project", "--shared", "--shim", name];
    let install = |line: &str| {
        let world = World::new();
        script_of_mine(&world, &format!("repo/{path}"));
        world.write(settings, serde_json::to_string_pretty(&settings_with(line)).unwrap());
        let said = done(&world, &arguments);
        let lines = handlers(&json(&world, settings), "PreToolUse");
        (said.stdout, lines.iter().map(|handler| handler["command"].as_str().unwrap().to_owned()).collect::<Vec<_>>())
    };
    for line in [
        format!("timeout 5 bash {path}"),
        format!("exec {path}"),
        format!("FOO=1 {path}"),
        format!("{path} --strict"),
        format!("{path} || true"),
        format!("cat | {path}"),
        format!("nohup ./{path}"),
        format!("[ -x {path} ] && {path}"),
        format!("bash -e \"$CLAUDE_PROJECT_DIR\"/{path} 2>/dev/null"),
    ] {
        let (said, lines) = install(&line);
        assert!(
            lines.len() == 2 && !lines.contains(&line) && !said.contains("next: check"),
            "{line}: {lines:?} {said}"
        );
    }
    for line in [format!("{path} | jq ."), format!("python3 log.py; {path}"), format!("my-runner {path}")] {
        let (said, lines) = install(&line);
        assert!(lines.len() == 3 && lines.contains(&line), "{line}: {lines:?}");
        assert!(said.contains(&format!("next: check `{line}` in ")), "{line}: {said}");
    }
}

#[test]
fn s4_10_s4_12_the_script_of_a_plugin_is_set_aside() {
    let world = World::new();
    script_of_mine(&world, "repo/p/hooks/write-control.sh");
    world.write("repo/p/.claude-plugin/plugin.json", r#"{ "name": "iflow-dev", "version": "1.0.0" }"#);
    let line = "${CLAUDE_PLUGIN_ROOT}/hooks/write-control.sh";
    let before = json!({ "hooks": { "PreToolUse": [{ "matcher": "Write|Edit", "hooks": [{ "type": "command", "command": line }] }] } });
    world.write("repo/p/hooks/hooks.json", before.to_string());
    let arguments = ["install", "claude", "--plugin", "p", "--matcher", "Write|Edit", "--shim", "write-control.sh"];
    done(&world, &arguments);
    let hooks = read(&world, "repo/p/hooks/hooks.json");
    assert_eq!(handlers(&json(&world, "repo/p/hooks/hooks.json"), "PreToolUse").len(), 1);
    done(&world, &arguments);
    assert_eq!(read(&world, "repo/p/hooks/hooks.json"), hooks);
    done(&world, &["uninstall", "claude", "--plugin", "p"]);
    assert_eq!(read(&world, "repo/p/hooks/hooks.json"), before.to_string());
    assert_eq!(read(&world, "repo/p/hooks/write-control.sh"), MINE);
}

#[test]
fn s2_06_s2_72_the_place_that_is_registered_is_the_place_of_the_script() {
    let world = World::new();
    let script = ".claude/hooks/scripts/guardrail.py";
    script_of_mine(&world, script);
    let before = settings_with("python3 ~/.claude/hooks/scripts/guardrail.py").to_string();
    world.write(SETTINGS, &before);
    let ended = done(&world, &["install", "claude", "--shim", "guardrail.py"]);
    let mut told = Transcript::default();
    told.add(&world, 0, &ended);
    assert!(read(&world, script).contains("--only path-context"));
    assert!(!world.path(".claude/hooks/guardrail.py").exists());
    let [_, own] = handlers(&json(&world, SETTINGS), "PreToolUse").try_into().unwrap();
    assert!(own["command"].as_str().unwrap().contains(&format!(" && {} || ", text(&world.path(script)))), "{own}");
    // If the entry was changed since then, it stays, and the user is told.
    let settings = read(&world, SETTINGS).replace("\"permissions\"", "\"env\"");
    world.write(SETTINGS, settings);
    told.add(&world, 0, &done(&world, &["uninstall", "claude"]));
    assert_text!("install_script_registered", told.0);
    assert_eq!(read(&world, script), MINE);
}

#[test]
fn a_script_at_a_registered_place_goes_with_the_registration() {
    let world = World::new();
    let script = ".claude/hooks/scripts/guardrail.py";
    let before = settings_with("$HOME/.claude/hooks/scripts/guardrail.py").to_string();
    world.write(SETTINGS, &before);
    done(&world, &["install", "claude", "--shim", "guardrail.py"]);
    assert!(world.path(script).exists());
    done(&world, &["uninstall", "claude"]);
    assert_eq!((read(&world, SETTINGS), world.path(script).exists()), (before, false));
}

#[test]
fn s2_06_a_file_of_hooks_keeps_its_shape() {
    let world = World::new();
    let own = json!([{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./mine.sh" }] }]);
    for (before, pointer) in [
        (json!({ "PreToolUse": own }), "/PreToolUse"),
        (json!({ "hooks": { "PreToolUse": own } }), "/hooks/PreToolUse"),
        (json!({}), "/hooks/PreToolUse"),
    ] {
        world.write("hooks2.json", before.to_string());
        done(&world, &["install", "claude", "--hooks-file", text(&world.path("hooks2.json"))]);
        let after = json(&world, "hooks2.json");
        assert!(after.pointer(pointer).is_some_and(|list| list.to_string().contains("hook claude")), "{after}");
        assert_eq!(after.get("hooks").is_some(), pointer.starts_with("/hooks"), "{after}");
    }
}

#[test]
fn a_link_is_not_written_through_and_an_earlier_copy_is_not_lost() {
    let world = World::new();
    let (script, kept) = (".claude/hooks/guardrail.py", ".claude/hooks/guardrail.py.before-guard-host");
    fs::create_dir_all(world.path(".claude/hooks")).unwrap();
    world.write("dotfiles/guardrail.py", MINE);
    symlink(world.path("dotfiles/guardrail.py"), world.path(script)).unwrap();
    let install = || world.run(&["install", "claude", "--shim", "guardrail.py"], "");
    let mut told = Transcript::default();
    told.add(&world, 69, &install());
    assert_eq!(read(&world, "dotfiles/guardrail.py"), MINE);
    fs::remove_file(world.path(script)).unwrap();
    world.write(script, MINE);
    world.write(kept, "another\n");
    told.add(&world, 69, &install());
    assert_text!("install_script_in_the_way", told.0);
    assert_eq!((read(&world, script).as_str(), read(&world, kept).as_str()), (MINE, "another\n"));
}

#[test]
fn s1_71_the_names_are_listed_and_a_slip_is_told() {
    let world = World::new();
    let help = done(&world, &["install", "--help"]).stdout;
    for name in [
        "dangerous-command-guard.sh",
        "guardrail-confirm.py",
        "guardrail.py",
        "nous-plan-enforcer",
        "protected-files-guard.py",
        "write-control.sh",
    ] {
        assert!(help.contains(name), "{name}");
    }
    let mut told = Transcript::default();
    for slip in ["write_control.sh", "dangerous-commands-guard.sh", "guardrail", "protected-files-guard.sh"] {
        told.add(&world, 64, &world.run(&["install", "claude", "--shim", slip], ""));
    }
    assert!(!world.path(".claude").exists());
    done(&world, &["install", "claude", "--shim", "write_control.sh", "--only", "write-control"]);
    told.add(&world, 0, &done(&world, &["install", "claude", "--shim", "my-hook.sh"]));
    assert_text!("install_script_names", told.0);
}

/// Runs the seed's call as the user's script was called.
fn called(world: &World, script: &str) -> ProcessOutput {
    let mut start = Command::new(world.path(script));
    start.current_dir(world.repo()).env_clear().env("HOME", world.home.path()).env("PATH", "/usr/bin:/bin");
    end(start, include_str!("../seeds/s2-41.json"))
}

#[test]
fn s2_08_s2_52_the_script_that_confirms_is_one_of_python() {
    let world = World::new();
    let (script, confirm) = (".claude/hooks/scripts/guardrail.py", ".claude/hooks/scripts/guardrail-confirm.py");
    world.write(SETTINGS, settings_with("~/.claude/hooks/scripts/guardrail.py").to_string());
    script_of_mine(&world, confirm);
    done(&world, &["install", "claude", "--shim", "guardrail.py"]);
    let settings = read(&world, SETTINGS);
    let ended = done(&world, &["install", "claude", "--shim", "guardrail-confirm.py"]);
    let mut told = Transcript::default();
    told.add(&world, 0, &ended);
    assert_eq!(read(&world, SETTINGS), settings, "it is no hook");
    done(&world, &["install", "claude", "--shim", "guardrail-confirm.py"]);
    assert_eq!(read(&world, &format!("{confirm}.before-guard-host")), MINE);

    let operation = "rm -rf ~/Downloads/old-project";
    let asked: Value = serde_json::from_str(&called(&world, script).stdout).unwrap();
    assert_eq!(asked["hookSpecificOutput"]["permissionDecision"], "ask", "{asked}");
    let python = |arguments: &[&str]| {
        let mut start = Command::new("python3");
        start.arg(world.path(confirm)).args(arguments);
        start.current_dir(world.repo()).env_clear().env("HOME", world.home.path()).env("PATH", "/usr/bin:/bin");
        end(start, "")
    };
    // Requires a person. If an agent types it, it needs confirmation, whether the script is known or not.
    assert_eq!(python(&[operation]).exit, 77);
    assert_ask(&world.bash(&format!("python3 ~/{confirm} '{operation}'")), &["[self-protect: guard-command]"]);
    assert_ask(&world.bash(&format!("script -qc \"~/{confirm} '{operation}'\" /dev/null")), &[]);
    world.configure("scripts = \"off\"\n");
    assert_ask(&world.bash(&format!("python ~/{confirm} '{operation}'")), &["[self-protect: guard-command]"]);
    let path = world.path(confirm);
    // Both ways in which the seed's users start it.
    for (program, arguments) in [("python3", &[text(&path), operation][..]), (text(&path), &[operation])] {
        told.add(&world, 0, &attended_by(&world, program, arguments, ""));
        told.add(&world, 0, &called(&world, script));
        done(&world, &["session", "clear", "--yes"]);
        called(&world, script);
    }
    assert_text!("confirm_by_python", told.0);
    done(&world, &["uninstall", "claude"]);
    assert_eq!(read(&world, confirm), MINE);
    assert!(!world.path(script).exists());
}

#[test]
fn doctor_takes_the_registrations_of_the_seeds_as_they_are() {
    let mut told = String::new();
    let mut healthy = |world: &World| {
        let ended = world.run(&["doctor", "claude"], "");
        assert_eq!(ended.exit, 0, "{ended:?}");
        told += &normalize(world, &lines_about(&ended.stdout, "canary: "));
    };
    for (name, matcher) in [("write-control.sh", "Write|Edit"), ("dangerous-command-guard.sh", "Bash")] {
        let world = World::new();
        done(&world, &["install", "claude", "--matcher", matcher, "--shim", name]);
        healthy(&world);
    }
    // The user's own settings, which allow the tested call.
    let world = World::new();
    done(&world, &["install", "claude", "--matcher", "Write|Edit", "--shim", "write-control.sh"]);
    world.write(".claude/hooks/config/write-policies.json", r#"{ "protected": ["vendor/**"] }"#);
    healthy(&world);
    // A link in the seed's own spelling.
    let world = World::new();
    fs::create_dir_all(world.path(".claude/hooks/scripts")).unwrap();
    symlink(env!("CARGO_BIN_EXE_guard-host"), world.path(".claude/hooks/scripts/guardrail.py")).unwrap();
    let own = json!({ "type": "command", "command": "~/.claude/hooks/scripts/guardrail.py", "timeout": 5 });
    world.write(
        SETTINGS,
        json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash|Write|Edit", "hooks": [own] }] } }).to_string(),
    );
    done(&world, &["cache", "warm"]);
    healthy(&world);
    assert_text!("doctor_seeds", told);
    // A link to another program isn't ours.
    fs::remove_file(world.path(".claude/hooks/scripts/guardrail.py")).unwrap();
    symlink("/bin/true", world.path(".claude/hooks/scripts/guardrail.py")).unwrap();
    assert_eq!(world.run(&["doctor", "claude"], "").exit, 69);
}

/// Two scripts that respond differently to unreadable input keep doing so: each has its own configuration.
#[test]
fn s1_84_s4_91_a_script_can_have_a_configuration_of_its_own() {
    let world = World::new();
    let own = world.write(".config/guard-host/write-control.toml", "on-malformed = \"allow\"\n");
    let install = ["install", "claude", "--fail-open", "--matcher"];
    let silent = ["Write|Edit", "--shim", "write-control.sh", "--config", text(&own)];
    done(&world, &[&install[..], &silent].concat());
    done(&world, &[&install[..], &["Bash", "--shim", "dangerous-command-guard.sh"]].concat());
    let unreadable = |script: &str| {
        let mut start = Command::new(world.path(".claude/hooks").join(script));
        start.current_dir(world.repo()).env_clear().env("HOME", world.home.path()).env("PATH", "/usr/bin:/bin");
        end(start, "{oops")
    };
    let ended = unreadable("write-control.sh");
    assert_eq!((ended.exit, ended.stdout.as_str(), ended.stderr.as_str()), (0, "", ""));
    assert_eq!(unreadable("dangerous-command-guard.sh").exit, 1);
    // It is checked like the usual one.
    assert_eq!(world.run(&["config", "check"], "").exit, 0);
    world.write(".config/guard-host/write-control.toml", "on-malformed = \"silent\"\n");
    let ended = world.run(&["config", "check"], "");
    assert!(ended.exit == 78 && ended.stderr.contains("write-control.toml:1:"), "{ended:?}");
}
