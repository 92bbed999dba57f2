//! `install claude --http`: what Claude Code asks, and what decides where the server does not.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Server, bash};
use crate::support::reply::{assert_deny, assert_silent};
use crate::support::world::{Ended, World, end};

const SETTINGS: &str = ".claude/settings.json";

/// How Claude Code tells its version to a hook: one that blocks the call when an HTTP hook fails, and one that does not.
const BLOCKS: &str = "claude-code_2-1-295_harness";
const RUNS: &str = "claude-code_2-1-294_harness";

#[track_caller]
fn done(world: &World, arguments: &[&str]) -> String {
    let ended = world.run(arguments, "");
    assert_eq!(ended.exit, 0, "{arguments:?}: {ended:?}");
    ended.stdout
}

fn settings(world: &World) -> Value {
    serde_json::from_str(&fs::read_to_string(world.path(SETTINGS)).unwrap()).unwrap()
}

fn handlers(settings: &Value, event: &str) -> Vec<Value> {
    let groups = settings["hooks"][event].as_array().cloned().unwrap_or_default();
    groups.iter().flat_map(|group| group["hooks"].as_array().cloned().unwrap_or_default()).collect()
}

/// The handler that starts a process, started as this version of Claude Code does.
fn start(world: &World, version: Option<&str>, payload: &str) -> Ended {
    let [command] = handlers(&settings(world), "PreToolUse")
        .into_iter()
        .filter(|it| it["type"] == "command")
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    let mut start = Command::new("/bin/sh");
    start.args(["-c", command["command"].as_str().unwrap()]).env_clear().current_dir(world.repo());
    start.env("HOME", world.path("")).env("PATH", "/usr/bin:/bin").env("CLAUDE_CODE_ENTRYPOINT", "cli");
    start.envs(version.map(|version| ("AI_AGENT", version)));
    end(start, payload)
}

