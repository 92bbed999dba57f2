//! The audit log: the calls with a line, the line's content, and that it changes no reply.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::reply::{INVALID_JSON, assert_ask, assert_deny, assert_report, assert_silent, assert_warn};
use crate::support::world::World;

const KEYS: [&str; 18] = [
    "action",
    "cwd",
    "harness",
    "id",
    "ms",
    "n",
    "operation",
    "original_tool",
    "path_context",
    "policies",
    "policy",
    "prev",
    "rule",
    "rules",
    "seal",
    "session",
    "tool",
    "ts",
];

/// S2-64a, S2-64b, S2-64c, S2-64d, S2-64e, S2-64f.
#[test]
fn an_intervention_has_one_line_with_the_keys_of_the_contract() {
    let world = World::new();
    let payload = json!({
        "session_id": "session-7", "cwd": world.repo(), "tool_name": "Monitor",
        "tool_input": { "command": "git push && rm -rf /" },
    });
    assert_deny(&world.hook(&payload.to_string()), &[]);
    let lines = world.audit();
    assert_eq!(lines.len(), 1);
    let line = lines[0].as_object().unwrap();
    assert_eq!(line.keys().map(String::as_str).collect::<BTreeSet<_>>(), KEYS.into_iter().collect());
    for (key, value) in [
        ("tool", json!("Bash")),
        ("original_tool", json!("Monitor")),
        ("operation", json!("git push && rm -rf /")),
        ("action", json!("block")),
        ("policy", json!("command-guard")),
        ("rule", json!("rm-root")),
        ("path_context", json!("n/a")),
        ("session", json!("session-7")),
        ("cwd", json!(world.repo())),
        ("harness", json!("claude")),
    ] {
        assert_eq!(line[key], value, "{key}");
    }
    let rules: Vec<&str> = line["rules"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(rules.contains(&"command-guard:rm-root") && rules.contains(&"command-guard:git-push"), "{rules:?}");
    assert!(line["ms"].as_f64().unwrap() > 0.0);
    assert!(!line["id"].as_str().unwrap().is_empty());
    let ts = line["ts"].as_str().unwrap();
    assert!(ts.len() == 24 && ts.ends_with('Z') && ts.as_bytes()[10] == b'T', "{ts}");
}

#[test]
fn the_first_six_keys_stand_in_the_order_of_the_oldest_logs() {
    let world = World::new();
    assert_ask(&world.bash("git push"), &[]);
    let text = std::fs::read_to_string(world.path(".local/state/guard-host/audit.jsonl")).unwrap();
    let places: Vec<usize> = ["ts", "tool", "operation", "action", "rule", "path_context"]
        .iter()
        .map(|key| text.find(&format!("\"{key}\":")).unwrap())
        .collect();
    assert!(places.is_sorted(), "{text}");
    assert!(text.starts_with("{\"ts\":") && text.ends_with("}\n") && text.lines().count() == 1);
}

/// S2-60.
#[test]
fn the_log_belongs_to_its_user_alone() {
    let world = World::new();
    assert_ask(&world.bash("git push"), &[]);
    let mode = |below: &str| std::fs::metadata(world.path(below)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(".local/state/guard-host/audit.jsonl"), 0o600);
    assert_eq!(mode(".local/state/guard-host"), 0o700);
}

/// S2-04.
#[test]
fn silence_has_no_line() {
    let world = World::new();
    assert_silent(&world.bash("ls -la"));
    assert_silent(&world.hook("{\"hook_event_name\":\"Stop\"}"));
    assert_silent(&world.hook("{}"));
    assert_report(&world.hook("{oops"), INVALID_JSON);
    assert!(!world.path(".local/state/guard-host/audit.jsonl").exists());
}

/// S2-04, S2-61, S2-62, S2-64d.
#[test]
fn each_outcome_has_its_action_and_the_milder_ones_a_line_at_the_level_all_only() {
    let world = World::new();
    let warn = "[[policy]]\nname = \"command-guard\"\nsettings = { lower = [\"git-push\"] }\n";
    world.configure(warn);
    assert_warn(&world.bash("git push"), &[]);
    assert!(world.audit().is_empty());
    world.configure(&format!("audit = {{ level = \"all\" }}\n{warn}"));
    assert_warn(&world.bash("git push"), &[]);
    assert_silent(&world.bash("ls"));
    assert_ask(&world.bash("kubectl delete pod x"), &[]);
    assert_deny(&world.bash("rm -rf /"), &[]);
    let actions: Vec<String> = world.audit().iter().map(|line| line["action"].as_str().unwrap().to_owned()).collect();
    assert_eq!(actions, ["warn", "allow", "confirm_required", "block"]);
}

#[test]
fn what_fails_is_an_error_line_at_the_level_all() {
    let world = World::new();
    world.configure(
        "audit = { level = \"all\" }\n[[policy]]\nname = \"command-guard\"\non-error = \"allow\"\nsettings = { nonsense = 1 }\n",
    );
    assert_silent(&world.bash("ls"));
    let lines = world.audit();
    assert_eq!(lines.len(), 1);
    assert_eq!((&lines[0]["action"], &lines[0]["rule"]), (&json!("error"), &json!("policy-fault")));
}

/// Also at the usual level: a failure that lets a call pass must be visible.
#[test]
fn what_fails_and_lets_the_call_pass_leaves_a_line_each_time() {
    let world = World::new();
    for settings in ["settings = { nonsense = 1 }", "settings-file = \"gone.json\"", "sha256 = \"0\""] {
        let settings = settings.replace("\"0\"", &format!("\"{}\"", "0".repeat(64)));
        world.configure(&format!("[[policy]]\nname = \"command-guard\"\non-error = \"allow\"\n{settings}\n"));
        let before = world.audit().len();
        for _ in 0..2 {
            assert_silent(&world.bash("ls"));
        }
        let lines = world.audit().split_off(before);
        assert_eq!(lines.len(), 2, "{settings}");
        for line in lines {
            assert_eq!((&line["action"], &line["rules"]), (&json!("error"), &json!(["command-guard:policy-fault"])));
        }
    }
}

#[test]
fn a_line_tells_the_kind_of_subagent_that_called() {
    let world = World::new();
    for (key, kind) in [("agent_type", "Explore"), ("agent_type", "\u{1b}[31mred")] {
        let payload = json!({ "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": "git push" }, key: kind });
        world.hook(&payload.to_string());
    }
    let copilot = json!({ "sessionId": "s1", "timestamp": 1, "cwd": world.repo(), "toolName": "bash",
        "toolArgs": { "command": "git push" }, "agentId": "id-1", "agentType": "Explore" });
    world.run(&["hook", "copilot"], &copilot.to_string());
    world.bash("git push");
    let agents: Vec<Value> = world.audit().into_iter().map(|mut line| line["agent"].take()).collect();
    assert_eq!(agents[0], "Explore");
    assert!(!agents[1].as_str().unwrap().contains('\u{1b}'), "{agents:?}");
    assert_eq!((&agents[2], &agents[3]), (&json!("Explore"), &Value::Null));
}

