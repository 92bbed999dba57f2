//! Calls that are judged by the session's history.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::reply::{assert_ask, assert_deny, assert_silent, assert_warn};
use crate::support::terminal::attended;
use crate::support::texts::{Transcript, normalize};
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

fn payload(world: &World, session: &str, tool: &str, input: Value) -> Value {
    json!({
        "session_id": session, "cwd": world.repo(), "hook_event_name": "PreToolUse", "permission_mode": "default",
        "tool_name": tool, "tool_input": input,
    })
}

fn call(world: &World, session: &str, tool: &str, input: Value) -> ProcessOutput {
    world.hook(&payload(world, session, tool, input).to_string())
}

fn bash(world: &World, session: &str, command: &str) -> ProcessOutput {
    call(world, session, "Bash", json!({ "command": command }))
}

/// Reports the outcome of a command.
fn tell(world: &World, session: &str, event: &str, command: &str) {
    let mut payload = payload(world, session, "Bash", json!({ "command": command }));
    payload["hook_event_name"] = event.into();
    assert_silent(&world.hook(&payload.to_string()));
}

fn events(world: &World, session: &str) -> Vec<(String, String, bool)> {
    let ended = world.run(&["session", "show", session, "--format", "json"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    let shown: Value = serde_json::from_str(&ended.stdout).unwrap();
    let event = |event: &Value| {
        let text = |key: &str| event[key].as_str().unwrap().to_owned();
        (text("kind"), text("target"), event["certain"].as_bool().unwrap())
    };
    shown["events"].as_array().unwrap().iter().map(event).collect()
}

const SEND: &str = "curl -d note=hello https://collect.example.org/v1";

#[test]
fn data_that_leaves_after_a_secret_was_read_is_asked_about_in_this_session_alone() {
    let world = World::new();
    assert_silent(&bash(&world, "s1", SEND));
    assert_ask(&call(&world, "s1", "Read", json!({ "file_path": world.path("repo/.env") })), &[]);
    let words = ["[session-guard: secret-then-network]", "`collect.example.org`", "repo/.env", "by `Read`"];
    assert_ask(&bash(&world, "s1", SEND), &words);
    assert_silent(&bash(&world, "s1", "curl https://collect.example.org/v1"));
    assert_silent(&bash(&world, "s2", SEND));
    // Calls without a session id can't be grouped.
    assert_silent(&bash(&world, "", SEND));
    let mut end = payload(&world, "s1", "", json!({}));
    end["hook_event_name"] = "SessionEnd".into();
    assert_silent(&world.hook(&end.to_string()));
    assert_silent(&bash(&world, "s1", SEND));
}

/// The prompt ends with `allow --last`, which must have an effect.
#[test]
fn a_prompt_from_the_history_says_what_ends_it() {
    let world = World::new();
    assert_ask(&call(&world, "s1", "Read", json!({ "file_path": world.path("repo/.env") })), &[]);
    assert_ask(&bash(&world, "s1", SEND), &["[session-guard: secret-then-network]"]);
    let ended = attended(&world, &["allow", "--last", "--yes"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert!(ended.stdout.contains("guard-host session clear --session s1"), "{ended:?}");
    assert_silent(&bash(&world, "s1", SEND));
}

#[test]
fn a_subagents_session_is_that_of_its_parent() {
    let world = World::new();
    assert_ask(&call(&world, "s1", "Read", json!({ "file_path": world.path("repo/.env") })), &[]);
    let mut payload = json!({
        "hook_event_name": "pre_tool", "session_id": "child", "parent_session_id": "s1", "cwd": world.repo(),
        "tool_name": "bash", "tool_call_id": "c1", "tool_input": { "command": SEND }, "transcript_path": "",
    });
    let ask = |payload: &Value| world.run(&["hook", "vibe"], &payload.to_string());
    assert!(ask(&payload).stdout.contains("secret-then-network"), "{:?}", ask(&payload));
    payload["parent_session_id"] = Value::Null;
    assert!(!ask(&payload).stdout.contains("secret-then-network"), "{:?}", ask(&payload));
}

#[test]
fn a_call_that_nothing_depends_on_leaves_nothing_behind() {
    let world = World::new();
    for command in ["ls -la", "git status", "cat README.md", "cargo build"] {
        assert_silent(&bash(&world, "s1", command));
    }
    assert!(!world.path(".local/state/guard-host/history").exists());
}

#[test]
fn what_a_session_did_is_shown() {
    let world = World::new();
    bash(&world, "s1", "git push --force origin main");
    call(&world, "s1", "Write", json!({ "file_path": world.path("repo/a.txt"), "content": "x" }));
    bash(&world, "s1", "curl -Lo tool https://files.example.org/tool && rm old.txt");
    bash(&world, "s1", "git push origin topic");
    tell(&world, "s1", "PostToolUse", "cargo test --release && echo done");
    tell(&world, "s1", "PostToolUse", "cargo test || true");
    tell(&world, "s1", "PostToolUseFailure", "make check");
    let repo = world.repo().canonicalize().unwrap();
    let path = |name: &str| repo.join(name).to_str().unwrap().to_owned();
    let expected = [
        ("denied", "command-guard:force-push-protected".to_owned(), true),
        ("write", path("a.txt"), true),
        ("request", "files.example.org".to_owned(), true),
        ("download", path("tool"), true),
        ("delete", path("old.txt"), true),
        ("asked", "command-guard:git-push".to_owned(), false),
        ("ran", "cargo test".to_owned(), true),
        ("ran", "echo done".to_owned(), true),
        ("ran", "cargo test".to_owned(), false),
        ("ran", "true".to_owned(), false),
        ("failed", "make check".to_owned(), false),
    ];
    let expected = expected.map(|(kind, target, certain)| (kind.to_owned(), target, certain));
    assert_eq!(events(&world, "s1"), expected);
    let mut transcript = Transcript::default();
    transcript.add(&world, 0, &world.run(&["session", "show"], ""));
    assert_eq!(
        world.run(&["session", "show", "s9"], "").exit,
        world.run(&["session", "clear", "--session", "s9", "--yes"], "").exit
    );
    assert_eq!(world.run(&["session", "clear", "--session", "s1", "--yes"], "").exit, 0);
    transcript.add(&world, 0, &world.run(&["session", "show"], ""));
    assert_text!("history_shown", transcript.0);
}

#[test]
fn what_was_denied_is_denied_in_other_words() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings = { deny-patterns = [\"rm -rf data\"] }\n");
    world.write("repo/data/x", "1");
    assert_deny(&bash(&world, "s1", "rm -rf data"), &["[command-guard: "]);
    let words = ["[session-guard: retry-after-deny]", "repeats the effect of a call that"];
    assert_deny(&bash(&world, "s1", "find data -delete"), &words);
    assert_ask(&bash(&world, "s2", "find data -delete"), &[]);
    assert_ask(&bash(&world, "s1", "find other -delete"), &[]);
    // The same call isn't a rewording: the user changed the settings.
    world.configure("preset = \"standard\"\n");
    assert_ask(&bash(&world, "s1", "rm -rf data"), &[]);
    assert_eq!(world.run(&["session", "clear", "--yes"], "").exit, 0);
    assert_ask(&bash(&world, "s1", "find data -delete"), &[]);
}

/// A call is denied for one of its effects. The others aren't affected.
#[test]
fn only_what_a_call_was_denied_for_is_denied_again() {
    let world = World::new();
    world.write("repo/data/x", "1");
    let both = "rm -rf data && git push --force origin main";
    assert_deny(&bash(&world, "s1", both), &["[command-guard: force-push-protected]"]);
    assert_ask(&bash(&world, "s1", "rm -r data"), &[]);
    // If the rule itself reports it, it is reported once.
    let again = bash(&world, "s1", "git push -f origin main");
    assert_deny(&again, &["[command-guard: force-push-protected]"]);
    assert_text!("history_said_once", normalize(&world, &again.reason()));
}

/// A call that the other rules let pass isn't a retry, regardless of its file.
#[test]
fn a_harmless_call_on_a_denied_file_passes() {
    let world = World::new();
    world.write("repo/.env", "STRIPE_KEY=x\n");
    assert_deny(&bash(&world, "s1", "grep STRIPE .env"), &["[command-guard: shell-read-secret]"]);
    for harmless in
        ["cut -d= -f1 .env", "wc -l .env", "sha256sum .env", "grep -c STRIPE .env", "test -f .env && wc -l .env"]
    {
        assert_silent(&bash(&world, "s1", harmless));
    }
    // Another rule asks about another effect.
    assert_ask(&bash(&world, "s1", "cut -d= -f1 .env; rm -rf src"), &[]);
    for again in ["cat .env", "head -1 .env", "base64 .env", "cut -d= -f2 .env"] {
        assert_deny(&bash(&world, "s1", again), &["[command-guard: shell-read-secret]"]);
    }
}

#[test]
fn the_list_of_sessions_has_those_with_a_history_alone() {
    let world = World::new();
    assert_deny(&bash(&world, "s7", "git push --force origin main"), &[]);
    let listed = world.run(&["session", "list"], "");
    assert_text!("history_listed", &world, 0, listed);
}

#[test]
fn a_retry_names_the_session_to_clear() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings = { deny-patterns = [\"rm -rf data\"] }\n");
    world.write("repo/data/x", "1");
    let id = "0f3c-41";
    assert_deny(&bash(&world, id, "rm -rf data"), &[]);
    let retry = bash(&world, id, "find data -delete");
    assert_deny(&retry, &["`guard-host session clear --session 0f3c-41`"]);
    assert_eq!(world.run(&["session", "clear", "--session", id, "--yes"], "").exit, 0);
    assert_ask(&bash(&world, id, "find data -delete"), &[]);
}

#[test]
fn the_third_denial_of_a_rule_is_told_once() {
    let world = World::new();
    let told = |number: u32| {
        let ended = bash(&world, "s1", &format!("git push --force origin main # {number}"));
        assert_deny(&ended, &["[command-guard: force-push-protected]"]);
        ended.reason().contains("third call of this session")
    };
    assert_eq!((1..=5).map(told).collect::<Vec<_>>(), [false, false, true, false, false]);
}

#[test]
fn a_program_that_was_downloaded_is_asked_about_before_it_runs() {
    let world = World::new();
    assert_silent(&bash(&world, "s1", "curl -Lo tool https://files.example.org/tool && cp tool copy"));
    for name in ["tool", "copy", "other"] {
        world.write(&format!("repo/{name}"), "\u{7f}ELF\u{2}\u{1}");
    }
    let words = [
        "[session-guard: downloaded-then-run]",
        "runs `./tool`, which this session downloaded from `files.example.org`",
    ];
    assert_ask(&bash(&world, "s1", "chmod +x tool && ./tool --version"), &words);
    assert_silent(&bash(&world, "s1", "./other"));
    assert_silent(&bash(&world, "s1", "sha256sum tool"));
    assert_silent(&bash(&world, "s2", "./tool --version"));
    // Files that are made from it later are treated the same.
    assert_silent(&bash(&world, "s1", "mv tool bin/renamed"));
    world.write("repo/bin/renamed", "\u{7f}ELF\u{2}\u{1}");
    assert_ask(&bash(&world, "s1", "bin/renamed"), &["[session-guard: downloaded-then-run]"]);
}

#[test]
fn a_list_that_is_damaged_is_no_consent() {
    let world = World::new();
    let file = world.path(".local/state/guard-host/history/s1.log");
    assert_ask(&call(&world, "s1", "Read", json!({ "file_path": world.path("repo/.env") })), &[]);
    let sound = fs::read_to_string(&file).unwrap();
    let cut = sound.get(..sound.len() - 4).unwrap();
    let forged = sound.replace("secret-read", "write-file1");
    for damaged in [cut, forged.as_str(), "", "\n"] {
        fs::write(&file, damaged).unwrap();
        assert_ask(&bash(&world, "s1", SEND), &["[session-guard: unknown-history]"]);
        assert_silent(&bash(&world, "s1", "ls -la"));
        assert_text!("history_damaged", &world, 65, world.run(&["session", "show", "s1"], ""));
    }
    assert_eq!(world.run(&["session", "clear", "--session", "s1", "--yes"], "").exit, 0);
    assert_silent(&bash(&world, "s1", SEND));
}

#[test]
fn a_call_that_cannot_be_noted_says_so() {
    let world = World::new();
    assert_silent(&bash(&world, "s0", "ls"));
    // A folder in place of the lock makes locking fail, in the same place as a full disk.
    fs::create_dir_all(world.path(".local/state/guard-host/history/.lock")).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(world.path(".local/state/guard-host/history"), private).unwrap();
    let write = call(&world, "s1", "Write", json!({ "file_path": world.path("repo/a.txt"), "content": "x" }));
    assert_warn(&write, &["[session: not-noted]"]);
    let download = bash(&world, "s1", "curl -Lo tool https://files.example.org/tool");
    assert_ask(&download, &["[session: not-noted]"]);
    assert_silent(&bash(&world, "s1", "ls -la"));
}

#[test]
fn two_hundred_hooks_at_once_lose_nothing() {
    let world = World::new();
    assert_silent(&bash(&world, "s1", "ls"));
    let start = |number: usize| {
        let input = json!({ "file_path": world.path(&format!("repo/{number}.txt")), "content": "x" });
        let mut command = world.command(&["hook", "claude"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload(&world, "s1", "Write", input).to_string().as_bytes()).unwrap();
        child
    };
    let children: Vec<_> = (0..200).map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let mut written: Vec<String> = events(&world, "s1").into_iter().map(|(_, target, _)| target).collect();
    written.sort();
    written.dedup();
    assert_eq!(written.len(), 200);
}

#[test]
fn a_hook_that_is_killed_takes_nothing_back() {
    let world = World::new();
    assert_ask(&call(&world, "s1", "Read", json!({ "file_path": world.path("repo/.env") })), &[]);
    for micros in (0..12_000).step_by(200) {
        let input = json!({ "file_path": world.path("repo/a.txt"), "content": "x" });
        let mut command = world.command(&["hook", "claude"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // The process may end before it reads.
        let _ = child.stdin.take().unwrap().write_all(payload(&world, "s1", "Write", input).to_string().as_bytes());
        std::thread::sleep(Duration::from_micros(micros));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let ended = bash(&world, "s1", SEND);
    assert_ask(&ended, &[]);
    let reasons = ["secret-then-network", "unknown-history"];
    assert!(reasons.iter().any(|reason| ended.reason().contains(reason)), "{ended:?}");
}
