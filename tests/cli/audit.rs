//! `audit show` and `audit stats`: filters, both formats, the rotated file, damaged lines, and following a log.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::reply::{assert_ask, assert_deny};
use crate::support::texts::Transcript;
use crate::support::world::{PATIENCE, World, append};
use crate::texts::assert_text;

const LOG: &str = ".local/state/guard-host/audit.jsonl";

fn line(day: u32, action: &str, policy: &str, rule: &str, session: &str) -> String {
    let record = json!({
        "ts": format!("2026-01-{day:02}T03:04:05.678Z"), "tool": "Bash", "operation": format!("op\u{1b}[31m {day}"),
        "action": action, "rule": rule, "path_context": "n/a", "session": session, "policy": policy,
        "rules": [format!("{policy}:{rule}"), "other:also"], "unknown": 1,
    });
    format!("{record}\n")
}

/// Creates a world with a rotated log and a current one, both with damaged lines.
fn world() -> World {
    let world = World::new();
    world.write(
        ".local/state/guard-host/audit.jsonl.1",
        line(1, "block", "command-guard", "rm-root", "s1")
            + "{\"ts\":\"cut\n"
            + &line(2, "confirm_required", "command-guard", "git-push", "s1"),
    );
    world.write(
        LOG,
        line(3, "confirmed_allow", "command-guard", "git-push", "s2")
            + "\u{0}\u{0}\n"
            + &line(4, "block", "protected-files", "secret-file", "s2"),
    );
    world
}

fn days(world: &World, filters: &[&str]) -> Vec<String> {
    let ended = world.run(&[&["audit", "show", "--format", "json"], filters].concat(), "");
    assert_eq!(ended.exit, 0, "{filters:?}: {ended:?}");
    let lines = ended.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| line["ts"].as_str().unwrap().chars().nth(9).unwrap().to_string()).collect()
}

#[test]
fn show_goes_through_both_files_and_filters() {
    let world = world();
    for (filters, expected) in [
        (&[][..], &["1", "2", "3", "4"][..]),
        (&["--policy", "protected-files"], &["4"]),
        (&["--policy", "other"], &["1", "2", "3", "4"]),
        (&["--rule", "git-push"], &["2", "3"]),
        (&["--action", "block"], &["1", "4"]),
        (&["--action", "confirmed_allow"], &["3"]),
        (&["--session", "s2"], &["3", "4"]),
        (&["--tool", "Write"], &[]),
        (&["--since", "2026-01-02T00:00Z", "--until", "2026-01-03T23:00Z"], &["2", "3"]),
        (&["--since", "1h"], &[]),
        (&["--last", "1"], &["4"]),
        (&["--last", "0"], &[]),
        (&["--rule", "git-push", "--session", "s1"], &["2"]),
    ] {
        assert_eq!(days(&world, filters), expected, "{filters:?}");
    }
}

#[test]
fn show_prints_a_line_for_people_and_the_whole_record_for_machines() {
    let world = world();
    assert_text!("audit_show", &world, 0, world.run(&["audit", "show", "--last", "1"], ""));
    let ended = world.run(&["audit", "show", "--last", "1", "--format", "json"], "");
    assert_eq!(serde_json::from_str::<Value>(&ended.stdout).unwrap()["unknown"], 1);
}

#[test]
fn stats_count_by_policy_rule_and_day_with_what_was_let_pass() {
    let world = world();
    let ended = world.run(&["audit", "stats", "--format", "json"], "");
    let stats: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&stats["lines"], &stats["damaged"]), (&json!(4), &json!(2)));
    assert_eq!(stats["actions"], json!({ "block": 2, "confirm_required": 1, "confirmed_allow": 1 }));
    assert_eq!(stats["policies"]["protected-files"], json!({ "block": 1 }));
    assert_eq!(stats["rules"]["command-guard:git-push"], json!({ "confirm_required": 1, "confirmed_allow": 1 }));
    assert_eq!(stats["days"]["2026-01-01"], json!({ "block": 1 }));
    assert_eq!(stats["overrides"], json!({ "command-guard:git-push": 1 }));
    assert_text!("audit_stats", &world, 0, world.run(&["audit", "stats", "--policy", "command-guard"], ""));
}

#[test]
fn what_the_hook_writes_is_shown() {
    let world = World::new();
    assert_ask(&world.bash("git push"), &[]);
    assert_deny(&world.bash("rm -rf /"), &[]);
    assert_text!("audit_show_hook", &world, 0, world.run(&["audit", "show", "--since", "1h"], ""));
}

#[test]
fn a_log_that_is_not_there_is_empty_and_one_that_is_no_file_an_error() {
    let world = World::new();
    let mut transcript = Transcript::default();
    transcript.add(&world, 0, &world.run(&["audit", "show"], ""));
    transcript.add(&world, 0, &world.run(&["audit", "stats"], ""));
    std::fs::create_dir_all(world.path(LOG)).unwrap();
    transcript.add(&world, 66, &world.run(&["audit", "show"], ""));
    assert_text!("audit_none", transcript.0);
}

#[test]
fn a_followed_log_goes_on_through_a_rotation() {
    let world = World::new();
    let path = world.write(LOG, line(1, "block", "p", "r", "s"));
    let mut command = world.command(&["audit", "show", "--follow", "--action", "block"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert!(next().starts_with("2026-01-01"));
    append(&path, &line(2, "warn", "p", "r", "s"));
    append(&path, &line(3, "block", "p", "r", "s"));
    assert!(next().starts_with("2026-01-03"));
    std::fs::rename(&path, world.path(&format!("{LOG}.1"))).unwrap();
    std::fs::write(&path, line(4, "block", "p", "r", "s")).unwrap();
    assert!(next().starts_with("2026-01-04"));
    drop(lines);
    // Without a reader, it ends at its next line.
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < PATIENCE, "it goes on without a reader");
        append(&path, &line(5, "block", "p", "r", "s"));
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