#[test]
fn a_patch_has_one_line_for_all_its_files() {
    let world = World::new();
    let patch =
        "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: .env\n*** Delete File: Dockerfile\n*** End Patch\n";
    let payload = json!({ "cwd": world.repo(), "tool_name": "apply_patch", "tool_input": { "command": patch } });
    assert_deny(&world.hook(&payload.to_string()), &["'.env'"]);
    let lines = world.audit();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["operation"], ".env");
    assert_eq!(lines[0]["original_tool"], "apply_patch");
    assert_eq!(lines[0]["action"], "block");
}

/// S2-11, S2-74.
#[test]
fn a_setting_moves_the_log_and_its_folder_is_made() {
    let world = World::new();
    world.configure("[audit]\npath = \"~/logs/deep/guardrail.jsonl\"\n");
    assert_ask(&world.bash("git push"), &[]);
    assert!(world.audit().is_empty());
    assert_eq!(std::fs::read_to_string(world.path("logs/deep/guardrail.jsonl")).unwrap().lines().count(), 1);
    let mode = std::fs::metadata(world.path("logs/deep")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700);
}

#[test]
fn a_log_that_cannot_be_written_changes_no_reply() {
    let world = World::new();
    world.write("file", "");
    std::fs::create_dir(world.path("folder")).unwrap();
    for path in ["~/file/audit.jsonl", "~/folder", "/proc/guard-host/audit.jsonl", "/dev/full"] {
        world.configure(&format!("[audit]\npath = \"{path}\"\n"));
        assert_deny(&world.bash("rm -rf /"), &[]);
        assert_ask(&world.bash("git push"), &[]);
        assert_silent(&world.bash("ls"));
    }
}

