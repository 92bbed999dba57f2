//! `statusline`, `doctor --last`, and the line at the start of a session: they show whether the guard is active.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::reply::{assert_ask, assert_deny};
use crate::support::world::{World, end};
use crate::texts::assert_text;

fn line(world: &World, session: &str) -> String {
    let ended = world.run(&["statusline"], &json!({ "session_id": session, "cwd": world.repo() }).to_string());
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
    assert_eq!(ended.stdout.lines().count(), 1, "{ended:?}");
    ended.stdout.trim_end().to_owned()
}

#[test]
fn the_status_line_says_what_the_guard_did_in_this_session() {
    let world = World::new();
    assert_eq!(line(&world, "s1"), "guard OFF: not registered, run `guard-host install claude`");
    assert_eq!(world.run(&["install", "claude"], "").exit, 0);
    assert_eq!(line(&world, "s1"), "guard on | no call in this session yet");
    assert_ask(&world.bash("git push"), &[]);
    assert_deny(&world.bash("rm -rf /"), &[]);
    let ran = json!({ "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": { "command": "ls -la" }, "tool_use_id": "t1" });
    world.hook(&ran.to_string());
    assert_eq!(line(&world, "s1"), "guard on | 1 call ran | 1 asked, 1 denied");
    assert_eq!(line(&world, "s2"), "guard on | no call in this session yet");
    world.configure("preset = \"none\"\n");
    assert!(line(&world, "s1").starts_with("guard OFF: no policies"), "{}", line(&world, "s1"));
    world.configure("[[policy]]\nname = 1\n");
    assert!(line(&world, "s1").starts_with("guard on, 1 problem: run `guard-host doctor`"), "{}", line(&world, "s1"));
}

/// Asserts that `doctor` and the status line have the same number of problems.
#[track_caller]
fn assert_problems(world: &World, expected: usize) {
    let line = line(world, "s1");
    let told = match expected {
        0 => "guard on | ".to_owned(),
        1 => "guard on, 1 problem: run `guard-host doctor` | ".to_owned(),
        many => format!("guard on, {many} problems: run `guard-host doctor` | "),
    };
    let doctor = world.run(&["doctor"], "").stdout;
    let is_problem = |line: &&str| ["problem ", "warning "].iter().any(|state| line.starts_with(state));
    let found: Vec<&str> = doctor.lines().filter(is_problem).collect();
    assert!(line.starts_with(&told), "{line}: {found:#?}");
    assert_eq!(found.len(), expected, "{found:#?}");
}

#[test]
fn a_guard_that_stops_less_than_its_files_say_is_not_simply_on() {
    let world = World::new();
    assert_eq!(world.run(&["install", "claude"], "").exit, 0);
    assert_problems(&world, 0);
    let policy = |text: &str| world.configure(&format!("[[policy]]\nname = \"command-guard\"\n{text}\n"));
    for (text, expected) in [
        ("settings = { raise = [\"git-push\"] }", 0),
        ("settings = { raise = [\"git-psh\"] }", 1),
        ("tools = [\"Write\"]", 1),
        ("settings-file = \"~/none.toml\"", 1),
        ("source = \"none.wasm\"", 2),
    ] {
        policy(text);
        let line = line(&world, "s1");
        assert_eq!(line.contains("problem"), expected > 0, "{text}: {line}");
    }
    // An error in the policy itself is a problem, even though no call of this kind starts the policy.
    world.configure("[[policy]]\nname = \"write-control\"\nsettings = { protected = [\"a\", \"!a/b\"] }\n");
    assert_problems(&world, 1);
    world.configure("[audit]\npath = \"/proc/none/audit.jsonl\"\non-error = \"deny\"\n");
    assert_problems(&world, 1);
    world.configure("");
    let protects = |pattern: &str| {
        let entry = "[[policy]]\nname = \"files\"\nsource = \"builtin:write-control\"\n";
        world.write("repo/.guard/guard.toml", format!("{entry}settings = {{ protected = [\"{pattern}\"] }}\n"));
    };
    fs::create_dir_all(world.path("repo/db/migrations")).unwrap();
    protects("db/migrations/**");
    assert_problems(&world, 0);
    protects("db/migratons/**");
    assert_problems(&world, 1);
    fs::rename(world.path("repo/.guard/guard.toml"), world.path("repo/.guard/guard.tml")).unwrap();
    assert_problems(&world, 1);
}

#[test]
fn keys_that_only_let_less_pass_leave_the_guard_on() {
    let world = World::new();
    assert_eq!(world.run(&["install", "claude"], "").exit, 0);
    world.configure("[[allow]]\ncommand = [\"npm\", \"publish\"]\nuntil = \"2020-01-31\"\n");
    assert_problems(&world, 0);
    let ours = "[[policy]]\nname = \"ours\"\nsource = \"builtin:protected-files\"\n";
    world.write("repo/.guard/guard.toml", format!("{ours}settings = {{ confirm = [\"!Makefile\"] }}\n"));
    assert_problems(&world, 0);
    assert!(world.run(&["doctor"], "").stdout.contains("note     configuration: "));
}

