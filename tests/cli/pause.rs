//! `guard-host pause` and `resume`: policies aren't enforced for a while, and replies say so.

use serde_json::json;

use crate::support::reply::{assert_deny, assert_silent, assert_warn};
use crate::support::terminal::{attended, attended_by};
use crate::support::texts::{Transcript, lines_about, normalize, normalized_output};
use crate::support::world::World;
use crate::texts::assert_text;

/// A call that is denied.
const FORCED: &str = "git push --force origin main";

#[test]
fn what_is_paused_runs_is_told_and_is_logged() {
    let world = World::new();
    let ended = attended(&world, &["pause", "10m", "--all"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_text!("pause_all", normalized_output(&world, &ended));
    let mut told = Transcript::default();
    for _ in 0..2 {
        told.warn(&world, &world.bash(FORCED), &["command-guard:force-push-protected"]);
    }
    told.warn(&world, &world.bash("git push"), &["command-guard:git-push"]);
    assert_text!("pause_warnings", told.0);
    assert_silent(&world.bash("ls"));
    let actions: Vec<_> = world.audit().iter().map(|line| (line["action"].clone(), line["rule"].clone())).collect();
    let expected = [
        ("pause", ""),
        ("would-deny", "force-push-protected"),
        ("would-deny", "force-push-protected"),
        ("would-ask", "git-push"),
    ];
    assert_eq!(actions, expected.map(|(action, rule)| (json!(action), json!(rule))));

    // The rules that protect guard-host can't be paused.
    assert_deny(&world.bash("guard-host uninstall claude"), &["[self-protect: guard-command]"]);
    let doctor = lines_about(&world.run(&["doctor"], "").stdout, "pause");
    assert_text!(
        "resume",
        normalize(&world, &doctor) + &normalized_output(&world, &world.run(&["pause", "--end"], ""))
    );
    assert_deny(&world.bash(FORCED), &["[command-guard: force-push-protected]"]);
    assert_eq!(world.audit().iter().filter(|line| line["action"] == json!("resume")).count(), 1);
    assert_text!("resume_again", normalized_output(&world, &world.run(&["pause", "--end"], "")));
}

#[test]
fn a_pause_lifts_asks_and_leaves_denies() {
    let world = World::new();
    let ended = attended(&world, &["pause", "10m"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    let doctor = lines_about(&world.run(&["doctor"], "").stdout, "pause");
    assert_text!("pause_asks", normalized_output(&world, &ended) + &normalize(&world, &doctor));
    assert_warn(&world.bash("git push"), &["command-guard:git-push"]);
    assert_deny(&world.bash(FORCED), &["[command-guard: force-push-protected]"]);
    assert_deny(&world.bash("git push && rm -rf /"), &["[command-guard: rm-root]"]);
    let both = world.run(&["pause", "10m", "--asks", "--all"], "");
    assert_eq!(both.exit, 64, "{both:?}");
}

#[test]
fn only_the_named_policies_are_paused() {
    let world = World::new();
    let ended = attended(&world, &["pause", "1h", "--all", "--only", "protected-files"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_deny(&world.bash(FORCED), &["[command-guard: force-push-protected]"]);
    let payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": { "file_path": ".env", "content": "x" },
    });
    assert_warn(&world.hook(&payload.to_string()), &["protected-files"]);
}

#[test]
fn an_agent_can_neither_pause_nor_write_a_pause() {
    let world = World::new();
    let alone = world.run(&["pause", "10m"], "");
    assert_eq!(alone.exit, 77, "{alone:?}");
    assert_text!("pause_unattended", normalized_output(&world, &alone));
    assert_deny(&world.bash("guard-host pause 10m"), &["[self-protect: guard-command]"]);
    assert_deny(&world.bash("script -qec 'guard-host pause 10m' /dev/null"), &["self-protect"]);
    assert_deny(&world.bash("echo x > ~/.local/state/guard-host/pause.json"), &["self-protect"]);
    let state = world.path(".local/state/guard-host/pause.json");
    std::fs::write(state, r#"{"until":"2999-01-01T00:00:00.000Z","only":[]}"#).unwrap();
    assert_deny(&world.bash(FORCED), &["[command-guard: force-push-protected]"]);
}

#[cfg_attr(portable, ignore = "only Linux shows the variables of the processes above")]
#[test]
fn a_terminal_that_an_agent_made_is_nobodys() {
    let world = World::new();
    let home = format!("HOME={}", world.home.path().display());
    let program = env!("CARGO_BIN_EXE_guard-host");
    // A process can unset its own variables, but not those of its parent.
    let hidden = format!("env -i {home} {program} pause 1m; exit $?");
    let mut shown = Vec::new();
    for arguments in [vec!["CLAUDECODE=1", program, "pause", "1m"], vec!["GEMINI_CLI=1", "sh", "-c", &hidden]] {
        let ended = attended_by(&world, "env", &arguments, "");
        assert_eq!(ended.exit, 77, "{arguments:?} {ended:?}");
        shown.push(normalized_output(&world, &ended));
    }
    assert_text!("pause_by_an_agent", shown.join("\n"));
    let ended = attended_by(&world, "env", &[program, "pause", "1m"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
}

#[test]
fn a_length_or_a_name_that_cannot_be_is_refused() {
    let world = World::new();
    let mut shown = Vec::new();
    for arguments in [
        &["pause", "soon"][..],
        &["pause", "0m"],
        &["pause", "25h"],
        &["pause", "2020-01-01"],
        &["pause", "1h", "--only", "self-protect"],
        &["pause", "1h", "--only", "comand-guard"],
    ] {
        let ended = world.run(arguments, "");
        assert_eq!(ended.exit, 64, "{arguments:?} {ended:?}");
        shown.push(format!("$ {}\n{}", arguments.join(" "), normalized_output(&world, &ended)));
    }
    assert_text!("pause_refused", shown.join("\n"));
}

#[test]
fn a_pause_of_nothing_is_refused() {
    let world = World::new();
    world.configure("preset = \"none\"\n[[policy]]\nname = \"self-protect\"\n");
    let named = world.run(&["pause", "1h", "--only", "self-protect"], "");
    assert!(named.exit == 64 && named.stderr.contains("hint: no policy of the chain can be paused"), "{named:?}");
    assert_text!("pause_of_nothing", &world, 69, world.run(&["pause", "10m"], ""));
}
