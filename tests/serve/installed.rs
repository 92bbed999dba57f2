//! `install claude --http`: Claude Code's registration for a server, and `doctor`'s checks of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::client::Server;
use crate::support::texts::{Transcript, lines_about, normalize};
use crate::support::world::{World, end};
use crate::texts::assert_text;

const SETTINGS: &str = ".claude/settings.json";

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

#[test]
fn the_entry_holds_the_address_and_the_token() {
    let world = World::new();
    let other = json!({ "type": "http", "url": "http://127.0.0.1:5555/hook/claude", "headers": { "X": "y" } });
    let original =
        format!("{{\n  \"model\": \"opus\",\n  \"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{other}]}}]}}\n}}\n");
    let file = world.write(SETTINGS, &original);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let mut printed = done(&world, &["install", "claude", "--http", "--dry-run"]);
    let token_file = world.path(".local/state/guard-host/serve.token");
    assert!(printed.contains("127.0.0.1:8273") && !token_file.exists(), "{printed}");
    assert_eq!(fs::read_to_string(&file).unwrap(), original);

    printed += &done(&world, &["install", "claude", "--http"]);
    assert_text!("install_http", normalize(&world, &printed));
    let token = fs::read_to_string(&token_file).unwrap();
    let asked = |address: &str, timeout| {
        json!({ "type": "http", "url": format!("http://{address}/hook/claude"), "timeout": timeout,
                "headers": { "Authorization": format!("Bearer {}", token.trim()) } })
    };
    let wanted = |address: &str| {
        let mut wanted = asked(address, 20);
        wanted["onFailure"] = json!("block");
        wanted
    };
    assert_eq!(handlers(&settings(&world), "PreToolUse"), [other.clone(), wanted("127.0.0.1:8273")]);
    for event in ["PostToolUse", "SessionEnd"] {
        assert_eq!(handlers(&settings(&world), event), [asked("127.0.0.1:8273", 5)], "{event}");
    }
    // It now contains a secret.
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let before = fs::read_to_string(&file).unwrap();
    done(&world, &["install", "claude", "--http"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    done(&world, &["install", "claude", "--http=[::1]:9000"]);
    assert_eq!(handlers(&settings(&world), "PreToolUse"), [other.clone(), wanted("[::1]:9000")]);
    // A script for one policy replaces less than the server, so the server stays.
    done(&world, &["install", "claude", "--shim", "w.sh", "--only", "write-control"]);
    let [_, http, script] = handlers(&settings(&world), "PreToolUse").try_into().unwrap();
    assert!(http == wanted("[::1]:9000") && script["command"].as_str().unwrap().contains("w.sh"), "{script}");
    // The usual hook replaces both, and the server replaces the hook.
    done(&world, &["install", "claude"]);
    let [_, command] = handlers(&settings(&world), "PreToolUse").try_into().unwrap();
    assert_eq!(command["type"], "command");
    done(&world, &["install", "claude", "--http"]);
    assert_eq!(handlers(&settings(&world), "PreToolUse"), [other, wanted("127.0.0.1:8273")]);
    done(&world, &["uninstall", "claude"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), original);
}

#[test]
fn a_server_elsewhere_is_told_as_it_is_started() {
    let world = World::new();
    let printed = done(
        &world,
        &["--state", "/tmp/../tmp/guard-state-x", "install", "claude", "--http=127.0.0.1:9000", "--dry-run"],
    );
    assert!(!printed.contains("guard-state-x/serve.token"), "{printed}");
    let state = world.path("my state");
    let state = state.to_str().unwrap();
    let printed = done(&world, &["--state", state, "install", "claude", "--http=127.0.0.1:9000"]);
    assert!(printed.contains("127.0.0.1:9000"), "{printed}");
    assert_text!("install_http_state", normalize(&world, &printed));
    assert!(world.path("my state/serve.token").exists());
}

#[test]
fn the_token_gets_into_no_file_behind_a_link() {
    let world = World::new();
    let target = world.write("dotfiles/settings.json", "{}\n");
    fs::create_dir_all(world.path(".claude")).unwrap();
    std::os::unix::fs::symlink(&target, world.path(SETTINGS)).unwrap();
    let ended = world.run(&["install", "claude", "--http"], "");
    assert_text!("install_http_link", &world, 69, ended);
    assert_eq!(fs::read_to_string(&target).unwrap(), "{}\n");
    done(&world, &["install", "claude"]);
}

#[test]
fn what_makes_no_sense_with_it_is_refused() {
    let world = World::new();
    let mut transcript = Transcript::default();
    for arguments in [
        &["claude", "--http=192.0.2.1:8273"][..],
        &["claude", "--http=127.0.0.1:0"],
        &["claude", "--http=localhost"],
        &["codex", "--http"],
        &["claude", "--http", "--shared"],
        &["claude", "--http", "--only", "command-guard"],
        &["claude", "--http", "--fail-open"],
    ] {
        transcript.add(&world, 64, &world.run(&[&["install"], arguments].concat(), ""));
    }
    assert_text!("install_http_refused", transcript.0);
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
    let mut transcript = Transcript::default();
    transcript.add(&world, 64, &ended);
    assert!(!world.path(SETTINGS).exists());
    let server = Server::start(&world, &[]);
    assert_eq!(run(&["install", "claude", &format!("--http={}", server.address)], "2.1.295").exit, 0);
    assert_eq!(run(&["doctor", "claude"], "2.1.295").exit, 0);
    let ended = run(&["doctor", "claude"], "2.0.9");
    assert_eq!(ended.exit, 69, "{ended:?}");
    transcript.0 += &normalize(&world, &lines_about(&ended.stdout, "2.0.9"));
    assert_text!("install_http_version", transcript.0);
}

#[test]
fn doctor_asks_the_server() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    done(&world, &["install", "claude", &format!("--http={}", server.address)]);
    let printed = done(&world, &["doctor", "claude"]);
    let said = |printed: &str| {
        normalize(
            &world,
            &["ok       canary: the server", "a call takes", "problem "]
                .map(|words| lines_about(printed, words))
                .concat(),
        )
    };
    let mut all = said(&printed);
    let file = world.path(SETTINGS);
    let text = fs::read_to_string(&file).unwrap();
    let doctor = |text: &str| {
        fs::write(&file, text).unwrap();
        let ended = world.run(&["doctor", "claude"], "");
        assert_eq!(ended.exit, 69, "{ended:?}");
        said(&ended.stdout)
    };
    all += &doctor(&text.replace(&server.token, "wrong-token-wrong-token"));
    all += &doctor(&text.replace("\"onFailure\": \"block\"", "\"statusMessage\": \"x\""));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    all += &doctor(&text);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    drop(server);
    assert_text!("doctor_server", all + &doctor(&text));
}
