//! `guard-host allow`: one command allows a call permanently, and one command reverts that.

use std::path::Path;

use serde_json::json;

use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::terminal::{attended, attended_by};
use crate::support::texts::{Transcript, normalize, normalized_output};
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

const FILE: &str = ".config/guard-host/guard.toml";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn file(world: &World) -> String {
    std::fs::read_to_string(world.path(FILE)).unwrap_or_default()
}

#[test]
fn the_last_ask_is_never_asked_again_until_it_is_taken_back() {
    let before = "# mine\ndeadline-ms = 1900\n";
    let world = World::new();
    world.configure(before);
    assert_ask(&world.bash("rm -rf node_modules"), &[]);
    let ended = attended(&world, &["allow", "--last", "--yes", "--why", "npm makes it"]);
    let mut transcript = Transcript::default();
    transcript.add(&world, 0, &ended);
    for part in ["command = [\"rm\", \"-rf\"]", "targets = [\"node_modules\"]", "rules = [\"command-guard:"] {
        assert!(file(&world).contains(part), "{part}: {ended:?}");
    }
    assert!(file(&world).starts_with(before), "{}", file(&world));
    assert_silent(&world.bash("rm -rf node_modules"));
    assert_eq!(world.audit().last().unwrap()["rule"], json!("npm makes it"));
    for command in ["rm -rf src", "rm -rf node_modules src", "rm -rf node_modules && git push"] {
        assert_ask(&world.bash(command), &[]);
    }
    assert_deny(&world.bash("rm -rf /"), &[]);
    transcript.add(&world, 0, &world.run(&["allow"], ""));
    assert_eq!(world.run(&["allow", "--remove", "1"], "").exit, 0);
    assert_eq!(file(&world), before);
    assert_ask(&world.bash("rm -rf node_modules"), &[]);
    transcript.add(&world, 64, &world.run(&["allow", "--remove", "1"], ""));
    assert_text!("allow_last", transcript.0);
}

#[test]
fn it_shows_what_else_it_would_let_run() {
    let world = World::new();
    for command in ["rm -rf ./node_modules", "rm -rf other", "rm -rf node_modules"] {
        assert_ask(&world.bash(command), &[]);
    }
    let ended = attended(&world, &["allow", "--last", "--yes"]);
    // The asks in the log, and at least the policies' examples.
    let looked_at = ended.stdout.split("would also allow 1 of ").nth(1).and_then(|rest| rest.split(' ').next());
    assert!(looked_at.and_then(|count| count.parse::<u32>().ok()).is_some_and(|count| count > 5), "{ended:?}");
    assert_text!("allow_also", normalized_output(&world, &ended));
}

#[test]
fn what_an_older_allow_lets_run_is_not_what_a_new_one_adds() {
    let world = World::new();
    for command in ["rm -rf dist", "git push origin a && rm -rf node_modules", "git push origin a && rm -rf dist"] {
        assert_ask(&world.bash(command), &[]);
    }
    let first = attended(&world, &["allow", "rm -rf dist", "--yes", "--until", "2999-01-01"]);
    assert_eq!(first.exit, 0, "{first:?}");
    let second = attended(&world, &["allow", "git push origin b", "--yes"]);
    assert_text!("allow_nothing_else", &world, 0, second);
}

#[test]
fn what_is_wrong_is_told_as_what_it_is() {
    let world = World::new();
    let past = attended(&world, &["allow", "git push", "--until", "2020-01-01"]);
    assert_eq!(past.exit, 64, "{past:?}");
    let no_day = attended(&world, &["allow", "git push", "--until", "2026-02-30"]);
    assert_eq!(no_day.exit, 64, "{no_day:?}");
    world.configure("[[allow]]\ncommand = [\"git\", \"push\"]\nuntil = \"2020-01-01\"\n");
    let ended = world.run(&["allow"], "");
    world.configure("[[allow]\n");
    let broken = attended(&world, &["allow", "git push", "--yes"]);
    assert_eq!(broken.exit, 78, "{broken:?}");
    assert_text!(
        "allow_wrong",
        [past, no_day, ended, broken].map(|ended| normalized_output(&world, &ended)).join("\n")
    );
}

#[test]
fn a_call_of_two_commands_is_taken_back_as_a_whole() {
    let world = World::new();
    let call = "rm -rf build && git push origin topic";
    let ended = attended(&world, &["allow", call, "--yes"]);
    assert_text!("allow_two_commands", &world, 0, ended);
    assert_silent(&world.bash(call));
    assert_eq!(world.run(&["allow", "--remove", "1,2"], "").exit, 0);
    assert!(!world.path(FILE).exists(), "{}", file(&world));
    assert_ask(&world.bash(call), &[]);
}

