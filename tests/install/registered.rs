//! The registered command, started as the harness starts it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value, json};

use super::{CLOSING, SETTINGS, closed, done, handlers, json, read, text};
use crate::support::reply::{assert_deny, assert_silent};
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

/// Starts a handler with a tool call, with an empty home.
fn start(handler: &Value, world: &World, tool: &str, input: Value) -> ProcessOutput {
    start_with(handler, world, "elsewhere", tool, input)
}

fn start_with(handler: &Value, world: &World, home: &str, tool: &str, input: Value) -> ProcessOutput {
    let command = handler["command"].as_str().unwrap();
    let mut start = Command::new("/bin/sh");
    start.args(["-c", command]);
    let home = world.path(home);
    fs::create_dir_all(&home).unwrap();
    start.env_clear().env("HOME", &home).env("CLAUDE_PROJECT_DIR", world.repo()).current_dir(world.repo());
    let path = std::path::Path::new(env!("CARGO_BIN_EXE_guard-host")).parent().unwrap();
    start.env("PATH", format!("{}:/usr/bin:/bin", text(path)));
    let payload = json!({ "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse",
                          "tool_name": tool, "tool_input": input });
    end(start, &payload.to_string())
}

#[test]
fn s1_02_every_tool_reaches_the_hook() {
    let world = World::new();
    done(&world, &["install", "claude"]);
    let settings = json(&world, SETTINGS);
    assert_eq!(settings["hooks"]["PreToolUse"][0]["matcher"], "*");
    let [handler] = handlers(&settings, "PreToolUse").try_into().unwrap();
    assert_deny(&start(&handler, &world, "Bash", json!({ "command": "rm -rf /" })), &[]);
    assert_deny(&start(&handler, &world, "Write", json!({ "file_path": ".env", "content": "" })), &[]);
    let edit = json!({ "file_path": ".env", "old_string": "a", "new_string": "b" });
    assert_deny(&start(&handler, &world, "Edit", edit), &[]);
    assert_silent(&start(&handler, &world, "Glob", json!({ "pattern": "*.rs" })));
    // The paths are those of the installation, regardless of the home at the call.
    assert!(!world.path("elsewhere/.cache").exists() && !world.path("elsewhere/.local").exists());
    let [end] = handlers(&settings, "SessionEnd").try_into().unwrap();
    assert_eq!(closed(end["command"].as_str().unwrap()), handler["command"].as_str().unwrap());
}

#[test]
fn the_entry_of_a_project_is_as_absolute_as_the_users() {
    let world = World::new();
    done(&world, &["install", "claude", "--scope", "project", "--state", "../state"]);
    let settings = json(&world, "repo/.claude/settings.local.json");
    let [handler] = handlers(&settings, "PreToolUse").try_into().unwrap();
    let line = handler["command"].as_str().unwrap().strip_suffix(CLOSING).unwrap().split_once(" ] && ").unwrap().1;
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    for (flag, value) in [words[0], words[2], words[4]].into_iter().zip([words[1], words[3], words[5]]) {
        assert!(flag.starts_with("--") && value.starts_with('/'), "{words:?}");
    }
    assert_eq!(words[6..], ["hook", "claude"]);
    assert!(!world.path(SETTINGS).exists() && !world.path("repo/.claude/settings.json").exists());
}

#[test]
fn a_hook_that_fails_blocks_by_the_line_that_starts_it() {
    let world = World::new();
    let program = world.write("bin/guard-host", "");
    done(&world, &["install", "claude", "--shared"]);
    let [handler] = handlers(&json(&world, "repo/.claude/settings.json"), "PreToolUse").try_into().unwrap();
    let start = |text: Option<&str>, mode| {
        match text {
            Some(text) => fs::write(&program, text).unwrap(),
            None => fs::remove_file(&program).unwrap(),
        }
        if text.is_some() {
            fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
        }
        let mut start = Command::new("/bin/sh");
        start.args(["-c", handler["command"].as_str().unwrap()]).env_clear();
        start.env("PATH", format!("{}:/usr/bin:/bin", text_of_folder(&program))).current_dir(world.repo());
        end(start, "{}")
    };
    let held = "guard-host gave no answer, so this call is held: run guard-host doctor, or install it again\n";
    for (what, text, mode) in [
        ("not executable", Some("x"), 0o644),
        ("exit 1", Some("#!/bin/sh\necho it broke >&2\nexit 1\n"), 0o755),
        ("exit 101", Some("#!/bin/sh\nexit 101\n"), 0o755),
        ("a signal", Some("#!/bin/sh\nkill -SEGV $$\n"), 0o755),
        ("missing", None, 0),
    ] {
        let ended = start(text, mode);
        assert!(ended.exit == 2 && ended.stderr.ends_with(held) && ended.stdout.is_empty(), "{what}: {ended:?}");
    }
    // An answer is passed on unchanged: a deny with its reason, and a call that may run.
    let denied = start(Some("#!/bin/sh\necho '{}'\necho no >&2\nexit 2\n"), 0o755);
    assert_eq!((denied.exit, denied.stdout.as_str(), denied.stderr.as_str()), (2, "{}\n", "no\n"));
    let passed = start(Some("#!/bin/sh\nexit 0\n"), 0o755);
    assert_eq!((passed.exit, passed.stdout.as_str(), passed.stderr.as_str()), (0, "", ""));
}

