//! The pending call after an ask, and the part of its reply about it.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::{bash_in, file, guardrail, operations};
use crate::support::reply::{assert_ask, assert_deny, assert_silent, assert_warn};
use crate::support::texts::Transcript;
use crate::support::world::World;
use crate::texts::assert_text;

#[test]
fn s2_43_the_question_of_the_seed_ends_with_the_line_to_run() {
    let reason = guardrail("").bash("rm -rf ~/Downloads/old-project").reason();
    let lines: Vec<&str> = reason.lines().collect();
    let at = |line: &str| lines.iter().position(|other| *other == line).unwrap_or_else(|| panic!("{line}: {reason}"));
    let order = [
        at("GUARDRAIL CONFIRM: 'rm' outside safe paths."),
        at("Target: ~/Downloads/old-project"),
        at("Rule: rm_outside_safe"),
        at(""),
        at("To proceed, confirm with user then run:"),
        at("guard-host confirm 'rm -rf ~/Downloads/old-project'"),
    ];
    assert!(order.is_sorted() && order[5] == lines.len() - 1, "{reason}");
}

#[test]
fn s2_43_a_question_that_became_a_refusal_says_so_and_how_it_is_granted() {
    let world = guardrail("bypass-ask = \"deny\"\n");
    let ended = bash_in(&world, "s1", "bypassPermissions", "rm ~/Downloads/old");
    let mut told = Transcript::default();
    told.deny(&world, &ended, &["rm_outside_safe"]);
    assert_text!("session_refusal", told.0);
    assert_eq!(operations(&world, "pending"), ["rm ~/Downloads/old"]);
}

#[test]
fn s2_43_a_deny_shows_no_way_around_it_and_leaves_nothing_open() {
    let world = guardrail("");
    let ended = world.bash("git push && rm -rf /");
    assert_deny(&ended, &[]);
    assert!(!ended.reason().contains("guard-host confirm"), "{ended:?}");
    assert_eq!(file(&world), json!(null));
}

#[test]
fn s2_50_an_ask_is_written_down_with_all_that_a_grant_depends_on() {
    let world = World::new();
    assert_ask(&world.bash("git push origin main"), &["guard-host confirm 'git push origin main'"]);
    let file = file(&world);
    assert_eq!(file["confirmed"], json!([]));
    let pending = file["pending"].as_array().unwrap();
    assert_eq!(pending.len(), 1);
    for (key, value) in [
        ("tool", json!("Bash")),
        ("operation", json!("git push origin main")),
        ("session", json!("s1")),
        ("cwd", json!(world.repo())),
        ("rules", json!(["command-guard:git-push"])),
    ] {
        assert_eq!(pending[0][key], value, "{key}");
    }
    let keys: BTreeSet<&str> = pending[0].as_object().unwrap().keys().map(String::as_str).collect();
    let expected = ["tool", "operation", "ts", "session", "sha256", "cwd", "rules", "expires", "code", "call"];
    assert_eq!(keys, expected.into_iter().collect());
    let mode = |below: &str| fs::metadata(world.path(below)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(".local/state/guard-host/sessions"), 0o700);
    assert_eq!(mode(".local/state/guard-host/sessions/s1.json"), 0o600);
}

#[test]
fn s2_50_asked_twice_it_stands_once() {
    let world = World::new();
    assert_eq!(world.bash("git push").stdout, world.bash("git push").stdout);
    assert_eq!(operations(&world, "pending"), ["git push"]);
}

#[test]
fn s2_51_the_reply_tells_the_agent_to_ask_its_user() {
    let world = World::new();
    let mut told = Transcript::default();
    told.ask(&world, &world.bash("git push"), &["guard-host confirm 'git push'"]);
    assert_text!("session_ask", told.0);
}

#[test]
fn what_cannot_be_copied_is_confirmed_by_its_code() {
    let world = World::new();
    for (tool, input) in [
        ("Write", json!({ "file_path": world.repo().join("Dockerfile"), "content": "FROM x" })),
        ("Bash", json!({ "command": "git push \\\n origin" })),
        ("Bash", json!({ "command": format!("git push origin {}", "x".repeat(300)) })),
    ] {
        let payload = json!({ "session_id": "s1", "cwd": world.repo(), "tool_name": tool, "tool_input": input });
        let reason = world.hook(&payload.to_string()).reason();
        let (_, code) = reason.rsplit_once("ask the user to run:\nguard-host confirm --code ").expect(&reason);
        let code = code.lines().next().unwrap();
        assert!(code.len() == 8 && code.bytes().all(|byte| byte.is_ascii_hexdigit()), "{code}");
        let pending = file(&world)["pending"].as_array().unwrap().clone();
        assert_eq!(pending.last().unwrap()["code"], code);
    }
}

#[test]
fn places_that_are_not_the_usual_ones_stand_in_the_line() {
    let world = World::new();
    let state = world.path("other state");
    let payload = json!({ "session_id": "s1", "cwd": world.repo(), "tool_input": { "command": "git push" } });
    let ended = world.run(&["--state", &state.to_string_lossy(), "hook", "claude"], &payload.to_string());
    assert_ask(&ended, &[&format!("guard-host --state '{}' confirm 'git push'", state.display())]);
    assert!(state.join("sessions/s1.json").exists());
}