#[test]
fn it_holds_in_this_project_unless_all_are_named() {
    for (all, silent) in [(false, false), (true, true)] {
        let world = World::new();
        let all: &[&str] = if all { &["--any-project"] } else { &[] };
        let ended = attended(&world, &[&["allow", "git push origin topic", "--yes"], all].concat());
        assert_eq!(ended.exit, 0, "{ended:?}");
        assert_silent(&world.bash("git push origin topic"));
        let payload = json!({
            "session_id": "s1", "cwd": world.home.path(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": "git push origin topic" },
        });
        assert_eq!(world.hook(&payload.to_string()).decision() == "", silent, "{ended:?}");
    }
}

#[test]
fn an_id_of_the_log_names_an_ask() {
    let world = World::new();
    assert_ask(&world.bash("rm -rf build"), &[]);
    assert_ask(&world.bash("rm -rf other"), &[]);
    let id = world.audit()[0]["id"].as_str().unwrap().to_owned();
    let ended = attended(&world, &["allow", "--id", &id, "--yes", "--until", "2999-01-31"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert!(file(&world).contains("until = \"2999-01-31\""), "{}", file(&world));
    assert_silent(&world.bash("rm -rf build"));
    assert_ask(&world.bash("rm -rf other"), &[]);
}

#[test]
fn what_no_allow_covers_changes_nothing() {
    let world = World::new();
    let mut shown = Vec::new();
    for (arguments, exit) in [
        (&["allow", "rm -rf /", "--yes"][..], 1),
        (&["allow", "ls", "--yes"], 1),
        (&["allow", "sudo rm -rf x", "--yes"], 1),
        (&["allow", "rm -rf \"$x/y\"", "--yes"], 1),
        (&["allow", "git push *", "--yes"], 1),
        (&["allow", "git push > log", "--yes"], 1),
        (&["allow", "rm -rf /opt/x", "--yes"], 1),
        (&["allow", "guard-host policy remove x", "--yes"], 1),
        (&["allow", "git push https://u:sw0rdfish-9f3k2@h.example/r", "--yes"], 1),
        (&["allow", "rm -rf x", "--yes", "--until", "soon"], 64),
        (&["allow", "--last", "--yes"], 1),
    ] {
        let ended = attended(&world, arguments);
        assert_eq!(ended.exit, exit, "{arguments:?}: {ended:?}");
        let typed = arguments.join(" ").replace("sw0rdfish-9f3k2", "SECRET");
        shown.push(format!("$ {typed}\n{}", normalized_output(&world, &ended)));
    }
    assert_ask(&world.bash("API_TOKEN=0123456789abcdef0123 git push origin topic"), &[]);
    let ended = attended(&world, &["allow", "--last", "--yes"]);
    assert_eq!(ended.exit, 1, "{ended:?}");
    shown.push(normalized_output(&world, &ended));
    assert_text!("allow_refused", shown.join("\n"));
    assert!(!world.path(FILE).exists());
}

#[test]
fn nobody_at_a_terminal_allows_nothing() {
    let world = World::new();
    assert_ask(&world.bash("rm -rf x"), &[]);
    for arguments in [&["allow", "--last", "--yes"][..], &["allow", "rm -rf x", "--yes"]] {
        let ended = world.run(arguments, "y\n");
        assert_eq!(ended.exit, 77, "{ended:?}");
    }
    assert_text!("allow_unattended", normalized_output(&world, &world.run(&["allow", "--last"], "")));
    assert!(!world.path(FILE).exists());
    assert_deny(&world.bash("guard-host allow --last --yes"), &["[self-protect: guard-command]"]);
}

/// Runs `allow` with a person's typed answer.
fn choose(world: &World, arguments: &[&str], typed: &str) -> ProcessOutput {
    attended_by(world, env!("CARGO_BIN_EXE_guard-host"), arguments, typed)
}

#[test]
fn a_wider_way_covers_each_new_branch_and_no_forced_push() {
    let world = World::new();
    assert_ask(&world.bash("git push -u origin feat/cart"), &["guard-host allow --last"]);
    let ended = choose(&world, &["allow", "--last"], "2\n");
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_text!("allow_choices", normalized_output(&world, &ended));
    for command in ["git push -u origin feat/cart", "git push origin other", "git push"] {
        assert_silent(&world.bash(command));
    }
    for command in [
        "git push -f origin feat/cart",
        "git push https://example.org/x.git",
        "git push origin $x",
        "git push origin --delete x",
        "git push --exec=/bin/sh origin x",
        "git push --rec=/tmp/x origin x",
        "git push --tags origin x",
        "git push --prune origin x",
        "git push other x",
        "git push ../other.git x",
        "git push . HEAD:x",
    ] {
        assert_ask(&world.bash(command), &[]);
    }
}

/// If only a catch-all rule asks, the allow is limited to the operation.
#[test]
fn a_question_of_a_catch_all_rule_ends_for_its_operation_alone() {
    let world = World::new();
    assert_ask(&world.bash("git branch -D topic"), &["destructive-effect"]);
    let shown = choose(&world, &["allow", "--last"], "n\n");
    assert_text!("allow_operation", normalized_output(&world, &shown));
    let line = shown.stdout.lines().find(|line| line.contains("git.branch.delete"));
    let number = line.and_then(|line| line.split_whitespace().next()).unwrap_or_else(|| panic!("{shown:?}"));
    let ended = choose(&world, &["allow", "--last", "--choose", number, "--yes"], "");
    assert!(ended.exit == 0 && file(&world).contains("lower = [\"git.branch.delete\"]"), "{ended:?}");
    assert_ne!(world.bash("git branch -D other").decision(), "ask");
    assert_ask(&world.bash("helm uninstall web"), &["destructive-effect"]);
    // A guessed effect is reported as such.
    let ended = choose(&world, &["allow", "make deploy"], "n\n");
    assert_text!("allow_guessed", normalized_output(&world, &ended));
}

#[test]
fn a_question_of_a_projects_policy_names_its_file() {
    let world = World::new();
    world.write(
        "repo/.guard/guard.toml",
        "[[policy]]\nname = \"ours\"\nsource = \"builtin:write-control\"\n\
         settings = { protected = [\"db/migrations\"], shell = true }\n",
    );
    let mut told = Transcript::default();
    told.ask(&world, &world.bash("npx prettier --write ."), &["[ours: protected-among]"]);
    told.add(&world, 1, &attended(&world, &["allow", "--last"]));
    assert_text!("allow_of_a_project", told.0);
}

/// The session's earlier calls are part of the prompt, so the allow covers the rule that asks because of them.
#[test]
fn an_allow_ends_a_prompt_of_two_policies_in_its_session() {
    let world = World::new();
    let read = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Read",
        "tool_input": { "file_path": world.path("repo/.env") },
    });
    assert_ask(&world.hook(&read.to_string()), &[]);
    assert_ask(&world.bash("npm publish"), &["publish-package", "secret-then-network"]);
    let ended = attended(&world, &["allow", "--last", "--yes"]);
    assert_text!("allow_in_session", &world, 0, ended);
    assert_silent(&world.bash("npm publish"));
    assert_ask(&world.bash("npm publish --tag next"), &["secret-then-network"]);
}

#[test]
fn a_way_by_targets_covers_the_folder_alone() {
    let world = World::new();
    assert_ask(&world.bash("git push origin feat/cart"), &[]);
    let ended = choose(&world, &["allow", "--last", "--choose", "3", "--yes"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_silent(&world.bash("git push origin feat/other"));
    assert_ask(&world.bash("git push origin topic"), &[]);
    assert_ask(&world.bash("rm -rf build/web"), &[]);
    let ended = choose(&world, &["allow", "--last", "--choose", "2", "--yes"], "");
    assert_text!("allow_targets", &world, 0, ended);
    assert_silent(&world.bash("rm -rf build/api"));
    assert_ask(&world.bash("rm -rf src"), &[]);
}

#[test]
fn a_question_of_a_file_tool_ends_by_a_setting() {
    let world = World::new();
    let edit = |file: &str| {
        let payload = json!({
            "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Edit",
            "tool_input": { "file_path": file, "old_string": "a", "new_string": "b" },
        });
        world.hook(&payload.to_string())
    };
    assert_ask(&edit("Dockerfile"), &[OFFER]);
    let ended = choose(&world, &["allow", "--last"], "1\n");
    assert_text!("allow_file_tool", &world, 0, ended);
    assert!(file(&world).contains("confirm = [\"!Dockerfile\"]"), "{}", file(&world));
    assert_eq!(edit("Dockerfile").decision(), "");
    assert_ask(&edit("Makefile"), &[]);
    let silenced = choose(&world, &["allow", "--last"], "3\n");
    assert!(silenced.exit == 0 && file(&world).contains("silence = [\"sensitive-file\"]"), "{silenced:?}");
    assert_eq!(edit("Makefile").decision(), "");
}

#[test]
fn a_question_about_a_read_ends_for_this_file() {
    let world = World::new();
    world.write("repo/.env", "A=1\n");
    world.write("repo/prod/.env", "A=1\n");
    let absolute = world.path("repo/.env").to_string_lossy().into_owned();
    let read = |path: &str| call(&world, "Read", json!({ "file_path": path }));
    for (typed, path) in [(".env", ".env"), (absolute.as_str(), absolute.as_str())] {
        assert_ask(&read(typed), &[OFFER]);
        let ended = choose(&world, &["allow", "--last"], "1\n");
        if typed == ".env" {
            assert_text!("allow_read", &world, 0, ended);
        }
        assert!(file(&world).contains(&format!("reads = [\"!{absolute}\"]")), "{}", file(&world));
        assert_eq!(read(path).decision(), "");
        world.configure("");
    }
    choose(&world, &["allow", "--last"], "1\n");
    assert_ask(&read("prod/.env"), &[]);
    assert_deny(&call(&world, "Write", json!({ "file_path": ".env", "content": "" })), &[]);
    // A link to the file is treated as the file.
    std::os::unix::fs::symlink(world.path("repo/.env"), world.path("repo/prod/.env.link")).unwrap();
    assert_ask(&read("prod/.env.link"), &[]);
    choose(&world, &["allow", "--last"], "1\n");
    assert_eq!(read("prod/.env.link").decision(), "");
}

/// A project's policy may have the name of one of the user's policies, whose settings don't affect it.
#[test]
fn a_setting_is_offered_only_where_it_ends_the_question() {
    let world = World::new();
    world.write("repo/.guard/guard.toml", "[[policy]]\nname = \"command-guard\"\n");
    assert_ask(&world.bash("git push origin topic"), &[OFFER]);
    let ended = choose(&world, &["allow", "--last", "--choose", "9"], "");
    assert_eq!(ended.exit, 64, "{ended:?}");
    assert_eq!(choose(&world, &["allow", "--last", "--yes"], "").exit, 0);
    assert_eq!(world.bash("git push origin topic").decision(), "");
    // If only a setting could remove the prompt, nothing is offered.
    assert!(!world.bash("(git push origin topic)").reason().contains(OFFER));
}

#[test]
fn two_entries_of_a_policy_ask_with_one_paragraph_and_each_option_ends_both() {
    let world = World::new();
    let entries = "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\n";
    for number in 1..=5 {
        world.configure(entries);
        let asked = world.bash("git push origin feat/topic");
        assert_ask(&asked, &[]);
        assert_eq!(asked.reason().matches("publishes commits").count(), 1, "{}", asked.reason());
        let number = number.to_string();
        assert_eq!(choose(&world, &["allow", "--last", "--choose", &number, "--yes"], "").exit, 0, "{number}");
        assert_eq!(world.bash("git push origin feat/topic").decision(), "", "{number}: {}", file(&world));
    }
    world.configure(entries);
    assert_eq!(world.bash("git push --force origin main").reason().matches("rewrites").count(), 1);
}

#[test]
fn no_answer_and_a_wrong_number_change_nothing() {
    let world = World::new();
    assert_ask(&world.bash("git push origin topic"), &[]);
    let mut answers = String::new();
    for (typed, exit) in [("\n", 0), ("no\n", 0), ("n\n", 0), ("9\n", 64), ("0\n", 64), ("first\n", 64)] {
        let ended = choose(&world, &["allow", "--last"], typed);
        assert_eq!(ended.exit, exit, "{typed}: {ended:?}");
        answers += &format!("$ {typed}{}", ended.stdout.rsplit("\n\n").next().unwrap());
    }
    let mut transcript = Transcript(normalize(&world, &answers));
    transcript.add(&world, 64, &choose(&world, &["allow", "--last", "--choose", "9", "--yes"], ""));
    assert_text!("allow_no_such_choice", transcript.0);
    assert!(!world.path(FILE).exists());
}

#[test]
fn an_ask_that_nothing_ends_says_so() {
    let world = World::new();
    let payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Edit",
        "tool_input": { "file_path": world.path(".claude/settings.json"), "old_string": "a", "new_string": "b" },
    });
    let asked = world.hook(&payload.to_string());
    let mut told = Transcript::default();
    told.ask(&world, &asked, &["[self-protect: hook-registration]"]);
    assert_text!("allow_never", told.0);
}

#[test]
fn a_setting_is_shown_with_the_denials_that_it_loosens() {
    let world = World::new();
    assert_ask(&world.bash("git push --force-with-lease origin main"), &[]);
    assert_deny(&world.bash("git push --force origin main"), &[]);
    let ended = attended_by(&world, env!("CARGO_BIN_EXE_guard-host"), &["allow", "--last"], "n\n");
    assert_text!("allow_loosening", normalized_output(&world, &ended));
    assert_eq!(attended(&world, &["allow", "--last", "--choose", "99"]).exit, 64);
}

/// Runs the hook for a tool call in the project.
fn call(world: &World, tool: &str, input: serde_json::Value) -> ProcessOutput {
    let payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "permission_mode": "default",
        "tool_name": tool, "tool_input": input,
    });
    world.hook(&payload.to_string())
}

