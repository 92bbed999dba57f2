//! `audit verify`: a log that many processes wrote, some of which were killed, is complete, and every edit is found.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::reply::assert_ask;
use crate::support::terminal::attended_by;
use crate::support::texts::{Transcript, normalize, normalized_output};
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

const LOG: &str = ".local/state/guard-host/audit.jsonl";
const ROTATED: &str = ".local/state/guard-host/audit.jsonl.1";
const LAST: &str = ".local/state/guard-host/audit.jsonl.last";

fn verify(world: &World) -> ProcessOutput {
    world.run(&["audit", "verify"], "")
}

#[track_caller]
fn assert_whole(world: &World, lines: &str) {
    let ended = verify(world);
    assert!(ended.exit == 0 && ended.stdout.starts_with(lines), "{ended:?}");
}

/// Verifies a log that is broken at this line. Returns the output.
#[track_caller]
fn broken(world: &World, file: &str, line: u64) -> String {
    let ended = verify(world);
    let place = format!("HOME/{file}:{line}: ");
    assert!(ended.exit == 1 && normalize(world, &ended.stdout).starts_with(&place), "{place}: {ended:?}");
    normalized_output(world, &ended)
}

fn lines(world: &World, file: &str) -> Vec<String> {
    fs::read_to_string(world.path(file)).unwrap().lines().map(str::to_owned).collect()
}

fn put(world: &World, file: &str, lines: &[String]) {
    world.write(file, lines.iter().map(|line| format!("{line}\n")).collect::<String>());
}

/// Creates a world whose log has this many lines.
fn logged(count: usize) -> World {
    let world = World::new();
    for _ in 0..count {
        assert_ask(&world.bash("git push"), &[]);
    }
    world
}

#[test]
fn each_line_names_what_it_was_judged_by_and_its_place() {
    let world = logged(2);
    let [one, two] = &world.audit()[..] else { panic!("two lines") };
    assert_eq!((&one["n"], &two["n"]), (&json!(1), &json!(2)));
    assert_eq!(one["prev"], "0".repeat(64));
    assert_eq!(one["session"], "s1");
    assert_eq!(one["policies"], two["policies"]);
    assert_eq!(one["policies"].as_str().unwrap().len(), 16);
    world.configure("bypass-ask = \"deny\"\n");
    assert_ask(&world.bash("git push"), &[]);
    assert_ne!(world.audit()[2]["policies"], one["policies"], "another configuration has another digest");
    assert_whole(&world, "whole: 3 lines, number 1 to 3\n");
    let ended = world.run(&["audit", "verify", "--format", "json"], "");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&report["whole"], &report["lines"], &report["line"]), (&json!(true), &json!(3), &Value::Null));
}

/// `docs/audit-log.md` lists every field of a line, and its command runs.
#[test]
fn every_field_is_on_the_page() {
    let world = logged(1);
    let page = fs::read_to_string(crate::support::pages::root().join("docs/audit-log.md")).unwrap();
    for field in world.audit()[0].as_object().unwrap().keys() {
        let rows = page.lines().filter(|line| line.starts_with("| `")).map(|line| line.split('|').nth(1).unwrap());
        assert!(rows.clone().any(|row| row.contains(&format!("`{field}`"))), "{field}");
    }
    assert!(page.contains("\nguard-host audit verify\n"));
    assert_whole(&world, "whole: 1 line");
}

#[test]
fn a_log_of_an_older_version_is_told_and_the_chain_begins_after_it() {
    let world = World::new();
    let missing = world.run(&["audit", "verify"], "");
    assert!(missing.exit == 66 && missing.stderr.contains("there is no audit log"), "{missing:?}");
    let old = r#"{"ts":"2026-01-02T03:04:05.678Z","tool":"Bash","operation":"x","action":"block","rule":"r"}"#;
    put(&world, LOG, &[old.to_owned(), old.to_owned()]);
    assert_ask(&world.bash("git push"), &[]);
    assert_whole(&world, "whole: 1 line, number 1 to 1\n2 lines from before the chain");
    let [_, second, third] = &lines(&world, LOG)[..] else { panic!("three lines") };
    put(&world, LOG, &[second.clone(), third.replace("confirm_required", "allow")]);
    let said = broken(&world, LOG, 2);
    put(&world, LOG, &[third.clone(), second.clone()]);
    assert_text!("verify_before_chain", said + &broken(&world, LOG, 1));
}

