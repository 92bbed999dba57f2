//! `doctor` for each harness: the registered command is tested with that harness's payload, and must give that
//! harness's own deny.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::{done, read, text};
use crate::support::world::World;

/// All but Claude Code, with the number of files that each is registered in.
const HARNESSES: [(&str, usize); 22] = [
    ("amp", 1),
    ("antigravity", 1),
    ("cline", 1),
    ("codex", 1),
    ("copilot", 1),
    ("crush", 1),
    ("cursor", 1),
    ("devin", 1),
    ("droid", 1),
    ("gemini", 1),
    ("grok", 1),
    ("hermes", 1),
    ("kilo", 1),
    ("kimi", 1),
    ("kiro", 1),
    ("openclaw", 1),
    ("opencode", 1),
    ("pi", 1),
    ("qwen", 1),
    ("vibe", 1),
    ("vscode", 1),
    ("windsurf", 1),
];

fn examine(world: &World, arguments: &[&str]) -> (i32, Vec<Value>) {
    let ended = world.run(&[&["doctor", "--format", "json"], arguments].concat(), "");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    (ended.exit, report["findings"].as_array().unwrap().clone())
}

/// Returns the texts of one check's findings in one state.
fn told(findings: &[Value], check: &str, state: &str) -> Vec<String> {
    let wanted = findings.iter().filter(|one| one["check"] == check && one["state"] == state);
    wanted.map(|one| one["text"].as_str().unwrap().to_owned()).collect()
}

/// Approves the hook as Hermes Agent records it.
fn approve_in_hermes(world: &World) {
    let written = read(world, ".hermes/config.yaml");
    let line = written.lines().find_map(|line| line.trim().strip_prefix("sh -c ")).unwrap();
    let note = json!({ "approvals": [{ "event": "pre_tool_call", "command": format!("sh -c {line}") }] });
    world.write(".hermes/shell-hooks-allowlist.json", note.to_string());
}

#[test]
fn hermes_skips_a_hook_that_nobody_has_consented_to() {
    let world = World::new();
    done(&world, &["install", "hermes"]);
    let unapproved = || {
        let (_, findings) = examine(&world, &["hermes"]);
        let problems = told(&findings, "registration", "problem");
        problems.iter().filter(|text| text.contains("until you approve it")).count()
    };
    assert_eq!(unapproved(), 1);
    approve_in_hermes(&world);
    assert_eq!(unapproved(), 0);
    // Another command was approved.
    let notes = read(&world, ".hermes/shell-hooks-allowlist.json").replace("sh -c", "sh  -c");
    world.write(".hermes/shell-hooks-allowlist.json", notes);
    assert_eq!(unapproved(), 1);
    let accepting = read(&world, ".hermes/config.yaml") + "hooks_auto_accept: true\n";
    world.write(".hermes/config.yaml", accepting);
    assert_eq!(unapproved(), 0);
}

/// Approves the hooks as Codex records it.
fn approve(world: &World) {
    let file = world.path(".codex/hooks.json");
    let note = |event| format!("[hooks.state.\"{}:{event}:0:0\"]\ntrusted_hash = \"sha256:1\"\n", text(&file));
    world.write(".codex/config.toml", note("pre_tool_use") + &note("permission_request"));
}

#[test]
fn codex_skips_a_hook_that_nobody_has_approved() {
    let world = World::new();
    done(&world, &["install", "codex"]);
    let unapproved = |findings: &[Value]| {
        let problems = told(findings, "registration", "problem");
        problems.iter().filter(|text| text.contains("until you approve it")).count()
    };
    let (exit, findings) = examine(&world, &["codex"]);
    assert_eq!((exit, unapproved(&findings)), (69, 1), "{findings:#?}");
    let remedy = findings.iter().find(|one| one["text"].as_str().unwrap().contains("until you approve it")).unwrap();
    assert!(remedy["remedy"].as_str().unwrap().contains("`/hooks`"), "{remedy}");
    approve(&world);
    let (exit, findings) = examine(&world, &["codex"]);
    assert_eq!((exit, unapproved(&findings)), (0, 0), "{findings:#?}");
    // One event alone isn't enough.
    let notes = read(&world, ".codex/config.toml").replace("permission_request", "other");
    world.write(".codex/config.toml", notes);
    assert_eq!(unapproved(&examine(&world, &["codex"]).1), 1);
}

/// Enables the plugin as OpenClaw records it.
fn enable_in_openclaw(world: &World) {
    let enabled = json!({ "plugins": { "entries": { "guard-host": { "enabled": true } } } });
    world.write(".openclaw/openclaw.json", enabled.to_string());
}