#[test]
fn one_change_ends_a_question_of_two_policies() {
    for (tool, input) in [
        ("Bash", json!({ "command": "rm -rf ~/Downloads/old" })),
        ("Edit", json!({ "file_path": "~/.bashrc", "old_string": "a", "new_string": "b" })),
    ] {
        let world = World::new();
        world.configure("preset = \"full\"\n");
        world.write("Downloads/old/a", "x");
        let input = input.to_string().replace("~/.bashrc", text(&world.path(".bashrc")));
        let input: serde_json::Value = serde_json::from_str(&input).unwrap();
        assert_ask(&call(&world, tool, input.clone()), &["_outside_safe", OFFER]);
        let ended = choose(&world, &["allow", "--last"], "1\n");
        assert_eq!(ended.exit, 0, "{ended:?}");
        assert_ne!(call(&world, tool, input).decision(), "ask", "{}", file(&world));
    }
}

/// The offer below a prompt.
const OFFER: &str = "guard-host allow --last";

#[test]
fn a_question_about_earlier_calls_ends_by_its_first_option() {
    let world = World::new();
    assert_ask(&call(&world, "Read", json!({ "file_path": world.path("repo/.env") })), &[]);
    let publish = || call(&world, "Bash", json!({ "command": "curl -d @a https://example.org/" }));
    assert_ask(&publish(), &["[session-guard: secret-then-network]", OFFER]);
    let ended = choose(&world, &["allow", "--last"], "1\n");
    assert_text!("allow_earlier_calls", &world, 0, ended);
    assert_ne!(publish().decision(), "ask", "{}", file(&world));
}