#[test]
fn a_trusted_file_that_is_missing_is_a_problem() {
    let world = World::new();
    assert_eq!(world.run(&["install", "claude"], "").exit, 0);
    let file = world.write("repo/.guard/guard.toml", "[[policy]]\nname = \"cel\"\n");
    crate::support::terminal::attended_by(&world, env!("CARGO_BIN_EXE_guard-host"), &["trust"], "y\n");
    fs::remove_file(file).unwrap();
    assert_problems(&world, 1);
    let checked = world.run(&["config", "check"], "");
    assert!(checked.exit == 0 && checked.stderr.contains("which you trusted, is missing"), "{checked:?}");
}

#[test]
fn a_server_that_refuses_connections_is_a_problem() {
    let world = World::new();
    assert_eq!(world.run(&["install", "claude"], "").exit, 0);
    let token = world.write("token", "secret\n");
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
    let remote = |address: &str| {
        let token = token.display();
        world.configure(&format!("[remote]\nurl = 'http://{address}'\ntoken-file = '{token}'\n"));
    };
    remote(&crate::support::world::free_address());
    assert!(line(&world, "s1").starts_with("guard on, 1 problem: "), "{}", line(&world, "s1"));
    let other = World::new();
    let server = crate::serve::client::Server::start(&other, &[]);
    remote(&server.address);
    assert!(line(&world, "s1").starts_with("guard on | "), "{}", line(&world, "s1"));
}

#[test]
fn a_hook_that_covers_some_tools_or_is_switched_off_is_no_guard_that_is_on() {
    let world = World::new();
    assert_eq!(world.run(&["install", "claude", "--matcher", "Bash"], "").exit, 0);
    assert_problems(&world, 1);
    assert_eq!(world.run(&["install", "claude"], "").exit, 0);
    let file = world.path(".claude/settings.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen('{', "{ \"disableAllHooks\": true,", 1)).unwrap();
    assert!(line(&world, "s1").starts_with("guard OFF: `disableAllHooks: true` in `"), "{}", line(&world, "s1"));
    fs::write(&file, text.replacen('{', "{,", 1)).unwrap();
    let told = line(&world, "s1");
    assert!(told.contains(".claude/settings.json` can't be read, run `guard-host doctor`"), "{told}");
    let doctor = world.run(&["doctor"], "").stdout;
    let remedy = doctor.lines().find(|line| line.contains("hint: ")).unwrap();
    assert!(remedy.contains("correct `") && remedy.contains("settings.json` by hand"), "{doctor}");
}

#[test]
fn policies_that_a_person_switched_off_are_named_and_are_no_problem() {
    let world = World::new();
    assert_eq!(world.run(&["install", "claude"], "").exit, 0);
    for (text, told) in [
        ("[[policy]]\nname = \"command-guard\"\nenabled = false\n", "guard on (command-guard off) | "),
        ("[[policy]]\nname = \"command-guard\"\nmode = \"watch\"\n", "guard on (command-guard only watched) | "),
        (
            "[[policy]]\nname = \"session-guard\"\nenabled = false\n[[policy]]\nname = \"command-guard\"\nmode = \"watch\"\n",
            "guard on (session-guard off; command-guard only watched) | ",
        ),
        ("preset = \"none\"\n[[policy]]\nname = \"command-guard\"\n", "guard on (self-protect, "),
        // Another entry of the same policy stops calls.
        (
            "[[policy]]\nname = \"mine\"\nsource = \"builtin:command-guard\"\n[[policy]]\nname = \"command-guard\"\nmode = \"watch\"\n",
            "guard on | ",
        ),
    ] {
        world.configure(text);
        assert!(line(&world, "s1").starts_with(told), "{text}: {}", line(&world, "s1"));
    }
    world.configure("[[policy]]\nname = \"self-protect\"\nenabled = false\n");
    let doctor = world.run(&["doctor"], "").stdout;
    assert!(doctor.contains("note     mode: these policies are off and stop nothing: self-protect"), "{doctor}");
}

#[test]
fn a_pause_is_shown_before_all_else() {
    let world = World::new();
    assert_eq!(world.run(&["install", "claude"], "").exit, 0);
    let now = jiff::Timestamp::now();
    let state = world.path(".local/state/guard-host");
    guard_state::make_private(&state).unwrap();
    guard_state::Pause::begin(&state, now, jiff::SignedDuration::from_mins(10), Vec::new(), false).unwrap();
    assert!(line(&world, "s1").starts_with("guard PAUSED: asks until "), "{}", line(&world, "s1"));
}