#[test]
fn what_was_done_to_a_log_is_named() {
    let world = logged(8);
    let whole = lines(&world, LOG);
    assert_whole(&world, "whole: 8 lines");
    let mut said = String::new();
    let mut edit = |change: &dyn Fn(&mut Vec<String>), line: u64| {
        let mut lines = whole.clone();
        change(&mut lines);
        put(&world, LOG, &lines);
        said += &broken(&world, LOG, line);
    };
    edit(&|lines| lines[3] = lines[3].replace("git push", "git pull"), 4);
    edit(&|lines| drop(lines.remove(3)), 4);
    edit(&|lines| drop(lines.drain(2..5)), 3);
    edit(&|lines| drop(lines.remove(0)), 1);
    edit(&|lines| drop(lines.drain(6..)), 7);
    edit(&|lines| lines.swap(2, 3), 3);
    edit(&|lines| lines.insert(5, lines[4].clone()), 6);
    edit(&|lines| lines.insert(5, "{\"ts\":\"x\",\"action\":\"allow\"}".to_owned()), 6);
    edit(&|lines| lines.insert(5, "noise".to_owned()), 6);
    edit(&|lines| lines.push("noise".to_owned()), 9);
    edit(&|lines| lines[7].truncate(40), 8);
    put(&world, LOG, &whole);
    assert_whole(&world, "whole: 8 lines");
    // Lines removed at the end are still missing after new ones are appended.
    put(&world, LOG, &whole[..6]);
    assert_ask(&world.bash("git push"), &[]);
    said += &broken(&world, LOG, 7);
    put(&world, LOG, &whole);
    fs::remove_file(world.path(LAST)).unwrap();
    said += &broken(&world, LOG, 9);
    assert_ask(&world.bash("git push"), &[]);
    assert_text!("verify", said + &broken(&world, LOG, 9));
}

#[test]
fn a_deleted_log_is_told_before_the_next_call() {
    let world = logged(3);
    fs::remove_file(world.path(LOG)).unwrap();
    assert!(broken(&world, LOG, 1).contains("lines 1 to 3 are missing"));
}

#[test]
fn the_chain_goes_through_rotation() {
    let world = World::new();
    world.configure("[audit]\nmax-bytes = 4096\n");
    for _ in 0..25 {
        assert_ask(&world.bash("git push"), &[]);
    }
    assert_whole(&world, "whole: ");
    let (rotated, present) = (lines(&world, ROTATED), lines(&world, LOG));
    assert!(rotated.len() > 2 && !present.is_empty());
    put(&world, ROTATED, &rotated[1..]);
    broken(&world, ROTATED, 1);
    put(&world, ROTATED, &rotated[..rotated.len() - 1]);
    broken(&world, LOG, 1);
    put(&world, ROTATED, &rotated);
    // The two files are swapped.
    put(&world, ROTATED, &present);
    put(&world, LOG, &rotated);
    assert_eq!(verify(&world).exit, 1);
    put(&world, LOG, &present);
    fs::remove_file(world.path(ROTATED)).unwrap();
    let gone = broken(&world, ROTATED, 1);
    assert!(gone.contains("was deleted or emptied"), "{gone}");
    put(&world, ROTATED, &[]);
    assert_eq!(broken(&world, ROTATED, 1), gone);
    put(&world, ROTATED, &rotated);
    assert_whole(&world, "whole: ");
    fs::remove_file(world.path(LOG)).unwrap();
    assert_eq!(verify(&world).exit, 1);
}

#[test]
fn what_was_half_written_is_no_break() {
    let world = logged(2);
    let path = world.path(LOG);
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"ts\":\"2026").unwrap();
    assert_whole(&world, "whole: 2 lines, number 1 to 2\n1 line left unfinished");
    assert_ask(&world.bash("git push"), &[]);
    assert_whole(&world, "whole: 3 lines, number 1 to 3\n1 line left unfinished");
}

#[test]
fn a_log_that_others_write_to_has_no_chain() {
    use std::os::unix::fs::PermissionsExt;

    let world = World::new();
    world.configure("[audit]\npath = \"~/shared.jsonl\"\n");
    let path = world.write("shared.jsonl", "");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    assert_ask(&world.bash("git push"), &[]);
    assert!(!fs::read_to_string(&path).unwrap().contains("\"prev\""));
    assert_whole(&world, "the audit log has no line with a place in a chain\n1 line from before the chain");
}

#[test]
fn what_is_shipped_shows_that_nothing_is_missing() {
    use sha2::{Digest, Sha256};

    let world = logged(3);
    let lines = lines(&world, LOG);
    for pair in lines.windows(2) {
        let prev: Value = serde_json::from_str(&pair[1]).unwrap();
        assert_eq!(prev["prev"], guard_state::hex(&Sha256::digest(&pair[0])));
    }
}

