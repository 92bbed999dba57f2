//! The process that sends the hook's request: missing, dead, slow, or with invalid output.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::asking;
use super::stub::Stub;
use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::texts::normalize;
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

/// Creates a folder with only the hook, and a program with this text in place of the second one.
fn programs(folder: &Path, tools: Option<&str>) -> PathBuf {
    let hook = folder.join("guard-host");
    fs::create_dir_all(folder).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_guard-host"), &hook).unwrap();
    if let Some(text) = tools {
        let path = folder.join("guard-host-tools");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    hook
}

fn bash(world: &World, program: &Path, command: &str) -> ProcessOutput {
    let payload = serde_json::json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": command },
    });
    let mut hook = Command::new(program);
    hook.args(["hook", "claude"]).current_dir(world.repo()).env_clear().env("HOME", world.home.path());
    hook.env("PATH", std::env::var_os("PATH").unwrap());
    end(hook, &payload.to_string())
}

#[test]
fn whatever_becomes_of_the_child_the_fallback_counts() {
    let stub = Stub::of("Allow");
    let rows = [
        ("missing", None),
        ("dead", Some("exit 1")),
        ("silent", Some("cat > /dev/null")),
        ("killed", Some("kill -9 $$")),
        ("killed while it speaks", Some(r#"printf '{"verdict":{"outcome":"Allow"'; kill -9 $$"#)),
        ("nonsense", Some("cat > /dev/null; echo allow")),
        ("deaf and slow", Some("exec sleep 30")),
        ("slow after a byte", Some("printf '{'; exec sleep 30")),
        ("flood", Some("cat > /dev/null; head -c 3000000 /dev/zero")),
    ];
    let mut told = String::new();
    for (name, tools) in rows {
        for fallback in ["ask", "deny", "local"] {
            let world = asking(&stub.url, &format!("fallback = \"{fallback}\"\ntimeout-ms = 300"));
            let program = programs(&world.path("bin"), tools);
            let (root, harmless) = (bash(&world, &program, "rm -rf /"), bash(&world, &program, "ls"));
            let protected = bash(&world, &program, "rm ~/.config/guard-host/guard.toml");
            assert_deny(&protected, &["self-protect: guard-file"]);
            match fallback {
                "ask" => [&root, &harmless].map(|ended| assert_ask(ended, &["[remote: no-answer]"])),
                "deny" => [&root, &harmless].map(|ended| assert_deny(ended, &["[remote: no-answer]"])),
                _ => [assert_deny(&root, &["command-guard: rm-root"]), assert_silent(&harmless)],
            };
            let reason = harmless.reason();
            told += &normalize(&world, &format!("{name}: {}\n", reason.lines().next().unwrap_or_default()));
        }
    }
    assert_text!("remote_child", told);
    assert_eq!(stub.requests().len(), 0);
}

#[test]
fn no_variable_chooses_whom_the_child_asks_or_believes() {
    let (stub, other) = (Stub::of("Deny"), Stub::of("Allow"));
    let world = asking(&stub.url, "");
    let payload = serde_json::json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } }).to_string();
    let mut hook = world.command(&["hook", "claude"]);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
        hook.env(name, &other.url);
    }
    assert_deny(&end(hook, &payload), &["[central: told]"]);
    assert_eq!((stub.requests().len(), other.requests().len()), (1, 0));
}
