//! A reply that can't be delivered isn't consent: asks and denies exit with code 2.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::world::World;

/// Returns the exit code of a harness's hook whose standard output is `stdout`.
fn exit(world: &World, harness: &str, command: &str, stdout: Stdio) -> (i32, String) {
    let payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "permission_mode": "default",
        "tool_name": "Bash", "tool_input": { "command": command },
    });
    let mut hook = world.command(&["hook", harness]);
    let mut child = hook.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let ended = child.wait_with_output().unwrap();
    (ended.status.code().unwrap_or(-1), String::from_utf8(ended.stderr).unwrap())
}

/// Returns the writing end of a pipe without a reader.
fn broken() -> Stdio {
    let mut reader = Command::new("true").stdin(Stdio::piped()).spawn().unwrap();
    let pipe = reader.stdin.take().unwrap();
    reader.wait().unwrap();
    pipe.into()
}

/// An output where a reply is lost, and its constructor.
type Lost = (&'static str, fn() -> Stdio);

/// Returns all kinds of outputs where a reply is lost.
fn lost() -> [Lost; 3] {
    [
        ("full", || File::options().write(true).open("/dev/full").unwrap().into()),
        ("broken", broken),
        ("null", Stdio::null),
    ]
}

#[test]
fn an_ask_or_a_deny_that_cannot_be_written_ends_with_2() {
    let world = World::new();
    for command in ["git push origin topic", "rm -rf /"] {
        for (name, stdout) in lost() {
            for harness in ["claude", "codex", "gemini", "cursor", "generic"] {
                let (exit, stderr) = exit(&world, harness, command, stdout());
                assert_eq!(exit, 2, "{name} {harness} {command}: {stderr}");
                assert!(stderr.contains("Instead: "), "{name} {harness} {command}: {stderr}");
            }
        }
    }
    // Lost replies are logged like others.
    assert_eq!(world.audit().len(), 30);
}

#[test]
fn an_ask_or_a_deny_with_a_closed_standard_output_ends_with_2() {
    let world = World::new();
    for command in ["git push origin topic", "rm -rf /"] {
        let payload = json!({ "cwd": world.repo(), "tool_name": "Bash", "tool_input": { "command": command } });
        let mut shell = Command::new("sh");
        shell.env("HOME", world.home.path()).current_dir(world.repo());
        shell.args(["-c", "printf %s \"$2\" | \"$1\" hook claude >&-", "sh", env!("CARGO_BIN_EXE_guard-host")]);
        let ended = shell.arg(payload.to_string()).output().unwrap();
        assert_eq!(ended.status.code(), Some(2), "{command}");
        assert!(String::from_utf8(ended.stderr).unwrap().contains("Instead: "), "{command}");
    }
    for line in std::fs::read_to_string(world.path(".local/state/guard-host/audit.jsonl")).unwrap().lines() {
        assert!(line.starts_with("{\"ts\":"), "the reply went to the log: {line}");
    }
}

#[test]
fn what_passes_passes_without_a_reply_too() {
    let world = World::new();
    for (name, stdout) in lost() {
        assert_eq!(exit(&world, "claude", "ls -la", stdout()), (0, String::new()), "{name}");
    }
}