/// Fifty workers start the hook this many times each, and kill every third process at a random time.
fn write_with_kills(world: &World, rounds: std::ops::Range<u64>) {
    let payload = json!({ "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": "git push" } })
    .to_string();
    let payload = payload.as_str();
    thread::scope(|scope| {
        for worker in 0..50_u64 {
            let rounds = rounds.clone();
            scope.spawn(move || {
                for round in rounds {
                    let mut hook = world.command(&["hook", "claude"]);
                    let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
                    let _ = child.stdin.take().unwrap().write_all(payload.as_bytes());
                    if (worker + round) % 3 == 0 {
                        thread::sleep(Duration::from_millis((worker * 7 + round * 13) % 60));
                        let _ = child.kill();
                    }
                    child.wait().unwrap();
                }
            });
        }
    });
}

/// Returns the indexes of the complete lines.
fn whole_lines(lines: &[String]) -> Vec<usize> {
    let number = |line: &String| serde_json::from_str::<Value>(line).ok()?["n"].as_u64();
    (0..lines.len()).filter(|at| number(&lines[*at]).is_some()).collect()
}

#[test]
fn processes_that_are_killed_leave_a_whole_log() {
    let world = World::new();
    assert_ask(&world.bash("git push"), &[]);
    write_with_kills(&world, 0..4);
    let ended = verify(&world);
    assert_eq!(ended.exit, 0, "{ended:?}");
    let numbers: Vec<u64> = world.audit().iter().filter_map(|line| line["n"].as_u64()).collect();
    assert!(numbers.len() > 100, "{}", numbers.len());
    assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len());
}

/// Changes a log in one of the ways an attacker could, chosen by a random number.
fn edit(lines: &mut Vec<String>, random: &mut impl FnMut(usize) -> usize) -> String {
    let whole = whole_lines(lines);
    let at = whole[random(whole.len())];
    match random(8) {
        0 => {
            // Replaces one character.
            let mut bytes = lines[at].clone().into_bytes();
            let place = random(bytes.len());
            bytes[place] = if bytes[place] == b'x' { b'y' } else { b'x' };
            lines[at] = String::from_utf8_lossy(&bytes).into_owned();
            format!("byte {place} of line {at} is another one")
        }
        1 => {
            lines.remove(at);
            format!("line {at} is gone")
        }
        2 => {
            let count = 1 + random(20);
            let end = (at + count).min(lines.len());
            lines.drain(at..end);
            format!("lines {at} to {end} are gone")
        }
        3 => {
            // Another line than the first.
            let place = whole.iter().position(|place| *place == at).unwrap();
            let other = whole[(place + 1 + random(whole.len() - 1)) % whole.len()];
            lines.swap(at, other);
            format!("lines {at} and {other} are in each other's place")
        }
        4 => {
            let line = lines[at].clone();
            let to = whole[random(whole.len())];
            lines.insert(to, line);
            format!("line {at} is in the log again, as line {to}")
        }
        5 => {
            lines.truncate(at);
            format!("all from line {at} on are gone")
        }
        6 => {
            lines[at] = lines[at].replacen("confirm_required", "allow", 1);
            format!("line {at} says that the call was allowed")
        }
        _ => {
            let line = lines[at].replacen("git push", "git pull", 1);
            lines.insert(at, line);
            format!("a line that was never written is before line {at}")
        }
    }
}

#[test]
// This test takes minutes.
#[ignore = "needs git"]
fn ten_thousand_lines_of_fifty_processes_are_whole_and_two_hundred_edits_are_found() {
    let world = World::new();
    world.configure("[audit]\nmax-bytes = 1000000000\n");
    assert_ask(&world.bash("git push"), &[]);
    let mut round = 0;
    while lines(&world, LOG).len() < 10_000 {
        assert!(round < 2000, "the log doesn't grow");
        write_with_kills(&world, round..round + 40);
        round += 40;
    }
    let ended = verify(&world);
    assert!(ended.exit == 0 && ended.stdout.starts_with("whole: "), "{ended:?}");
    let whole = lines(&world, LOG);
    eprintln!("{} lines after {round} rounds: {}", whole.len(), ended.stdout);
    // A sufficiently random sequence that is the same each time.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for number in 0..200 {
        let mut changed = whole.clone();
        let told = edit(&mut changed, &mut random);
        assert_ne!(changed, whole, "{told}");
        put(&world, LOG, &changed);
        let ended = verify(&world);
        assert_eq!(ended.exit, 1, "edit {number} is not found: {told}: {ended:?}");
    }
    put(&world, LOG, &whole);
    assert_eq!(verify(&world).exit, 0);
}