#[test]
fn c_18_no_secret_is_written_down() {
    let world = World::new();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    assert_ask(&world.bash(&format!("git push https://me:{secret}@example.org/x")), &["confirm --code "]);
    let text = fs::read_to_string(world.path(".local/state/guard-host/sessions/s1.json")).unwrap();
    assert!(!text.contains("16C7e42F292c6912") && text.contains("git push"), "{text}");
}

#[test]
fn s2_12e_calls_without_a_session_share_one_list() {
    let world = World::new();
    let payload = json!({ "cwd": world.repo(), "tool_input": { "command": "git push" } });
    assert_ask(&world.hook(&payload.to_string()), &["guard-host confirm 'git push'"]);
    let files = fs::read_dir(world.path(".local/state/guard-host/sessions")).unwrap();
    let names: Vec<_> = files.map(|file| file.unwrap().file_name()).filter(|name| name != ".lock").collect();
    assert_eq!(names, ["without.id.json"]);
}

#[test]
fn what_is_not_asked_touches_no_session() {
    let world = World::new();
    assert_silent(&world.bash("ls -la"));
    assert_deny(&world.bash("rm -rf /"), &[]);
    world.configure("bypass-ask = \"skip\"\n");
    let ended = bash_in(&world, "s1", "bypassPermissions", "git push");
    assert_warn(&ended, &[]);
    assert!(!ended.stdout.contains("guard-host confirm"), "{ended:?}");
    assert!(!world.path(".local/state/guard-host/sessions").exists());
}

#[test]
fn s1_89_a_session_that_cannot_be_read_or_written_changes_no_reply() {
    let world = World::new();
    let asked = world.bash("git push");
    let path = world.path(".local/state/guard-host/sessions/s1.json");
    for damage in ["{oops", "[]", "", "{\"confirmed\":[{\"tool\":1}]}", "{\"confirmed\":{}}"] {
        fs::write(&path, damage).unwrap();
        assert_deny(&world.bash("rm -rf /"), &[]);
        assert_eq!(fs::read_to_string(&path).unwrap(), damage);
        assert_eq!(world.bash("git push"), asked, "{damage}");
        assert_eq!(operations(&world, "pending"), ["git push"], "the damage is replaced");
    }
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    world.write(".local/state/guard-host/sessions", "a file in its place");
    assert_eq!(world.bash("git push"), asked);
    assert_deny(&world.bash("rm -rf /"), &[]);
    fs::remove_file(world.path(".local/state/guard-host/sessions")).unwrap();
    fs::create_dir(world.path(".local/state/guard-host/sessions")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert_eq!(world.bash("git push"), asked, "a hook that is held would give no reason of a policy");
}

#[test]
fn s2_10_the_file_may_lie_in_the_place_of_the_seed() {
    let world = World::new();
    world.configure("[session]\nfile = \"~/.claude/state/guardrail-session.json\"\n");
    assert_ask(&world.bash("git push"), &[]);
    assert_ask(&bash_in(&world, "s2", "default", "git push"), &[]);
    let text = fs::read_to_string(world.path(".claude/state/guardrail-session.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let sessions: Vec<&str> =
        file["pending"].as_array().unwrap().iter().filter_map(|p| p["session"].as_str()).collect();
    assert_eq!(sessions, ["s1", "s2"]);
    assert!(!world.path(".local/state/guard-host/sessions").exists());
}

#[test]
fn fifty_calls_at_once_leave_fifty_questions() {
    let world = World::new();
    assert_ask(&world.bash("git push"), &[]);
    let granted = std::thread::scope(|scope| {
        // With more at once, a busy machine lets some reach their deadline.
        for first in 0..10 {
            let world = &world;
            let push = |number| assert_ask(&world.bash(&format!("git push origin b{number}")), &[]);
            scope.spawn(move || (first..50).step_by(10).for_each(push));
        }
        scope.spawn(|| crate::support::terminal::attended(&world, &["confirm", "git push"])).join().unwrap()
    });
    let pending: BTreeSet<String> = operations(&world, "pending").into_iter().collect();
    let missing: Vec<u32> = (0..50).filter(|n| !pending.contains(&format!("git push origin b{n}"))).collect();
    assert_eq!(missing, [0; 0]);
    assert_eq!(granted.exit, 0, "{granted:?}");
    assert_eq!(operations(&world, "confirmed"), ["git push"]);
    assert_eq!(pending.len(), 50);
}

#[test]
fn a_file_that_holds_something_else_is_left_as_it_is() {
    let world = World::new();
    world.configure("[session]\nfile = \"~/state.json\"\n");
    for text in ["{\"model\": \"x\"}\n", "notes\n", "[]"] {
        let path = world.write("state.json", text);
        assert_ask(&world.bash("git push"), &[]);
        assert_eq!(fs::read_to_string(path).unwrap(), text);
    }
}

#[test]
fn lists_say_which_files_count_for_nothing() {
    let world = World::new();
    assert_ask(&world.bash("git push"), &[]);
    let lists: [&[&str]; 2] = [&["session", "list"], &["confirm", "--list"]];
    for list in lists {
        assert_eq!(world.run(list, "").exit, 0);
    }
    let folder = fs::read_dir(world.path(".local/state/guard-host/sessions")).unwrap();
    let mut files = folder.map(|entry| entry.unwrap().path());
    let file = files.find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    fs::write(&file, "{oops").unwrap();
    for list in lists {
        let ended = world.run(list, "");
        assert_eq!(ended.exit, 65, "{ended:?}");
        assert!(ended.stderr.contains(file.to_str().unwrap()), "{ended:?}");
    }
}