#[test]
fn a_log_that_is_a_pipe_without_a_reader_holds_nobody_up() {
    let world = World::new();
    assert!(std::process::Command::new("mkfifo").arg(world.path("pipe")).status().unwrap().success());
    world.configure("[audit]\npath = \"~/pipe\"\n");
    assert_silent(&world.bash("ls"));
    assert_deny(&world.bash("rm -rf /"), &[]);
    assert_ask(&world.bash("git push"), &[]);
    // The pending call is written after the log's line: the reader doesn't block it.
    assert!(world.path(".local/state/guard-host/sessions/s1.json").exists());
}

#[test]
fn the_log_is_rotated_at_its_size() {
    let world = World::new();
    world.configure("[audit]\nmax-bytes = 4096\n");
    for _ in 0..30 {
        assert_ask(&world.bash("git push"), &[]);
    }
    let state = world.path(".local/state/guard-host");
    assert!(std::fs::metadata(state.join("audit.jsonl")).unwrap().len() <= 4096);
    assert!(std::fs::metadata(state.join("audit.jsonl.1")).unwrap().len() <= 4096);
}

/// S2-60.
#[test]
fn calls_at_once_leave_whole_lines() {
    let world = World::new();
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| (0..5).for_each(|_| assert_ask(&world.bash("git push"), &[])));
        }
    });
    let lines = world.audit();
    assert_eq!(lines.len(), 50);
    let ids: BTreeSet<&str> = lines.iter().filter_map(|line| line["id"].as_str()).collect();
    assert_eq!(ids.len(), 50);
}

#[test]
fn nothing_in_a_line_moves_the_cursor_of_its_reader() {
    let world = World::new();
    world.configure("[audit]\nlevel = \"all\"\n");
    let text = "git push # \u{1b}[2J\u{202e}\r\u{7}";
    for payload in [
        json!({ "tool_name": "Bash", "tool_input": { "command": text } }),
        json!({ "tool_name": "Bash", "session_id": text, "tool_input": { "command": "git push" } }),
        json!({ "tool_name": "Bash", "cwd": format!("/{text}"), "tool_input": { "command": "git push" } }),
        json!({ "tool_name": format!("mcp__{text}"), "tool_input": {} }),
    ] {
        let ended = world.hook(&payload.to_string());
        let log = std::fs::read_to_string(world.path(".local/state/guard-host/audit.jsonl")).unwrap();
        for text in [&ended.stdout, &ended.stderr, &log] {
            let shown = text.contains(['\u{1b}', '\u{202e}', '\r', '\u{7}']) || text.contains("\\u001b");
            assert!(!shown, "{payload}: {text:?}");
        }
    }
}

#[test]
fn a_line_has_a_bound() {
    let world = World::new();
    let long = "x".repeat(1 << 20);
    for payload in [
        json!({ "tool_name": "Bash", "tool_input": { "command": format!("git push origin {long}") } }),
        json!({ "session_id": long, "tool_name": "Bash", "tool_input": { "command": "git push" } }),
    ] {
        let payload = payload.to_string();
        assert_ne!(world.hook(&payload).decision(), "");
    }
    let log = std::fs::read_to_string(world.path(".local/state/guard-host/audit.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 2);
    assert!(log.lines().all(|line| line.len() <= 64 << 10), "{:?}", log.lines().map(str::len).collect::<Vec<_>>());
}
