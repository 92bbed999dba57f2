//! `guard-host audit watch`: the log on a terminal.

use serde_json::json;

use crate::support::terminal::attended_by;
use crate::support::world::World;
use crate::texts::assert_text;

#[test]
fn the_last_call_is_shown_with_its_commands_and_why() {
    let world = World::new();
    world.bash("git push --force origin main");
    let line = json!({ "ts": "2026-01-02T03:04:05.678Z", "tool": "Bash", "action": "confirm_required", "id": "x",
        "operation": "rm -rf src && echo \u{1b}[2Jgone \u{202e}txt", "cwd": world.repo(), "harness": "codex",
        "rules": ["command-guard:rm-recursive-force"] });
    let log = world.path(".local/state/guard-host/audit.jsonl");
    let before = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, format!("{before}{line}\n")).unwrap();
    let program = env!("CARGO_BIN_EXE_guard-host");
    let watch = format!("stty rows 40 cols 160; exec '{program}' watch");
    let ended = attended_by(&world, "/bin/sh", &["-c", &watch], "q");
    assert_eq!(ended.exit, 0, "{ended:?}");
    // In place of a space, the cursor is moved.
    for part in ["1 denied, 1 asked about", "--force", "codex", "fs.delete.recursive", "rm-recursive-force]"] {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    // It restores the screen, and control characters in calls are escaped.
    assert!(ended.stdout.contains("\u{1b}[?1049h") && ended.stdout.contains("\u{1b}[?1049l"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("\u{1b}[2Jgone") && !ended.stdout.contains('\u{202e}'), "{}", ended.stdout);
}

#[test]
fn without_a_terminal_it_names_what_prints_lines() {
    let world = World::new();
    assert_text!("watch_unattended", &world, 64, world.run(&["audit", "watch"], ""));
}