#[test]
fn a_chain_that_only_watches_is_not_called_on() {
    let world = World::new();
    assert_eq!(world.run(&["install", "claude"], "").exit, 0);
    for mode in ["watch", "watch-all"] {
        world.configure(&format!("mode = \"{mode}\"\n"));
        assert_eq!(
            line(&world, "s1"),
            "guard NOT ENFORCING: only changes to guard-host itself are stopped | no call in this session yet"
        );
    }
    world.configure("mode = \"watch\"\n[[policy]]\nname = \"command-guard\"\nmode = \"enforce\"\n");
    let told = "guard on (protected-files, session-guard, intrusion-guard only watched) | ";
    assert!(line(&world, "s1").starts_with(told), "{}", line(&world, "s1"));
}

#[test]
fn doctor_says_when_a_call_was_last_judged() {
    let world = World::new();
    let ended = world.run(&["doctor", "--last"], "");
    assert_eq!(
        (ended.exit, ended.stdout.as_str()),
        (69, "no call was judged yet: ask your agent to run `ls`, then try again\n")
    );
    assert_ask(&world.bash("git push"), &[]);
    let ended = world.run(&["doctor", "--last"], "");
    let time = world.audit()[0]["ts"].as_str().unwrap().to_owned();
    let first = format!("last call in the log: {time}, by claude\n  Bash: git push (confirm_required, session s1)\n");
    assert!(ended.exit == 0 && ended.stdout.starts_with(&first), "{ended:?}");
    let ended = world.run(&["doctor", "--last", "--format", "json"], "");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&report["call"]["harness"], &report["call"]["ts"]), (&json!("claude"), &json!(time)));
}

#[test]
fn a_session_begins_with_a_line_for_the_user() {
    let world = World::new();
    let start = |source: &str| {
        let payload =
            json!({ "session_id": "s1", "cwd": world.repo(), "hook_event_name": "SessionStart", "source": source });
        world.hook(&payload.to_string())
    };
    let told: Value = serde_json::from_str(&start("startup").stdout).unwrap();
    let text = told["systemMessage"].as_str().unwrap();
    assert_text!("session_start", text);
    assert_eq!(told.as_object().unwrap().len(), 1, "nothing is decided: {told}");
    assert!(start("compact").is_silent());
    assert_eq!(world.audit().len(), 0);
    let generic = json!({ "cwd": world.repo(), "hook_event_name": "SessionStart" }).to_string();
    assert_eq!(world.run(&["hook", "generic"], &generic).stdout, "{\"decision\":\"allow\"}\n");
}

#[test]
fn newer_events_are_registered_where_the_version_has_them() {
    for (version, expected) in [("2.1.332", true), ("2.1.330", false), ("1.0.100", false)] {
        let world = World::new();
        let claude = world.write("bin/claude", format!("#!/bin/sh\necho '{version} (Claude Code)'\n"));
        fs::set_permissions(&claude, fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", world.path("bin").display());
        let run = |arguments: &[&str]| {
            let mut command = world.command(arguments);
            command.env("PATH", &path);
            let ended = end(command, "");
            assert_eq!(ended.exit, 0, "{ended:?}");
        };
        let events = |file: &str| -> Vec<String> {
            let settings: Value = serde_json::from_str(&fs::read_to_string(world.path(file)).unwrap()).unwrap();
            settings["hooks"].as_object().unwrap().keys().cloned().collect()
        };
        run(&["install", "claude"]);
        let own = events(".claude/settings.json");
        for event in ["ConfigChange", "PermissionDenied", "PreSkillShellCommand", "SessionStart"] {
            assert_eq!(own.iter().any(|name| name == event), expected, "{version} {event}: {own:?}");
        }
        run(&["install", "claude"]);
        assert_eq!(events(".claude/settings.json"), own);
        run(&["install", "claude", "--shared"]);
        assert_eq!(events("repo/.claude/settings.json").len(), 3, "others may have another version");
        run(&["uninstall", "claude"]);
        assert!(!world.path(".claude/settings.json").exists());
    }
}

/// In the form that 2.1.332 sends.
#[test]
fn a_command_in_a_skill_is_judged_and_an_ask_denies() {
    let world = World::new();
    let skill = |command: &str| {
        let payload = json!({ "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreSkillShellCommand",
            "permission_mode": "default", "tool_name": "Bash", "tool_input": { "command": command },
            "command_name": "zop", "command_source": "project", "invoked_by": "model" });
        world.hook(&payload.to_string())
    };
    assert_deny(&skill("git push --force origin main"), &["[command-guard: force-push-protected]"]);
    assert_deny(
        &skill("git push origin topic"),
        &["[command-guard: git-push]", "guard-host confirm 'git push origin topic'"],
    );
    assert!(skill("git status").is_silent());
}