/// `allow` changes the chain, which doesn't include such a policy.
#[test]
fn a_hook_of_one_policy_outside_of_the_chain_offers_no_allow() {
    let world = World::new();
    let settings = json!({ "version": 1, "rules": { "bash": [{ "pattern": "mytool go", "action": "confirm" }] } });
    world.write(".claude/state/guardrails.json", settings.to_string());
    let hook = |only: &str| {
        let payload = json!({
            "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "permission_mode": "default",
            "tool_name": "Bash", "tool_input": { "command": "mytool go" },
        });
        world.run(&["hook", "claude", "--only", only], &payload.to_string()).reason()
    };
    assert_eq!(
        hook("path-context"),
        "GUARDRAIL CONFIRM: a pattern in the settings matches.\nTarget: mytool go\nRule: mytool go"
    );
    assert_text!("allow_not_in_the_chain", &world, 1, attended(&world, &["allow", "--last", "--yes"]));
    world.configure("preset = \"full\"\n");
    assert!(hook("path-context").contains(OFFER));
}

#[test]
fn a_fault_offers_no_allow() {
    let world = World::new();
    world.configure("preset = \n");
    let asked = world.bash("rm -rf src");
    assert_ask(&asked, &["[config: broken-config]", "[command-guard: rm-recursive-force]"]);
    assert!(!asked.reason().contains(OFFER), "{asked:?}");
}

/// A block by the script that the policy replaces, for a program without prompts: the message offers neither a copy nor
/// an allow.
#[test]
fn s2_43_a_question_that_refuses_names_what_to_do_and_nothing_else() {
    let world = World::new();
    world.write("Downloads/old/a", "x");
    let hook = |command: &str| {
        let payload = json!({ "tool_name": "Bash", "tool_input": { "command": command } });
        let ended = world.run(&["hook", "generic", "--only", "path-context"], &payload.to_string());
        let answer: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        answer["reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        hook("rm -rf ~/Downloads/old"),
        "GUARDRAIL BLOCKED: 'rm' outside safe paths.\nTarget: ~/Downloads/old\nRule: rm_outside_safe\n\n\
         To proceed, confirm with user then run:\nguard-host confirm 'rm -rf ~/Downloads/old'"
    );
    let denied = hook("rm -rf /");
    assert!(denied.contains("\nRule: rm_rf_root\n") && !denied.contains("[path-context"), "{denied}");
}
