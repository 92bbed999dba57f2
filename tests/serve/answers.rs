//! The answer to a posted payload: the hook's output, for as long as the server runs.

use serde_json::{Value, json};

use super::client::{Server, bash};
use crate::support::guests;
use crate::support::reply::{assert_ask, assert_silent};
use crate::support::terminal;
use crate::support::world::World;

#[test]
fn the_answer_is_what_the_hook_prints() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    let end = json!({ "hook_event_name": "SessionEnd", "session_id": "s1" }).to_string();
    let after = json!({ "hook_event_name": "PostToolUse", "session_id": "s1", "tool_name": "Bash" }).to_string();
    let payloads = ["ls", "rm -rf /", "git push", "python3 -c 'import os; os.remove(\"/etc/passwd\")'"];
    for payload in payloads.map(|command| bash(&world, command)).into_iter().chain([end, after]) {
        for path in ["/hook", "/hook/claude"] {
            // The third denial of a session is reported, by the hook or the server.
            let _ = std::fs::remove_dir_all(world.path(".local/state/guard-host/history"));
            let (hook, answered) = (world.hook(&payload), server.post(path, &payload));
            assert_eq!((answered.status, answered.header("content-type")), (200, Some("application/json")));
            assert_eq!((answered.ended().exit, &answered.body), (hook.exit, &hook.stdout), "{payload}");
        }
    }
    assert_eq!(server.end(), (Some(0), String::new()));
}

#[test]
fn a_harness_that_heeds_exit_codes_finds_them() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    let payload = json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": world.repo(), "tool_name": "Shell",
        "tool_input": { "command": "rm -rf /" },
    })
    .to_string();
    let (hook, answered) = (world.run(&["hook", "kimi"], &payload), server.post("/hook/kimi", &payload));
    assert_eq!((hook.exit, hook.stdout.as_str()), (2, ""));
    assert_eq!((answered.status, answered.header("x-guard-host-exit")), (200, Some("2")));
    let body: Value = serde_json::from_str(&answered.body).unwrap();
    assert_eq!(body, json!({ "exit": 2, "stderr": hook.stderr }));
}

#[test]
fn what_cannot_be_read_is_no_verdict_or_one_that_holds() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let deep = format!("{{\"tool_name\":\"Bash\",\"tool_input\":{deep}}}");
    let texts = [
        "",
        "{oops",
        "[]",
        "null",
        "{\"tool_name\":3,\"tool_input\":{\"command\":\"ls\"}}",
        "\u{0}",
        deep.as_str(),
        "{\"command\":\"x\",\"a\":1e999}",
    ];
    for path in ["/hook/claude", "/hook/codex", "/hook/gemini", "/hook/cursor", "/hook/generic", "/hook/qwen"] {
        for text in texts {
            let hook = world.run(&["hook", path.trim_start_matches("/hook/")], text);
            let answered = server.post(path, text);
            assert_eq!(answered.ended().exit, hook.exit, "{path} {text}: {answered:?}");
            if hook.exit == 1 {
                assert_eq!(answered.status, 400, "{answered:?}");
            } else {
                assert_eq!((answered.status, &answered.body), (200, &hook.stdout), "{path} {text}");
            }
        }
    }
    let raw = server.ask("POST", "/hook", Some(&format!("Bearer {}", server.token)), b"\xff\xfe{");
    assert_eq!(raw.status, 400, "{raw:?}");
    assert_eq!(server.bash(&world, "rm -rf /").decision(), "deny");
}

#[test]
fn a_change_of_the_configuration_counts_at_the_next_call() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    assert_eq!(server.bash(&world, "git push").decision(), "ask");
    assert_silent(&server.bash(&world, "ls").ended());
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings = { raise = [\"git-push\"] }\n");
    assert_eq!(server.bash(&world, "git push").decision(), "deny");
    world.write(
        "repo/.guard/guard.toml",
        "[[policy]]\nname = \"command-guard\"\nsettings = { deny-patterns = [\"ls\"] }\n",
    );
    assert_ne!(server.bash(&world, "ls").decision(), "", "the project's file counts");
    world.configure("oops");
    let broken = server.bash(&world, "echo");
    assert_ask(&broken.ended(), &["guard.toml"]);
    let health: Value = serde_json::from_str(&server.ask("GET", "/health", None, b"").body).unwrap();
    assert_eq!(health["config_problems"], 1, "{health}");
    world.configure("");
    std::fs::remove_file(world.path("repo/.guard/guard.toml")).unwrap();
    assert_eq!(server.bash(&world, "git push").decision(), "ask");
    assert_silent(&server.bash(&world, "ls").ended());
}

#[test]
fn a_person_confirms_what_the_server_asked_about() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    // The prompt is recorded with its answer.
    assert_eq!(server.bash(&world, "git push").decision(), "ask");
    let ended = terminal::attended(&world, &["confirm", "git push"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_eq!(server.bash(&world, "git push").reason(), "confirmed in this session");
    assert_eq!(world.bash("git push").reason(), "confirmed in this session", "the hook knows it, too");
    assert_eq!(server.bash(&world, "git push -f origin main").decision(), "deny");
    let end = json!({ "hook_event_name": "SessionEnd", "session_id": "s1", "cwd": world.repo() }).to_string();
    assert_silent(&server.post("/hook/claude", &end).ended());
    assert_eq!(server.bash(&world, "git push").decision(), "ask");
}

#[test]
fn a_policy_that_is_not_compiled_yet_is_compiled_beside_and_answers_soon() {
    let world = World::new();
    guests::configure(&world, &["shell"], "");
    let server = Server::start(&world, &[]);
    assert_ask(&server.bash(&world, "ls").ended(), &["[shell: policy-fault]"]);
    let until = std::time::Instant::now() + crate::support::world::PATIENCE;
    while !server.bash(&world, "ls").reason().contains("[shell: known]") {
        assert!(std::time::Instant::now() < until, "{:?}", server.bash(&world, "ls"));
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn variables_of_another_agents_session_do_not_count() {
    let world = World::new();
    let other = world.path("other");
    std::fs::create_dir_all(other.join(".git")).unwrap();
    world.write(
        "other/.guard/guard.toml",
        "[[policy]]\nname = \"command-guard\"\nsettings = { deny-patterns = [\"ls\"] }\n",
    );
    let mut command = world.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("CLAUDE_PROJECT_DIR", &other);
    let server = Server::of(command, &world);
    assert_silent(&server.bash(&world, "ls").ended());
    // Without the agent's variables, it is unknown whether a person can be prompted, so the reply denies.
    let payload = json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": world.repo(), "permission_mode": "auto-low",
        "tool_name": "Execute", "tool_input": { "command": "git push" },
    });
    assert_eq!(server.post("/hook/droid", &payload.to_string()).decision(), "deny");
}
