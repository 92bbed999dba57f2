//! The end of a session, and the commands that show and clear it.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::{assert_confirmed, bash_in, file, pushed};
use crate::support::reply::{assert_ask, assert_silent};
use crate::support::texts::Transcript;
use crate::support::world::World;
use crate::texts::assert_text;

fn end(world: &World, session: &str) {
    let payload =
        json!({ "session_id": session, "cwd": world.repo(), "hook_event_name": "SessionEnd", "reason": "other" });
    assert_silent(&world.hook(&payload.to_string()));
}

#[test]
fn s2_58_the_end_of_a_session_forgets_it() {
    let world = pushed();
    assert_ask(&bash_in(&world, "s2", "default", "git push"), &[]);
    let other = world.path(".local/state/guard-host/sessions/s2.json");
    end(&world, "s3");
    assert_confirmed(&world.bash("git push"), "confirmed in this session");
    end(&world, "s1");
    assert!(!world.path(".local/state/guard-host/sessions/s1.json").exists());
    assert!(other.exists(), "the other session goes on");
    assert_ask(&world.bash("git push"), &[]);
}

#[test]
fn s2_58_the_end_is_quiet_with_and_without_a_session() {
    let world = World::new();
    assert_silent(&world.hook("{\"hook_event_name\":\"SessionEnd\"}"));
    assert!(!world.path(".local/state/guard-host/sessions").exists());
    assert_ask(&world.bash("git push"), &[]);
    end(&world, "s1");
}

#[test]
fn s2_58_what_is_a_day_old_counts_no_more_and_is_removed_by_the_way() {
    let world = pushed();
    let path = world.path(".local/state/guard-host/sessions/s1.json");
    let mut old = file(&world);
    old["confirmed"][0]["expires"] = json!(jiff::Timestamp::now().to_string());
    std::fs::write(&path, old.to_string()).unwrap();
    assert_ask(&world.bash("git push"), &[]);
    assert_eq!(file(&world)["confirmed"], json!([]));
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(25 * 3600)).unwrap();
    end(&world, "s2");
    assert!(!path.exists());
}

#[test]
fn s2_73_a_script_can_forget_sessions() {
    let world = pushed();
    assert_ask(&bash_in(&world, "s2", "default", "git push"), &[]);
    assert_eq!(world.run(&["session", "clear", "--session", "s2", "--yes"], "").exit, 0);
    assert_confirmed(&world.bash("git push"), "confirmed in this session");
    assert_eq!(world.run(&["session", "clear", "--yes"], "").stdout, "cleared 1 sessions\n");
    assert_ask(&world.bash("git push"), &[]);
}

#[test]
fn s2_73_the_file_of_the_seed_is_cleared_too() {
    let world = World::new();
    world.configure("[session]\nfile = \"~/.claude/state/guardrail-session.json\"\n");
    for session in ["s1", "s2"] {
        assert_ask(&bash_in(&world, session, "default", "git push"), &[]);
    }
    let path = world.path(".claude/state/guardrail-session.json");
    end(&world, "s1");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("\"s1\"") && text.contains("\"s2\""), "{text}");
    end(&world, "s2");
    assert!(!path.exists());
    assert_ask(&world.bash("git push"), &[]);
    assert_eq!(world.run(&["session", "clear", "--yes"], "").exit, 0);
    assert!(!path.exists());
}

#[test]
fn the_list_shows_what_was_asked_and_confirmed_by_session() {
    let world = pushed();
    assert_ask(&bash_in(&world, "s2", "default", "git push origin x"), &[]);
    let ended = world.run(&["session", "list"], "");
    assert_text!("session_list", &world, 0, ended);
    let ended = world.run(&["session", "list", "--format", "json"], "");
    let list: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&list["confirmed"][0]["session"], &list["pending"][0]["session"]), (&json!("s1"), &json!("s2")));
    assert_eq!(World::new().run(&["session", "list"], "").stdout, "nothing was asked or confirmed\n");
}

#[test]
fn nothing_in_a_list_moves_the_cursor_of_its_reader() {
    let world = World::new();
    assert_ask(&world.bash("git push"), &[]);
    let path = world.path(".local/state/guard-host/sessions/s1.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("git push", r"\u001b[2J\u202egit push")).unwrap();
    for arguments in [&["session", "list"][..], &["confirm", "--list"], &["confirm", "x"]] {
        let ended = world.run(arguments, "");
        let all = ended.stdout + &ended.stderr;
        assert!(all.contains("git push") && !all.contains(['\u{1b}', '\u{202e}']), "{all:?}");
    }
}

#[test]
fn without_a_terminal_and_a_yes_no_session_is_cleared() {
    let world = World::new();
    assert_ask(&world.bash("git push"), &[]);
    let listed = || world.run(&["session", "list"], "").stdout;
    let before = listed();
    let mut transcript = Transcript::default();
    for more in [&[][..], &["--session", "s1"]] {
        transcript.add(&world, 64, &world.run(&[&["session", "clear"], more].concat(), "y\n"));
        assert_eq!(listed(), before);
    }
    assert_text!("session_clear", transcript.0);
}

#[test]
fn a_session_that_is_not_there_is_not_cleared() {
    let world = World::new();
    assert_ask(&world.bash("git push"), &[]);
    let mut transcript = Transcript::default();
    for (session, exit) in [("nope", 1), ("s1", 0)] {
        transcript.add(&world, exit, &world.run(&["session", "clear", "--session", session, "--yes"], ""));
    }
    assert_text!("session_cleared", transcript.0);
}