#[test]
fn openclaw_loads_no_plugin_that_is_not_enabled() {
    let world = World::new();
    done(&world, &["install", "openclaw"]);
    let is_skipped = || {
        let (exit, findings) = examine(&world, &["openclaw"]);
        let problems = told(&findings, "registration", "problem");
        (exit, problems.iter().any(|text| text.contains("until you approve it")))
    };
    assert_eq!(is_skipped(), (69, true));
    world.write(".openclaw/openclaw.json", r#"{"plugins":{"entries":{"guard-host":{"enabled":false}}}}"#);
    assert_eq!(is_skipped(), (69, true));
    world.write(".openclaw/openclaw.json", "{ /* mine */ \"plugins\": { \"allow\": [\"guard-host\"] } }");
    assert_eq!(is_skipped(), (0, false));
    enable_in_openclaw(&world);
    assert_eq!(is_skipped(), (0, false));
}

#[test]
fn each_harness_proves_a_deny_in_its_own_protocol() {
    let world = World::new();
    for (harness, files) in HARNESSES {
        done(&world, &["install", harness]);
        match harness {
            "codex" => approve(&world),
            "hermes" => approve_in_hermes(&world),
            "openclaw" => enable_in_openclaw(&world),
            _ => {}
        }
        let (exit, findings) = examine(&world, &[harness]);
        let problems: Vec<&Value> = findings.iter().filter(|one| one["state"] == "problem").collect();
        assert_eq!((exit, problems), (0, Vec::<&Value>::new()), "{harness}");
        let canaries = told(&findings, "canary", "ok");
        assert_eq!(canaries.len(), files, "{harness}: {findings:#?}");
        assert!(canaries.iter().all(|text| text.contains("` denies `")), "{harness}: {canaries:?}");
        let failing = [told(&findings, "failure", "ok"), told(&findings, "failure", "note")].concat();
        assert_eq!(failing.len(), files, "{harness}: {findings:#?}");
        assert!(failing[0].contains("is gone or fails") && failing[0].contains("takes too long"), "{failing:?}");
        assert!(!told(&findings, "unverified", "note").is_empty(), "{harness}");
        // The findings are about this harness.
        assert_eq!(told(&findings, "registration", "ok").len(), files, "{harness}: {findings:#?}");
        done(&world, &["uninstall", harness]);
        let (exit, findings) = examine(&world, &[harness]);
        let missing = format!("`{harness}` does not run guard-host");
        assert_eq!((exit, told(&findings, "registration", "problem")), (69, vec![missing]), "{harness}");
    }
}

#[test]
fn without_a_name_those_are_looked_at_that_are_registered() {
    let world = World::new();
    for harness in ["codex", "cursor", "opencode"] {
        done(&world, &["install", harness]);
    }
    approve(&world);
    let (exit, findings) = examine(&world, &[]);
    assert_eq!((exit, told(&findings, "canary", "ok").len()), (0, 3), "{findings:#?}");
    done(&world, &["install", "claude"]);
    let (exit, findings) = examine(&world, &[]);
    assert_eq!((exit, told(&findings, "canary", "ok").len()), (0, 4), "{findings:#?}");
}

#[test]
fn the_deny_of_another_harness_is_none() {
    let world = World::new();
    let script = world.write("bin/guard-host", "#!/bin/sh\ncat <<'END'\nREPLY\nEND\nexit 0\n");
    let claude = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
    let flat = r#"{"decision":"deny","reason":"no"}"#;
    let cursor = r#"{"permission":"deny","user_message":"no","agent_message":"no"}"#;
    let cancel = r#"{"cancel":true,"errorMessage":"no"}"#;
    for (harness, file, own, others) in [
        ("codex", ".codex/hooks.json", Some(claude), [flat, cursor, cancel]),
        ("cursor", ".cursor/hooks.json", Some(cursor), [flat, claude, cancel]),
        ("gemini", ".gemini/settings.json", Some(flat), [cursor, claude, cancel]),
        ("windsurf", ".codeium/windsurf/hooks.json", None, [flat, claude, cancel]),
    ] {
        done(&world, &["install", harness]);
        let registered = read(&world, file).replace(env!("CARGO_BIN_EXE_guard-host"), text(&script));
        world.write(file, registered);
        let denies = |reply: &str| {
            fs::write(&script, format!("#!/bin/sh\ncat <<'END'\n{reply}\nEND\n")).unwrap();
            fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
            let (exit, findings) = examine(&world, &[harness]);
            assert_eq!(exit, 69, "{harness}: it is another program");
            !told(&findings, "canary", "ok").is_empty()
        };
        assert!(own.is_none_or(&denies), "{harness}");
        for other in others {
            assert!(!denies(other), "{harness}: {other}");
        }
        done(&world, &["uninstall", harness]);
    }
}

#[test]
fn what_keeps_a_hook_from_deciding_is_a_problem() {
    let world = World::new();
    for (harness, file, from, to, word) in [
        ("codex", ".codex/hooks.json", "\"timeout\": 20", "\"timeout\": 2", "timeout"),
        ("gemini", ".gemini/settings.json", "\"timeout\": 20000", "\"timeout\": 20", "timeout"),
        (
            "droid",
            ".factory/settings.json",
            "{\n  \"hooks\"",
            "{\n  \"hooksDisabled\": true,\n  \"hooks\"",
            "hooksDisabled",
        ),
        ("kiro", ".kiro/hooks/guard-host.json", "\"enabled\": true", "\"enabled\": false", "enabled"),
        ("antigravity", ".gemini/config/hooks.json", "\"enabled\": true", "\"enabled\": false", "enabled"),
        ("cursor", ".cursor/hooks.json", "\"beforeShellExecution\"", "\"afterShellExecution\"", "Shell"),
        ("windsurf", ".codeium/windsurf/hooks.json", "\"pre_write_code\"", "\"post_write_code\"", "writes"),
        ("gemini", ".gemini/settings.json", "\".*\"", "\"^write\"", "run_shell_command"),
        ("codex", ".codex/hooks.json", "\"type\": \"command\"", "\"type\": \"prompt\"", "type"),
        ("codex", ".codex/hooks.json", "{\n", "{,\n", "hooks.json"),
        ("hermes", ".hermes/config.yaml", "timeout: 20", "timeout: 2", "timeout"),
        ("hermes", ".hermes/config.yaml", "pre_tool_call", "post_tool_call", "terminal"),
    ] {
        done(&world, &["install", harness]);
        let written = read(&world, file);
        assert!(written.contains(from), "{harness}: {written}");
        world.write(file, written.replacen(from, to, 1));
        let (exit, findings) = examine(&world, &[harness]);
        let problems: Vec<String> =
            findings.iter().filter(|one| one["state"] == "problem").map(|one| one["text"].to_string()).collect();
        assert!(exit == 69 && problems.iter().any(|text| text.contains(word)), "{harness}: {word}: {problems:#?}");
        fs::remove_file(world.path(file)).unwrap();
    }
}

#[test]
fn a_switch_that_was_left_out_is_a_note() {
    let world = World::new();
    for (harness, word) in [("cursor", "failClosed"), ("cline", "the file that starts it")] {
        done(&world, &["install", harness, "--fail-open"]);
        let (exit, findings) = examine(&world, &[harness]);
        let notes = told(&findings, "failure", "note");
        assert!(
            exit == 0 && notes.iter().all(|note| note.contains("passes unasked") && note.contains(word)),
            "{notes:?}"
        );
        assert!(!notes.is_empty(), "{harness}: {findings:#?}");
        done(&world, &["uninstall", harness]);
    }
}

/// Its program reads two folders and would prompt twice.
#[test]
fn the_second_script_for_cline_goes() {
    let world = World::new();
    let start = "#!/bin/sh\n# Written by `guard-host install cline`, and removed by `guard-host uninstall cline`.\n";
    let older = world.write(".cline/hooks/PreToolUse", format!("{start}exec guard-host hook cline\n"));
    done(&world, &["install", "cline"]);
    assert!(!older.exists() && world.path("Documents/Cline/Hooks/PreToolUse").exists());
    // Another author's script stays.
    world.write(".cline/hooks/PreToolUse", "#!/bin/sh\nexec ./mine.sh\n");
    done(&world, &["install", "cline"]);
    done(&world, &["uninstall", "cline"]);
    assert!(older.exists() && !world.path("Documents/Cline/Hooks/PreToolUse").exists());
}

/// The script for Cline cancels if no program answers, or if the reply is invalid.
#[test]
fn the_script_for_cline_holds_the_call_when_the_program_is_gone() {
    let world = World::new();
    done(&world, &["install", "cline"]);
    let file = "Documents/Cline/Hooks/PreToolUse";
    let start = |payload: &Value| {
        let command = std::process::Command::new(world.path(file));
        let ended = crate::support::world::end(command, &payload.to_string());
        assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
        serde_json::from_str::<Value>(&ended.stdout).unwrap()
    };
    let payload = |command: &str| {
        json!({
            "clineVersion": "3.1", "hookName": "PreToolUse", "timestamp": "1", "taskId": "t1",
            "workspaceRoots": [world.repo()], "userId": "u",
            "preToolUse": { "toolName": "execute_command", "parameters": { "command": command } },
        })
    };
    assert_eq!(start(&payload("ls"))["cancel"], false);
    assert_eq!(start(&payload("rm -rf /"))["cancel"], true);
    let script = read(&world, file);
    let noise = world.write("bin/noise", "#!/bin/sh\necho hello\n");
    fs::set_permissions(&noise, fs::Permissions::from_mode(0o755)).unwrap();
    let line = script.lines().find(|line| line.starts_with("reply=$(")).unwrap();
    world.write(file, script.replace(line, &format!("reply=$({}) || reply=", text(&noise))));
    assert_eq!(start(&payload("ls"))["cancel"], true);
    world.write(file, script);
    world.write(file, read(&world, file).replace(env!("CARGO_BIN_EXE_guard-host"), "/gone/guard-host"));
    let (exit, findings) = examine(&world, &["cline"]);
    assert!(exit == 69 && told(&findings, "program", "problem")[0].contains("/gone/guard-host"), "{findings:#?}");
    let held = start_quietly(&world, file, &payload("ls"));
    assert_eq!(held["cancel"], true, "{held}");
    assert!(held["errorMessage"].as_str().unwrap().contains("guard-host doctor cline"), "{held}");
}

fn start_quietly(world: &World, file: &str, payload: &Value) -> Value {
    let ended = crate::support::world::end(std::process::Command::new(world.path(file)), &payload.to_string());
    assert_eq!(ended.exit, 0, "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}
