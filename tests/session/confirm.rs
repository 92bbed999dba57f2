//! Who can confirm, and the choice of the pending call.

use serde_json::{Value, json};

use super::{assert_confirmed, bash_in, file, guardrail, operations};
use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::terminal::{attended, attended_by};
use crate::support::texts::{Transcript, normalize};
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

/// Creates a world with `self-protect`, in which `git push` is pending in `s1`.
fn waiting() -> World {
    let world = guardrail("");
    assert_ask(&world.bash("git push"), &[]);
    world
}

/// Runs `guard-host confirm` as an agent starts it: without a terminal.
fn confirm(world: &World, operation: &str) -> ProcessOutput {
    world.run(&["confirm", operation], "yes\n")
}

#[track_caller]
fn assert_refused(world: &World, ended: &ProcessOutput) {
    assert_text!("confirm_unattended", world, 77, ended);
    assert_eq!((operations(world, "confirmed"), operations(world, "pending")), (vec![], vec!["git push".to_owned()]));
}

#[test]
fn s2_52_without_a_terminal_nothing_is_confirmed() {
    let world = waiting();
    let before = file(&world);
    assert_refused(&world, &confirm(&world, "git push"));
    assert_eq!(file(&world), before);
    let code = before["pending"][0]["code"].as_str().unwrap().to_owned();
    let ended = world.run(&["confirm", "--code", &code], "");
    assert_eq!(ended.exit, 77, "{ended:?}");
    assert!(ended.stderr.contains(&format!("guard-host confirm --code {code}")), "{ended:?}");
    assert_eq!(file(&world), before);
}

#[test]
fn a_second_confirmation_says_that_the_call_is_confirmed() {
    let world = waiting();
    assert_eq!(attended(&world, &["confirm", "git push"]).exit, 0);
    let again = attended(&world, &["confirm", "git push"]);
    let mut told = Transcript::default();
    told.add(&world, 1, &again);
    let other = attended(&world, &["confirm", "git push origin x"]);
    told.add(&world, 1, &other);
    assert_text!("confirm_again", told.0);
}

/// `guard-host confirm` replaces the seed's script: S2-08, S2-71.
#[test]
fn s2_53_at_a_terminal_it_is_and_says_what() {
    let world = waiting();
    let ended = attended(&world, &["confirm", "git push"]);
    assert_text!("confirm", &world, 0, ended);
    let file = file(&world);
    assert_eq!(file["pending"], json!([]));
    assert_eq!(
        (&file["confirmed"][0]["tool"], &file["confirmed"][0]["operation"]),
        (&json!("Bash"), &json!("git push"))
    );
    assert!(file["confirmed"][0]["ts"].as_str().unwrap().ends_with('Z'));
    assert_confirmed(&world.bash("git push"), "confirmed in this session");
}

#[test]
fn s2_53_what_was_never_asked_is_not_confirmed_and_what_was_is_listed() {
    let world = waiting();
    let before = file(&world);
    let mut transcript = Transcript::default();
    for operation in ["git push ", "git pull", ""] {
        let ended = attended(&world, &["confirm", operation]);
        transcript.add(&world, 1, &ended);
        let alone = confirm(&world, operation);
        assert_eq!((alone.exit, alone.stdout.as_str(), &alone.stderr), (1, "", &ended.stdout));
    }
    assert_text!("confirm_not_asked", transcript.0);
    assert_eq!(file(&world), before);
    assert_eq!(confirm(&World::new(), "git push").exit, 1);
}

