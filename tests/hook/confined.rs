//! The setting `confine`: the calls that run confined, and the reply of each harness.

use std::fs;

use serde_json::{Value, json};

use crate::support::reply::{assert_deny, assert_silent};
use crate::support::texts::normalize;
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

/// Creates a project with programs that no table knows.
fn world(confine: &str) -> World {
    let world = World::new();
    world.configure(confine);
    for (name, program) in [("maker", "/bin/touch"), ("tool", "/bin/true")] {
        fs::copy(program, world.path(&format!("repo/{name}"))).unwrap();
    }
    world.write("repo/x.py", "print(1)");
    world
}

const ALL: &str = "preset = \"confined\"\n";

fn hook(world: &World, harness: &str, input: &Value) -> ProcessOutput {
    let mut payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "permission_mode": "default",
        "tool_name": "Bash", "tool_input": input,
    });
    let mut command = world.command(&["hook", harness]);
    if harness == "codex" {
        payload["turn_id"] = "t1".into();
    } else {
        command.env("AI_AGENT", "claude-code_2-1-332_harness");
    }
    end(command, &payload.to_string())
}

/// Returns the replacement command in the reply.
fn replaced(ended: &ProcessOutput) -> Option<String> {
    let value: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
    value["hookSpecificOutput"]["updatedInput"]["command"].as_str().map(str::to_owned)
}

/// Returns the command line in the reply that runs a command confined.
fn run(option: &str, text: &str) -> String {
    format!("{} run {option}-- bash -c {text}", env!("CARGO_BIN_EXE_guard-host"))
}

#[test]
#[cfg_attr(portable, ignore = "only Linux has Landlock")]
fn a_call_of_a_class_runs_confined() {
    let world = world(ALL);
    for (command, text) in [
        ("./tool --fix", "'./tool --fix'"),
        ("npm test", "'npm test'"),
        ("python3 x.py", "'python3 x.py'"),
        ("echo 'a b' && ./tool \"$HOME\"", r#"'echo '\''a b'\'' && ./tool "$HOME"'"#),
        ("cat <<'E'\nit's\nE\n./tool", "'cat <<'\\''E'\\''\nit'\\''s\nE\n./tool'"),
    ] {
        for harness in ["claude", "codex"] {
            let ended = hook(&world, harness, &json!({ "command": command, "description": "d" }));
            assert_eq!(replaced(&ended), Some(run("", text)), "{harness} {command}: {ended:?}");
            assert_eq!(ended.decision(), if harness == "codex" { "allow" } else { "" }, "{ended:?}");
            assert!(ended.stdout.contains("\"description\":\"d\""), "{ended:?}");
        }
    }
}

#[test]
fn other_calls_run_as_they_are() {
    let confined = world(ALL);
    for command in ["ls -la", "git status", "guard-host run -- ./tool", "grep -n x x.py", "echo './tool'"] {
        for harness in ["claude", "codex"] {
            assert_silent(&hook(&confined, harness, &json!({ "command": command })));
        }
    }
    for (setting, command) in [("", "./tool"), ("confine = []", "./tool"), ("confine = [\"scripts\"]", "./tool")] {
        assert_silent(&hook(&world(setting), "claude", &json!({ "command": command })));
    }
}

#[test]
#[cfg_attr(portable, ignore = "only Linux has Landlock")]
fn a_question_is_asked_with_the_confined_command() {
    let world = world("confine = [\"unknown-programs\"]");
    let command = "./tool && git push origin topic";
    let ended = hook(&world, "claude", &json!({ "command": command }));
    assert_eq!(ended.decision(), "ask", "{ended:?}");
    assert!(ended.reason().contains("[command-guard: git-push]"), "{ended:?}");
    assert_eq!(replaced(&ended), Some(run("--confirmed ", &format!("'{command}'"))), "{ended:?}");
    let ended = hook(&world, "claude", &json!({ "command": "./tool; rm -rf /" }));
    assert_deny(&ended, &[]);
    assert_eq!(replaced(&ended), None);
    let ended = hook(&world, "codex", &json!({ "command": command }));
    assert_eq!((ended.decision().as_str(), replaced(&ended)), ("deny", None), "{ended:?}");
}

#[test]
#[cfg_attr(portable, ignore = "only Linux has Landlock")]
fn where_no_input_can_be_replaced_the_question_names_the_command() {
    let world = world("confine = [\"unknown-programs\"]");
    let payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "BeforeTool", "tool_name": "run_shell_command",
        "tool_input": { "command": "./tool" }, "timestamp": "2026-01-01T00:00:00Z",
    });
    let ended = end(world.command(&["hook", "gemini"]), &payload.to_string());
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert_text!("confined_question", normalize(&world, &said));
    // An input with unknown keys isn't replaced.
    let ended = hook(&world, "claude", &json!({ "cmd": "./tool" }));
    assert_eq!(replaced(&ended), None, "{ended:?}");
}

#[test]
#[cfg_attr(portable, ignore = "only Linux has Landlock")]
fn versions_that_may_ignore_the_input_are_denied_or_asked_about() {
    let world = world("confine = [\"unknown-programs\"]");
    let payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "permission_mode": "default",
        "tool_name": "Bash", "tool_input": { "command": "./tool" },
    });
    for (variable, decision) in
        [(("CLAUDE_CODE_ENTRYPOINT", "sdk-cli"), "deny"), (("AI_AGENT", "other_1-0-0"), "ask"), (("OTHER", "1"), "ask")]
    {
        let mut command = world.command(&["hook", "claude"]);
        command.env(variable.0, variable.1);
        let ended = end(command, &payload.to_string());
        assert_eq!(replaced(&ended), None, "{variable:?} {ended:?}");
        assert_eq!(ended.decision(), decision, "{variable:?} {ended:?}");
        assert!(ended.reason().contains("run -- bash -c './tool'"), "{variable:?} {ended:?}");
    }
}

#[test]
#[ignore = "needs landlock"]
fn a_replaced_call_is_confined_when_it_runs() {
    let world = world("confine = [\"unknown-programs\"]");
    let started = |command: &str| {
        let ended = hook(&world, "claude", &json!({ "command": command }));
        let replaced = replaced(&ended).unwrap_or_else(|| panic!("{ended:?}"));
        let mut shell = world.command(&[]);
        let mut other = std::process::Command::new("bash");
        other.arg("-c").arg(replaced).current_dir(world.repo()).env_clear();
        other.envs(shell.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))));
        shell = other;
        end(shell, "")
    };
    let ended = started("./tool && echo \"it's done\" > named.txt");
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_eq!(fs::read_to_string(world.path("repo/named.txt")).unwrap(), "it's done\n");
    let ended = started("./maker hidden.txt");
    assert!(ended.exit != 0 && !world.path("repo/hidden.txt").exists(), "{ended:?}");
    world.write("repo/old.txt", "");
    let ended = started("./tool; git stash drop; true");
    assert_eq!(ended.exit, 0, "the approved call isn't judged again: {ended:?}");
}
