//! `hook --record`: payloads are saved as fixtures, after the reply and without confidential content.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::world::{ProcessOutput, World};

fn hook(world: &World, folder: &str, payload: &Value) -> ProcessOutput {
    world.run(&["hook", "claude", "--record", folder], &payload.to_string())
}

fn payload(world: &World, command: &str) -> Value {
    json!({
        "session_id": "5f0c-77", "transcript_path": world.path(".claude/x.jsonl"), "cwd": world.repo(),
        "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": command }, "tool_use_id": "toolu_1",
    })
}

/// Returns the files below a folder, with their content.
fn kept(world: &World, folder: &str) -> Vec<(String, Value)> {
    let entries = fs::read_dir(world.path(folder)).into_iter().flatten().flatten();
    let read = |path: &std::path::Path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    entries.map(|entry| (entry.file_name().into_string().unwrap(), read(&entry.path()))).collect()
}

#[test]
fn a_payload_is_kept_without_its_secret_and_without_this_machine() {
    let world = World::new();
    let secret = "AKIAIOSFODNN7EXAMPLE";
    let command =
        format!("cat {}/a.txt; export AWS_ACCESS_KEY_ID={secret} API_TOKEN=hunter2hunter2", world.repo().display());
    let ended = hook(&world, "fixtures", &payload(&world, &command));
    let plain = World::new().hook(&payload(&world, &command).to_string());
    assert_eq!((ended.exit, ended.decision()), (plain.exit, plain.decision()));
    let kept = kept(&world, "repo/fixtures/claude");
    let [(name, fixture)] = &kept[..] else { panic!("{kept:?}") };
    assert!(name.starts_with("pretooluse-bash-") && name.ends_with(".in.json"), "{name}");
    let text = fixture.to_string();
    for word in [secret, "hunter2", world.home.path().to_str().unwrap(), "5f0c-77"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    assert_eq!((&fixture["cwd"], &fixture["hook_event_name"]), (&json!("/repo"), &json!("PreToolUse")));
    assert_eq!(fixture["transcript_path"], "/home/u/.claude/x.jsonl");
    assert!(fixture["tool_input"]["command"].as_str().unwrap().starts_with("cat /repo/a.txt; export "), "{text}");
    // The harness can read the saved fixture.
    assert!(world.run(&["hook", "claude"], &text).stdout.is_empty());
}

#[test]
fn a_shape_is_kept_once() {
    let world = World::new();
    for command in ["ls", "pwd", "ls -la"] {
        assert!(hook(&world, "fixtures", &payload(&world, command)).is_silent());
    }
    let folder = "repo/fixtures/claude";
    assert_eq!(kept(&world, folder)[0].1["tool_input"]["command"], "ls");
    assert_eq!(kept(&world, folder).len(), 1);
    let mut other = payload(&world, "ls");
    other["tool_input"]["timeout"] = json!(5);
    hook(&world, "fixtures", &other);
    hook(&world, "fixtures", &json!({ "hook_event_name": "Notification", "message": "m" }));
    assert_eq!(kept(&world, folder).len(), 3);
}

#[test]
fn the_folder_and_its_files_have_bounds() {
    let world = World::new();
    for n in 0..200 {
        world.write(&format!("repo/full/claude/{n}.in.json"), "{}");
    }
    hook(&world, "full", &payload(&world, "ls"));
    assert_eq!(kept(&world, "repo/full/claude").len(), 200);
    let mut wide = payload(&world, "ls");
    wide["tool_input"]["more"] = (0..20_000).map(|n| json!(n)).collect();
    assert!(hook(&world, "fixtures", &wide).is_silent());
    assert!(kept(&world, "repo/fixtures/claude").is_empty());
    // A long text is truncated.
    hook(&world, "fixtures", &payload(&world, &format!("echo {}", "x".repeat(100_000))));
    let command = kept(&world, "repo/fixtures/claude")[0].1["tool_input"]["command"].as_str().unwrap().len();
    assert!((1000..5000).contains(&command), "{command}");
}

#[test]
fn a_folder_that_cannot_be_written_changes_nothing() {
    let world = World::new();
    world.write("repo/file", "");
    fs::create_dir(world.path("repo/closed")).unwrap();
    fs::set_permissions(world.path("repo/closed"), fs::Permissions::from_mode(0o500)).unwrap();
    for folder in ["file", "closed/x", "/proc/nowhere", "/dev/null"] {
        let silent = hook(&world, folder, &payload(&world, "ls"));
        assert!(silent.is_silent(), "{folder}: {silent:?}");
        let denied = hook(&world, folder, &payload(&world, "rm -rf /"));
        assert_eq!((denied.exit, denied.decision().as_str()), (2, "deny"), "{folder}: {denied:?}");
    }
    fs::set_permissions(world.path("repo/closed"), fs::Permissions::from_mode(0o700)).unwrap();
    // An invalid payload isn't saved, and the reply is as usual.
    let report = world.run(&["hook", "claude", "--record", "fixtures"], "{oops");
    assert_eq!((report.exit, report.stderr.as_str()), (1, "Hook error: Invalid JSON input\n"));
    assert!(!world.path("repo/fixtures").exists());
}