#[test]
fn lines_of_a_removed_log_are_missing() {
    let world = logged(3);
    fs::remove_file(world.path(LOG)).unwrap();
    assert_ask(&world.bash("git push"), &[]);
    assert_text!("verify_removed", broken(&world, LOG, 1));
}

#[test]
fn a_log_that_is_no_file_is_refused_at_once() {
    let world = logged(1);
    let log = world.path(LOG);
    let mut told = Transcript::default();
    let mut refused = || told.add(&world, 66, &verify(&world));
    fs::remove_file(&log).unwrap();
    for target in ["/dev/null", "/dev/full", "/"] {
        std::os::unix::fs::symlink(target, &log).unwrap();
        refused();
        fs::remove_file(&log).unwrap();
    }
    assert!(std::process::Command::new("mkfifo").arg(&log).status().unwrap().success());
    refused();
    assert_text!("verify_no_file", told.0);
}

#[test]
fn without_its_key_a_log_is_not_accused_and_nothing_is_written() {
    let world = logged(2);
    let state = world.path(".local/state/guard-host");
    fs::remove_file(state.join("mac.key")).unwrap();
    let _ = fs::remove_file(state.join("audit.jsonl.lock"));
    let ended = verify(&world);
    assert!(ended.exit == 66 && ended.stderr.contains("mac.key` is missing"), "{ended:?}");
    assert!(!state.join("mac.key").exists() && !state.join("audit.jsonl.lock").exists());
}

#[test]
#[ignore = "needs mounts"]
fn a_log_on_a_read_only_disk_can_be_verified() {
    let world = logged(2);
    let mut command = std::process::Command::new("unshare");
    let script = "mount --bind \"$HOME\" \"$HOME\" && mount -o remount,bind,ro \"$HOME\" && exec \"$0\" \"$@\"";
    command.args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_guard-host"), "audit", "verify"]);
    command.env_clear().env("HOME", world.home.path()).env("PATH", std::env::var_os("PATH").unwrap());
    let ended = crate::support::world::end(command, "");
    assert!(ended.exit == 0 && ended.stdout.starts_with("whole: 2 lines"), "{ended:?}");
}

#[test]
fn a_person_accepts_a_break_and_later_runs_check_from_there_on() {
    let world = logged(4);
    let mut edited = lines(&world, LOG);
    edited[1] = edited[1].replace("git push", "git pull");
    put(&world, LOG, &edited);
    let told = broken(&world, LOG, 2);
    // Neither an agent nor a script can accept it.
    let refused = world.run(&["audit", "verify", "--accept"], "");
    assert!(refused.exit != 0 && refused.stderr.contains("from a terminal"), "{refused:?}");
    assert_eq!(broken(&world, LOG, 2), told);
    let program = env!("CARGO_BIN_EXE_guard-host");
    let ended = attended_by(&world, program, &["audit", "verify", "--accept"], "n\n");
    assert!(ended.exit == 1 && ended.stdout.contains("nothing was changed"), "{ended:?}");
    let ended = attended_by(&world, program, &["audit", "verify", "--accept"], "y\n");
    assert!(ended.exit == 0 && ended.stdout.contains("whole: 1 line, number 5 to 5"), "{ended:?}");
    let line = world.audit().pop().unwrap();
    assert_eq!((&line["action"], &line["by"]), (&json!("accept"), &json!("person")));
    assert!(line["operation"].as_str().unwrap().contains("audit.jsonl:2: this line was changed"), "{line}");
    assert_ask(&world.bash("git push"), &[]);
    let ended = verify(&world);
    assert!(ended.exit == 0 && ended.stdout.starts_with("whole: 2 lines, number 5 to 6"), "{ended:?}");
    assert!(ended.stdout.contains("where a person accepted this: "), "{ended:?}");
    let json = world.run(&["audit", "verify", "--format", "json"], "").stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json["whole"] == json!(true) && json["accepted"].as_str().unwrap().contains("audit.jsonl:2"), "{json}");
    // A later edit is a new break, after the accepted one as well as before it.
    let whole = lines(&world, LOG);
    for (at, old, new) in [(5, "git push", "git pull"), (2, "git push", "git pull"), (1, "git pull", "git push -f")] {
        let mut edited = whole.clone();
        edited[at] = edited[at].replace(old, new);
        put(&world, LOG, &edited);
        assert_eq!(verify(&world).exit, 1, "{at}");
    }
    put(&world, LOG, &whole);
    assert_eq!(verify(&world).exit, 0);
    // Nothing is left to accept.
    let ended = attended_by(&world, program, &["audit", "verify", "--accept"], "");
    assert!(ended.exit == 0 && ended.stdout.starts_with("whole: 2 lines"), "{ended:?}");
}