/// A shell runs an empty file as a script that does nothing.
#[test]
fn an_empty_program_blocks_each_call() {
    let world = World::new();
    done(&world, &["install", "claude"]);
    let [handler] = handlers(&json(&world, SETTINGS), "PreToolUse").try_into().unwrap();
    let empty = world.write("empty", "");
    fs::set_permissions(&empty, fs::Permissions::from_mode(0o755)).unwrap();
    let line = handler["command"].as_str().unwrap().replace(env!("CARGO_BIN_EXE_guard-host"), text(&empty));
    let mut start = Command::new("/bin/sh");
    start.args(["-c", &line]).current_dir(world.repo());
    let ended = end(start, "{}");
    assert_text!("empty_program_blocks", &world, 2, ended);
}

fn text_of_folder(program: &std::path::Path) -> &str {
    text(program.parent().unwrap())
}

#[test]
fn a_shared_entry_has_no_path_of_this_machine() {
    let world = World::new();
    done(&world, &["install", "claude", "--shared", "--shim", "dangerous-command-guard.sh"]);
    let settings = read(&world, "repo/.claude/settings.json");
    let shim = read(&world, "repo/.claude/hooks/dangerous-command-guard.sh");
    assert!(!settings.contains(text(world.home.path())) && !shim.contains(text(world.home.path())));
    assert_eq!(shim, "#!/bin/sh\nexec guard-host hook claude --only command-guard \"$@\"\n");
    let [handler] = handlers(&json(&world, "repo/.claude/settings.json"), "PreToolUse").try_into().unwrap();
    assert_deny(&start_with(&handler, &world, "", "Bash", json!({ "command": "rm -rf /" })), &[]);
    done(&world, &["uninstall", "claude", "--shared"]);
    assert!(!world.path("repo/.claude/settings.json").exists());
}

#[test]
fn s1_99a_a_script_stands_where_the_seeds_have_theirs() {
    let world = World::new();
    let arguments = ["claude", "--scope", "project", "--shim", "dangerous-command-guard.sh"];
    done(&world, &[&["install"], &arguments[..]].concat());
    let [handler] = handlers(&json(&world, "repo/.claude/settings.local.json"), "PreToolUse").try_into().unwrap();
    let script = world.path("repo/.claude/hooks/dangerous-command-guard.sh");
    assert_eq!(handler["command"], closed(text(&script)));
    assert_deny(&start(&handler, &world, "Bash", json!({ "command": "rm -rf /" })), &[]);
    // A second run changes nothing.
    let before = read(&world, "repo/.claude/settings.local.json");
    done(&world, &[&["install"], &arguments[..]].concat());
    assert_eq!(read(&world, "repo/.claude/settings.local.json"), before);
    done(&world, &[&["uninstall"], &arguments[..]].concat());
    assert!(!world.path("repo/.claude").exists());
}

#[test]
fn s1_99b_the_two_scripts_of_the_seed_stand_side_by_side() {
    let (command, file) = ("dangerous-command-guard.sh", "protected-files-guard.py");
    for (target, hooks, settings) in [
        (&["--scope", "project"][..], "repo/.claude/hooks", "repo/.claude/settings.local.json"),
        (&["--shared"], "repo/.claude/hooks", "repo/.claude/settings.json"),
        (&["--plugin", "p"], "repo/p/hooks", "repo/p/hooks/hooks.json"),
        (&[], ".claude/hooks", ".claude/settings.json"),
    ] {
        let world = World::new();
        for (matcher, name) in [("Bash", command), ("Edit|Write", file), ("Bash", command)] {
            done(&world, &[&["install", "claude", "--matcher", matcher, "--shim", name], target].concat());
        }
        let handlers: [Value; 2] = handlers(&json(&world, settings), "PreToolUse").try_into().unwrap();
        let (push, env) =
            (json!({ "command": "git push --force origin main" }), json!({ "file_path": ".env", "content": "" }));
        let run = |index: usize, tool, input: &Value| {
            let program = handlers[index]["command"].as_str().unwrap();
            let root = world.path("repo/p");
            let line = program.replace("${CLAUDE_PLUGIN_ROOT}", text(&root));
            start_with(&json!({ "command": line }), &world, "", tool, input.clone())
        };
        assert_deny(&run(0, "Bash", &push), &["[command-guard: "]);
        assert_deny(&run(1, "Write", &env), &["[protected-files: "]);
        // Each is one policy, like the seed's scripts.
        assert_silent(&run(0, "Write", &env));
        assert_silent(&run(1, "Bash", &push));
        done(&world, &[&["uninstall", "claude"], target].concat());
        for name in [command, file] {
            assert!(!world.path(hooks).join(name).exists(), "{target:?}");
        }
        assert!(!world.path(settings).exists(), "{target:?}");
    }
}

#[test]
fn a_part_of_the_chain_behind_a_name_of_its_own() {
    let world = World::new();
    fs::create_dir(world.path("it's here")).unwrap();
    let file = world.path("it's here/hooks.json");
    let arguments = ["--hooks-file", text(&file), "--shim", "nous-plan-enforcer", "--only", "protected-files"];
    done(&world, &[&["install", "claude", "--matcher", "Bash"], &arguments[..]].concat());
    let settings = json(&world, "it's here/hooks.json");
    let handler = &settings["PreToolUse"][0]["hooks"][0];
    assert!(read(&world, "it's here/hooks/nous-plan-enforcer").contains(" hook claude --only protected-files "));
    assert_silent(&start(handler, &world, "Bash", json!({ "command": "git push --force origin main" })));
    assert_deny(&start(handler, &world, "Write", json!({ "file_path": ".env", "content": "" })), &[]);
}