#[test]
fn the_entry_holds_the_address_the_token_and_a_hook_beside_it() {
    let world = World::new();
    let original = "{\n  \"model\": \"opus\",\n  \"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"http\", \"url\": \"http://127.0.0.1:9/other\"}]}]}\n}\n";
    let file = world.write(SETTINGS, original);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let printed = done(&world, &["install", "claude", "--http", "--dry-run"]);
    assert!(
        printed.contains("Bearer TOKEN") && !world.path(".local/state/guard-host/serve.token").exists(),
        "{printed}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), original);

    let printed = done(&world, &["install", "claude", "--http"]);
    assert!(printed.contains("guard-host serve"), "{printed}");
    let token = fs::read_to_string(world.path(".local/state/guard-host/serve.token")).unwrap();
    let [other, command, http] = handlers(&settings(&world), "PreToolUse").try_into().unwrap();
    assert_eq!(other["url"], "http://127.0.0.1:9/other");
    let asked = |timeout| {
        json!({ "type": "http", "url": "http://127.0.0.1:8273/hook/claude", "timeout": timeout,
                "headers": { "Authorization": format!("Bearer {}", token.trim()) } })
    };
    let mut wanted = asked(20);
    wanted["onFailure"] = json!("block");
    assert_eq!(http, wanted);
    assert!(command["command"].as_str().unwrap().contains(" hook claude --beside-server ||"), "{command}");
    assert_eq!(command["onFailure"], "block");
    for event in ["PostToolUse", "SessionEnd"] {
        assert_eq!(handlers(&settings(&world), event), [asked(5)], "{event}");
    }
    // It holds a secret now.
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let before = fs::read_to_string(&file).unwrap();
    done(&world, &["install", "claude", "--http"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    done(&world, &["install", "claude", "--http=[::1]:9000"]);
    let [_, _, http] = handlers(&settings(&world), "PreToolUse").try_into().unwrap();
    assert_eq!(http["url"], "http://[::1]:9000/hook/claude");
    // Either form takes the other one's place.
    done(&world, &["install", "claude"]);
    assert!(!fs::read_to_string(&file).unwrap().contains("/hook/claude"));
    assert_eq!(handlers(&settings(&world), "PreToolUse").len(), 2);
    done(&world, &["install", "claude", "--http"]);
    assert_eq!(fs::read_to_string(&file).unwrap().matches("guard-host").count(), before.matches("guard-host").count());
    done(&world, &["uninstall", "claude"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), original);
}

#[test]
fn what_makes_no_sense_with_it_is_refused() {
    let world = World::new();
    for (arguments, text) in [
        (&["claude", "--http=192.0.2.1:8273"][..], "not an address and port of this machine alone"),
        (&["claude", "--http=127.0.0.1:0"], "not an address and port of this machine alone"),
        (&["codex", "--http"], "is for claude"),
        (&["claude", "--http", "--shared"], "cannot be used with"),
        (&["claude", "--http", "--only", "command-guard"], "cannot be used with"),
        (&["claude", "--http", "--fail-open"], "cannot be used with"),
    ] {
        let ended = world.run(&[&["install"], arguments].concat(), "");
        assert!(ended.exit == 64 && ended.stderr.contains(text), "{arguments:?}: {ended:?}");
    }
    assert!(!world.path(SETTINGS).exists() && !world.path(".local/state/guard-host/serve.token").exists());
}

#[test]
fn a_version_that_closes_no_http_hook_is_refused() {
    let world = World::new();
    let claude = world.write("bin/claude", "#!/bin/sh\necho \"$(cat \"$HOME/version\") (Claude Code)\"\n");
    fs::set_permissions(&claude, fs::Permissions::from_mode(0o755)).unwrap();
    let run = |arguments: &[&str], version: &str| {
        world.write("version", version);
        let mut command = world.command(arguments);
        command.env("PATH", format!("{}:/usr/bin:/bin", claude.parent().unwrap().display()));
        end(command, "")
    };
    let ended = run(&["install", "claude", "--http"], "2.1.294");
    assert!(
        ended.exit == 64 && ended.stderr.contains("`claude` is version 2.1.294; `--http` needs 2.1.295"),
        "{ended:?}"
    );
    assert!(!world.path(SETTINGS).exists());
    let server = Server::start(&world, &[]);
    assert_eq!(run(&["install", "claude", &format!("--http={}", server.address)], "2.1.295").exit, 0);
    assert_eq!(run(&["doctor", "claude"], "2.1.295").exit, 0);
    let ended = run(&["doctor", "claude"], "2.0.9");
    assert!(ended.exit == 69 && ended.stdout.contains("version 2.0.9"), "{ended:?}");
}

#[test]
fn the_hook_beside_it_decides_unless_the_server_does() {
    let world = World::new();
    done(&world, &["install", "claude", "--http"]);
    let payload = bash(&world, "rm -rf /");
    // No server has ever run.
    assert_deny(&start(&world, Some(BLOCKS), &payload), &[]);
    let mut server = Server::start(&world, &[]);
    assert_silent(&start(&world, Some(BLOCKS), &payload));
    assert_silent(&start(&world, Some("claude-code_3-0-0_agent"), &payload));
    // A payload that fills the pipe is no reason to fail.
    assert_silent(&start(&world, Some(BLOCKS), &bash(&world, &"#".repeat(1 << 20))));
    // Nothing closes an HTTP hook that fails in these, so its answer is not relied on.
    for version in [Some(RUNS), Some("claude-code"), Some("claude-code_9"), Some("other_9-9-9"), Some(""), None] {
        assert_deny(&start(&world, version, &payload), &[]);
    }
    server.signal("-KILL");
    let _ = server.child.wait();
    assert_deny(&start(&world, Some(BLOCKS), &payload), &[]);
}

#[test]
fn a_hook_that_looks_for_a_server_is_in_no_servers_way() {
    let world = World::new();
    done(&world, &["install", "claude", "--http"]);
    Server::start(&world, &[]).end();
    let lock = fs::File::open(world.path(".local/state/guard-host/serve.lock")).unwrap();
    lock.lock().unwrap();
    let starting = std::thread::scope(|scope| {
        let starting = scope.spawn(|| Server::start(&world, &[]));
        std::thread::sleep(Duration::from_millis(200));
        drop(lock);
        starting.join().unwrap()
    });
    assert_eq!(starting.bash(&world, "rm -rf /").decision(), "deny");
}

#[test]
fn doctor_asks_the_server() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    done(&world, &["install", "claude", &format!("--http={}", server.address)]);
    let printed = done(&world, &["doctor", "claude"]);
    assert!(printed.contains("`rm -rf /` by the server in `"), "{printed}");
    assert!(printed.contains("`rm -rf /` by the command in `"), "{printed}");

    let file = world.path(SETTINGS);
    let text = fs::read_to_string(&file).unwrap();
    let doctor = |text: &str| {
        fs::write(&file, text).unwrap();
        let ended = world.run(&["doctor", "claude"], "");
        assert_eq!(ended.exit, 69, "{ended:?}");
        ended.stdout
    };
    let printed = doctor(&text.replace(&server.token, "wrong-token-wrong-token"));
    assert!(printed.contains("does not answer: status 401"), "{printed}");
    let printed = doctor(&text.replace("\"onFailure\": \"block\"", "\"statusMessage\": \"x\""));
    assert!(printed.contains("`onFailure` is gone"), "{printed}");
    drop(server);
    let printed = doctor(&text);
    assert!(printed.contains("does not answer") && printed.contains("start `guard-host serve`"), "{printed}");
}