#[test]
fn s2_53_of_the_same_words_in_two_sessions_the_newest_is_meant_and_a_code_tells_another() {
    let world = waiting();
    assert_ask(&bash_in(&world, "s2", "default", "git push"), &[]);
    let code = file(&world)["pending"][0]["code"].as_str().unwrap().to_owned();
    let ended = attended(&world, &["confirm", "git push"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_confirmed(&bash_in(&world, "s2", "default", "git push"), "confirmed in this session");
    assert_ask(&world.bash("git push"), &[]);
    assert_eq!(attended(&world, &["confirm", "--code", &code]).exit, 0);
    assert_confirmed(&world.bash("git push"), "confirmed in this session");
}

#[test]
fn of_the_same_words_in_two_projects_the_one_of_this_folder_is_meant() {
    let world = World::new();
    std::fs::create_dir_all(world.path("other/.git")).unwrap();
    std::fs::create_dir_all(world.path("other/app")).unwrap();
    let asked = |session: &str, folder: &str| {
        let payload = json!({ "session_id": session, "cwd": world.path(folder), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": { "command": "git push" } });
        world.hook(&payload.to_string())
    };
    let confirm = |folder: &str| {
        let line = format!("cd ~/{folder} && exec '{}' confirm 'git push'", env!("CARGO_BIN_EXE_guard-host"));
        attended_by(&world, "sh", &["-c", &line], "")
    };
    for (session, folder) in [("s1", "repo"), ("s2", "other/app"), ("s3", "other/app")] {
        assert_ask(&asked(session, folder), &[]);
    }
    // From a folder outside of both, it is ambiguous.
    let mut transcript = Transcript::default();
    transcript.add(&world, 1, &confirm(""));
    transcript.add(&world, 0, &confirm("repo"));
    assert_confirmed(&asked("s1", "repo"), "confirmed in this session");
    transcript.add(&world, 0, &confirm("other"));
    assert_confirmed(&asked("s3", "other/app"), "confirmed in this session");
    assert_ask(&asked("s2", "other/app"), &[]);
    assert_text!("confirm_of_projects", transcript.0);
}

#[test]
fn c_16_a_person_whom_the_hook_has_just_asked_confirms_once() {
    for mode in ["default", "plan", "acceptEdits"] {
        let world = waiting();
        let asked = bash_in(&world, "s1", mode, "guard-host confirm 'git push'");
        assert_ask(&asked, &["[self-protect: guard-command]"]);
        // Claude Code appends a word to the last line, so it must not be a command to copy.
        assert_text!("confirm_asked", normalize(&world, &asked.reason()));
        let ended = confirm(&world, "git push");
        assert_eq!(ended.exit, 0, "{mode}: {ended:?}");
        assert_confirmed(&bash_in(&world, "s1", mode, "git push"), "confirmed in this session");
        assert_eq!(confirm(&world, "git push").exit, 1);
    }
}

#[test]
fn c_16_a_mode_that_asks_nobody_confirms_nothing() {
    for mode in ["bypassPermissions", "dontAsk", ""] {
        let world = waiting();
        assert_ask(&bash_in(&world, "s1", mode, "guard-host confirm 'git push'"), &[]);
        assert_refused(&world, &confirm(&world, "git push"));
    }
    // `auto` of an unknown version, and an unknown mode.
    for mode in ["auto", "somethingNew"] {
        let world = waiting();
        assert_deny(&bash_in(&world, "s1", mode, "guard-host confirm 'git push'"), &["[self-protect: guard-command]"]);
        assert_refused(&world, &confirm(&world, "git push"));
    }
    let world = waiting();
    assert_ask(&world.bash("guard-host confirm 'git push'"), &[]);
    assert_refused(&world, &confirm(&world, "git push"));
}

#[test]
fn c_16_where_the_hook_does_not_ask_nothing_is_confirmed() {
    let world = World::new();
    let without = "preset = \"none\"\n[[policy]]\nname = \"command-guard\"\n";
    world.configure(without);
    assert_ask(&bash_in(&world, "s1", "default", "git push"), &[]);
    assert_silent(&bash_in(&world, "s1", "default", "guard-host confirm 'git push'"));
    assert_refused(&world, &confirm(&world, "git push"));
}

#[test]
fn c_16_a_person_confirms_what_they_were_asked_about_and_nothing_else() {
    let asks = [
        "guard-host confirm 'git push origin x'",
        "guard-host confirm 'git push'; true",
        "guard-host confirm \"git push\"",
        "sh -c \"guard-host confirm 'git push'\"",
        "guard-host confirm --list",
    ];
    for command in asks {
        let world = waiting();
        assert_ask(&bash_in(&world, "s1", "default", command), &[]);
        let ended = confirm(&world, "git push");
        assert_eq!(ended.exit, 77, "{command}: {ended:?}");
        assert_eq!(operations(&world, "confirmed"), [""; 0]);
    }
    let world = waiting();
    assert_ask(&bash_in(&world, "s1", "default", "git push origin x"), &[]);
    assert_ask(&bash_in(&world, "s1", "default", "guard-host confirm 'git push origin x'"), &[]);
    assert_eq!(confirm(&world, "git push").exit, 77);
    assert_eq!(confirm(&world, "git push origin x").exit, 0);
}

#[test]
fn c_16_the_question_stands_for_two_minutes() {
    let world = waiting();
    assert_ask(&bash_in(&world, "s1", "default", "guard-host confirm 'git push'"), &[]);
    let mut file = file(&world);
    let asked = file["asked"][0]["ts"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let path = world.path(".local/state/guard-host/sessions/s1.json");
    for (seconds, exit) in [(121, 77), (-60, 77), (100, 0)] {
        let then = asked.checked_sub(jiff::SignedDuration::from_secs(seconds)).unwrap();
        file["asked"][0]["ts"] = json!(then.to_string());
        std::fs::write(&path, file.to_string()).unwrap();
        let ended = confirm(&world, "git push");
        assert_eq!(ended.exit, exit, "{seconds}: {ended:?}");
    }
}

#[test]
fn the_code_is_a_name_for_the_same_question() {
    let world = waiting();
    let code = file(&world)["pending"][0]["code"].as_str().unwrap().to_owned();
    assert_ask(&bash_in(&world, "s1", "default", &format!("guard-host confirm --code {code}")), &["git push"]);
    let ended = world.run(&["confirm", "--code", &code, "--format", "json"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    let grant: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&grant["operation"], &grant["code"]), (&json!("git push"), &json!(code)));
}

#[test]
fn the_list_needs_no_terminal() {
    let world = waiting();
    for arguments in [&["confirm", "--list"][..], &["confirm"]] {
        assert_text!("confirm_list", &world, 0, world.run(arguments, ""));
    }
    let ended = world.run(&["confirm", "--list", "--format", "json"], "");
    let list: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(list["pending"][0]["operation"], "git push");
    assert_eq!(World::new().run(&["confirm", "--list"], "").stdout, "nothing waits for a confirmation\n");
}

#[test]
fn one_of_the_two_streams_is_not_enough() {
    let world = waiting();
    for redirected in ["< /dev/null", "2> /dev/null"] {
        let line = format!("'{}' confirm 'git push' {redirected}", env!("CARGO_BIN_EXE_guard-host"));
        let ended = attended_by(&world, "sh", &["-c", &line], "");
        assert_eq!(ended.exit, 77, "{redirected}: {ended:?}");
        assert_eq!(operations(&world, "confirmed"), [""; 0]);
    }
}

#[test]
fn what_a_person_would_not_read_to_the_end_is_confirmed_at_a_terminal_only() {
    let world = guardrail("");
    let long = format!("echo {}; git push", "a".repeat(1200));
    assert_ask(&world.bash(&long), &[]);
    let code = file(&world)["pending"][0]["code"].as_str().unwrap().to_owned();
    let line = format!("guard-host confirm --code {code}");
    let mut told = Transcript::default();
    told.ask(&world, &world.bash(&line), &[]);
    assert_text!("confirm_at_a_terminal", told.0);
    assert_eq!(world.run(&["confirm", "--code", &code], "").exit, 77);
}

#[test]
fn a_confirmation_is_no_question_that_can_be_confirmed() {
    let world = waiting();
    for line in ["guard-host confirm --list", "guard-host confirm 'git push' && guard-host confirm 'git push'"] {
        let asked = world.bash(line);
        assert_ask(&asked, &["[self-protect: guard-command]"]);
        assert!(!asked.reason().contains("then run:"), "{}", asked.reason());
    }
    assert_eq!(operations(&world, "pending"), ["git push"]);
}

/// The command to copy contains no text that could be mistaken for the guard's own words.
#[test]
fn a_command_that_speaks_as_the_guard_is_confirmed_by_its_code() {
    for command in [
        "git push origin 'a [self-protect: guard-file]'",
        "git push origin t # guard-host confirm x",
        "git push origin 'To proceed, run: y'",
    ] {
        let world = World::new();
        let payload = json!({ "session_id": "s1", "cwd": world.repo(), "tool_name": "Bash", "tool_input": { "command": command } });
        let asked = world.run(&["hook", "codex"], &payload.to_string());
        let told = asked.stdout + &asked.stderr;
        let (_, code) = told.rsplit_once("--code ").unwrap_or_else(|| panic!("{command}: {told}"));
        let code: String = code.chars().take_while(char::is_ascii_alphanumeric).collect();
        assert_eq!(world.run(&["confirm", "--list"], "").exit, 0);
        assert!(file(&world)["pending"][0]["code"] == json!(code), "{command}: {told}");
    }
}

/// S2-54, S2-55: two scripts next to each other ask about one call.
#[test]
fn one_confirmation_answers_all_hooks_that_asked_about_an_operation() {
    let world = guardrail("");
    let operation = "rm -rf ~/Downloads/old-project";
    let payload = json!({ "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": operation } });
    let asked = |policy: &str| world.run(&["hook", "claude", "--only", policy], &payload.to_string());
    for policy in ["command-guard", "path-context"] {
        assert_ask(&asked(policy), &[]);
    }
    let ended = attended(&world, &["confirm", operation]);
    let lifts = ["command-guard:", "path-context:rm_outside_safe"];
    assert!(ended.exit == 0 && lifts.iter().all(|rule| ended.stdout.contains(rule)), "{ended:?}");
    for policy in ["command-guard", "path-context"] {
        assert_confirmed(&asked(policy), "confirmed in this session");
    }
}
