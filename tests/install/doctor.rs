//! `doctor`: its findings, the remedy of each, and its exit code.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use super::{SETTINGS, done, text};
use crate::support::reply::assert_deny;
use crate::support::texts::{lines_about, normalize};
use crate::support::world::{World, end};
use crate::texts::assert_text;

/// Returns the findings of doctor, and its exit code. Every problem has a remedy.
#[track_caller]
fn examine(world: &World, more: &[&str]) -> (i32, Vec<Value>) {
    let ended = world.run(&[&["doctor", "--format", "json"], more].concat(), "");
    assert_eq!(ended.stderr, "");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let findings = report["findings"].as_array().unwrap().clone();
    assert_eq!(report["fine"], json!(ended.exit == 0));
    for finding in &findings {
        let keys: Vec<&str> = finding.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["check", "remedy", "state", "text"]);
        assert!(finding["state"] == "ok" || !finding["remedy"].as_str().unwrap().is_empty(), "{finding}");
    }
    (ended.exit, findings)
}

/// Returns the problems, as `check: text -> remedy`.
fn problems(findings: &[Value]) -> Vec<String> {
    let problems = findings.iter().filter(|finding| finding["state"] == "problem");
    let shown = |finding: &Value| {
        let part = |key: &str| finding[key].as_str().unwrap().to_owned();
        format!("{}: {} -> {}", part("check"), part("text"), part("remedy"))
    };
    problems.map(shown).collect()
}

/// Returns the only problem that doctor finds, which must be of this check.
#[track_caller]
fn one_problem(world: &World, check: &str) -> String {
    let told = all_problems(world);
    assert!(told.len() == 1 && told[0].starts_with(check), "{told:#?}");
    told.concat()
}

/// Returns the problems that doctor finds, as lines for a snapshot.
#[track_caller]
fn all_problems(world: &World) -> Vec<String> {
    let (exit, findings) = examine(world, &[]);
    assert_eq!(exit, 69, "{findings:#?}");
    problems(&findings).iter().map(|problem| normalize(world, &format!("{problem}\n"))).collect()
}

/// Copies a program in another process. If this process had the file open for writing while a concurrent test forks,
/// the program couldn't be started.
fn copy(from: &str, to: &std::path::Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    let copied = std::process::Command::new("cp").arg(from).arg(to).status().unwrap();
    assert!(copied.success());
    fs::set_permissions(to, fs::Permissions::from_mode(0o755)).unwrap();
}

fn installed() -> World {
    let world = World::new();
    done(&world, &["install", "claude"]);
    world
}

#[test]
fn what_was_installed_is_fine() {
    let world = installed();
    let (exit, findings) = examine(&world, &[]);
    assert_eq!((exit, problems(&findings)), (0, Vec::<String>::new()));
    let of = |check: &str| findings.iter().filter(|finding| finding["check"] == check).count();
    for check in ["registration", "program", "failure", "switches", "configuration", "canary", "cost", "artifacts"] {
        assert_eq!(of(check), 1, "{check}: {findings:#?}");
    }
    assert_eq!(of("folders"), 2);
    assert!(findings.iter().all(|finding| finding["state"] == "ok"), "{findings:#?}");
    let human = world.run(&["doctor"], "");
    assert_eq!((human.exit, human.stdout.lines().count()), (0, findings.len()));
    let told = ["canary: ", "cost: ", "failure: "].map(|check| lines_about(&human.stdout, check));
    assert_text!("doctor_fine", normalize(&world, &told.concat()));
}

#[test]
fn the_first_run_in_a_fresh_home_is_fine() {
    let world = installed();
    [".local/state/guard-host", ".cache/guard-host"].iter().for_each(|at| fs::remove_dir_all(world.path(at)).unwrap());
    let (exit, findings) = examine(&world, &[]);
    let told = findings.iter().filter(|finding| finding["text"].to_string().contains("doesn't exist yet")).count();
    assert_eq!((exit, problems(&findings), told), (0, Vec::new(), 2));
}

#[test]
fn a_copy_is_tried_and_restored_and_one_line_says_what_is_kept() {
    let world = installed();
    // Other tests run concurrently.
    world.configure("[undo]\nmax-ms = 1500\n");
    let tried = || {
        let (_, findings) = examine(&world, &[]);
        let of: Vec<&Value> = findings.iter().filter(|finding| finding["check"] == "undo").collect();
        assert_eq!(of.len(), 1, "{findings:#?}");
        [&of[0]["state"], &of[0]["text"], &of[0]["remedy"]].map(|value| value.as_str().unwrap().to_owned())
    };
    let [state, mut told, _] = tried();
    assert_eq!(state, "ok", "{told}");
    // The rehearsal isn't in any list, and its folder is removed.
    assert_eq!(world.run(&["undo", "list", "--all"], "").stdout, "no copies are kept\n");
    let names = fs::read_dir(world.path(".local/state/guard-host")).unwrap().flatten();
    assert!(names.into_iter().all(|entry| !entry.file_name().to_string_lossy().contains("rehearsal")));
    for (settings, expected) in [("max-ms = 1500\nmax-bytes = 5", "problem"), ("enabled = false", "note")] {
        world.configure(&format!("[undo]\n{settings}\n"));
        let [state, text, remedy] = tried();
        assert_eq!(state, expected, "{text}");
        told += &format!("\n{text} -> {remedy}");
    }
    assert_text!("doctor_undo", normalize(&world, &told));
}

#[test]
fn its_test_calls_are_no_calls_of_an_agent() {
    let world = installed();
    assert_eq!(examine(&world, &[]).0, 0);
    assert!(!world.audit().is_empty());
    let lines = |more: &[&str]| {
        let ended = world.run(&[&["audit", "stats", "--format", "json"], more].concat(), "");
        serde_json::from_str::<Value>(&ended.stdout).unwrap()["lines"].as_u64().unwrap()
    };
    assert_eq!(lines(&[]), 0);
    assert!(lines(&["--session", "guard-host-doctor"]) > 0);
}

#[test]
fn nothing_is_registered_before_it_is() {
    let world = World::new();
    done(&world, &["cache", "warm"]);
    assert_text!("doctor_unregistered", one_problem(&world, "registration: "));
    assert_eq!(world.run(&["doctor", "no-such-harness"], "").exit, 64);
}

#[test]
fn what_the_user_narrowed_is_a_note() {
    let world = World::new();
    done(&world, &["install", "claude", "--matcher", "Bash|Write|Edit|MultiEdit", "--fail-open"]);
    let (exit, findings) = examine(&world, &[]);
    let notes: Vec<&str> =
        findings.iter().filter(|one| one["state"] == "note").filter_map(|one| one["text"].as_str()).collect();
    assert_eq!((exit, notes.len()), (0, 2), "{findings:#?}");
    assert_text!("doctor_narrowed", normalize(&world, &notes.join("\n")));
}

#[test]
fn a_program_that_vanished_is_a_problem() {
    let world = World::new();
    let program = world.path("bin/guard-host");
    copy(env!("CARGO_BIN_EXE_guard-host"), &program);
    copy(env!("CARGO_BIN_EXE_guard-host-tools"), &world.path("bin/guard-host-tools"));
    let mut install = std::process::Command::new(&program);
    install.args(["install", "claude"]).current_dir(world.repo()).env_clear().env("HOME", world.home.path());
    assert_eq!(end(install, "").exit, 0);
    done(&world, &["cache", "warm"]);
    let (exit, findings) = examine(&world, &[]);
    assert_eq!((exit, problems(&findings)), (0, Vec::<String>::new()), "a copy is as good");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    let mut told = all_problems(&world).concat();
    fs::remove_file(&program).unwrap();
    told += &all_problems(&world).concat();
    copy(text(&world.write("script", "#!/bin/sh\nexit 0\n")), &program);
    told += &all_problems(&world).concat();
    assert_text!("doctor_program", told);
    // The installation fixes it.
    done(&world, &["install", "claude"]);
    assert_eq!(examine(&world, &[]).0, 0);
}

#[test]
fn a_program_that_a_shell_cannot_start_is_a_problem() {
    let world = World::new();
    done(&world, &["cache", "warm"]);
    let handler = json!({ "type": "command", "command": "$HOME/bin/guard-host hook codex", "timeout": 20 });
    let hooks = json!({ "hooks": { "PreToolUse": [{ "matcher": "*", "hooks": [handler] }] } });
    world.write(".codex/hooks.json", hooks.to_string());
    let program = world.path("bin/guard-host");
    let mut told = String::new();
    for _ in 0..2 {
        let (exit, findings) = examine(&world, &["codex"]);
        assert_eq!(exit, 69, "{findings:#?}");
        told += &problems(&findings).join("\n");
        told += "\n";
        copy(env!("CARGO_BIN_EXE_guard-host"), &program);
        fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    }
    assert_text!("doctor_program_by_shell", normalize(&world, &told));
}

#[test]
fn after_an_upgrade_it_says_what_to_refresh_and_the_first_call_works() {
    let world = World::new();
    let older = json!({ "type": "command", "command": env!("CARGO_BIN_EXE_guard-host"), "args": ["hook", "claude"] });
    world.write(SETTINGS, json!({ "hooks": { "PreToolUse": [{ "matcher": "*", "hooks": [older] }] } }).to_string());
    // A chain that another version prepared isn't used.
    world.write(".cache/guard-host/chains/older.chain", "{}");
    fs::set_permissions(world.path(".cache/guard-host"), fs::Permissions::from_mode(0o700)).unwrap();
    let ended = world.run(&["doctor"], "");
    assert_eq!(ended.exit, 69);
    let told = ["registration: ", "artifacts: ", "canary: "].map(|check| lines_about(&ended.stdout, check));
    assert_text!("doctor_after_upgrade", normalize(&world, &told.concat()));
    let second = World::new();
    second.write(".cache/guard-host/chains/older.chain", "{}");
    assert_deny(&second.bash("rm -rf /"), &[]);
    done(&world, &["install", "claude"]);
    assert_eq!(examine(&world, &[]).0, 0);
}

#[test]
fn a_setting_that_switches_hooks_off_is_a_problem() {
    let mut told = String::new();
    for file in [SETTINGS, "repo/.claude/settings.json", "repo/.claude/settings.local.json"] {
        let world = World::new();
        world.write(file, "{ \"disableAllHooks\": true }");
        done(&world, &["install", "claude"]);
        told += &one_problem(&world, "switches: ");
    }
    let world = installed();
    world.write("repo/.claude/settings.local.json", "{ \"disableAllHooks\": false }");
    assert_eq!(examine(&world, &[]).0, 0);
    world.write("repo/.claude/settings.local.json", "{ oops");
    assert_text!("doctor_switches", told + &one_problem(&world, ""));
}

#[test]
fn an_entry_that_decides_nothing_is_a_problem() {
    let mut told = String::new();
    for (key, value) in [
        ("async", json!(true)),
        ("if", json!("Bash(git *)")),
        ("timeout", json!(1)),
        ("timeout", json!(0.5)),
        ("timeout", json!("20")),
    ] {
        let world = installed();
        let mut settings = super::json(&world, SETTINGS);
        settings["hooks"]["PreToolUse"][0]["hooks"][0][key] = value;
        world.write(SETTINGS, settings.to_string());
        told += &one_problem(&world, "registration: ");
    }
    assert_text!("doctor_entry", told);
}

/// Writes the settings with another value in the group, or in its handler.
fn changed(world: &World, pointer: &str, value: Value) {
    let mut settings = super::json(world, SETTINGS);
    *settings.pointer_mut(&format!("/hooks/PreToolUse/0{pointer}")).unwrap() = value;
    world.write(SETTINGS, settings.to_string());
}

#[test]
fn a_handler_of_another_type_is_a_problem_and_proves_nothing() {
    let mut told = String::new();
    for kind in [json!("prompt"), json!("agent"), json!("Command"), json!(null)] {
        let world = installed();
        changed(&world, "/hooks/0/type", kind);
        told += &all_problems(&world).concat();
        let (_, findings) = examine(&world, &[]);
        assert!(!findings.iter().any(|one| one["check"] == "canary" && one["state"] == "ok"), "{findings:#?}");
    }
    assert_text!("doctor_handler", told);
}

#[test]
fn a_matcher_that_leaves_tools_out_is_a_problem_that_names_them() {
    let mut told = String::new();
    for (matcher, tried) in [
        (json!("bash"), false),
        (json!("["), false),
        (json!(7), false),
        (json!("Write|Edit"), false),
        (json!("^Write"), false),
        (json!("Bash|Write|Edit"), true),
    ] {
        let world = installed();
        changed(&world, "/matcher", matcher.clone());
        told += &all_problems(&world).concat();
        let (_, findings) = examine(&world, &[]);
        let proven = findings.iter().any(|one| one["check"] == "canary" && one["state"] == "ok");
        assert_eq!(proven, tried, "{matcher}: {findings:#?}");
    }
    assert_text!("doctor_matcher", told);
}

#[test]
fn what_one_scope_leaves_out_another_may_cover() {
    let world = World::new();
    done(&world, &["install", "claude", "--matcher", "Bash"]);
    assert_text!("doctor_scope", one_problem(&world, "registration: "));
    done(&world, &["install", "claude", "--scope", "project", "--matcher", ".*Edit|^Write$"]);
    assert_eq!(examine(&world, &[]).0, 0);
}

#[test]
fn s2_26_a_configuration_that_is_broken_is_a_problem() {
    let world = installed();
    world.write("guardrails.json", "{");
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings-file = \"~/guardrails.json\"\n");
    done(&world, &["cache", "warm"]);
    let told = all_problems(&world).concat();
    assert_eq!(world.run(&["config", "check"], "").exit, 78);
    assert_deny(&world.bash("rm -rf /"), &[]);
    world.configure("preset = \n");
    assert_text!("doctor_configuration", told + &all_problems(&world).concat());
}

#[test]
fn s2_14_settings_that_a_policy_cannot_use_are_a_problem() {
    let world = installed();
    world.write("guardrails.json", "{ \"version\": 7 }");
    world.configure("[[policy]]\nname = \"path-context\"\nsettings-file = \"~/guardrails.json\"\n");
    done(&world, &["cache", "warm"]);
    assert_text!("doctor_settings", one_problem(&world, "policies: "));
    world.write("guardrails.json", "{ \"version\": 1 }");
    done(&world, &["cache", "warm"]);
    assert_eq!(examine(&world, &[]).0, 0);
}

#[test]
fn a_chain_that_denies_nothing_is_a_problem() {
    let world = installed();
    world.configure("preset = \"none\"\n");
    done(&world, &["cache", "warm"]);
    assert_text!("doctor_harmless", one_problem(&world, "canary: "));
}

#[test]
fn folders_that_others_can_write_to_are_a_problem() {
    let told = [".local/state/guard-host", ".cache/guard-host"].map(|folder| {
        let world = installed();
        fs::set_permissions(world.path(folder), fs::Permissions::from_mode(0o777)).unwrap();
        all_problems(&world).concat()
    });
    assert_text!("doctor_folders", told.concat());
}

#[test]
fn what_a_repository_names_is_not_started() {
    let world = installed();
    let program = world.write("repo/guard-host", "#!/bin/sh\ntouch started\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for handler in [
        json!({ "type": "command", "command": text(&program), "args": ["hook", "claude"] }),
        json!({ "type": "command", "command": "./guard-host hook claude" }),
        json!({ "type": "command", "command": "./guard-host", "args": ["hook", "claude"] }),
    ] {
        let settings = json!({ "hooks": { "PreToolUse": [{ "matcher": "*", "hooks": [handler] }] } });
        world.write("repo/.claude/settings.json", settings.to_string());
        let (_, findings) = examine(&world, &[]);
        let is_of_repo = |one: &&Value| one["text"].as_str().unwrap().contains("/repo/.claude/settings.json");
        let told = findings.iter().filter(is_of_repo).find(|one| one["check"] == "canary");
        assert!(told.is_some_and(|one| one["state"] != "ok"), "{findings:#?}");
        assert!(!world.path("repo/started").exists());
    }
}

#[test]
fn s1_99b_each_script_is_tried_with_a_call_that_its_own_policy_denies() {
    let world = World::new();
    for (matcher, name) in [
        ("Bash", "dangerous-command-guard.sh"),
        ("Write|Edit|MultiEdit", "protected-files-guard.py"),
        ("Bash", "nous-plan-enforcer"),
    ] {
        done(&world, &["install", "claude", "--matcher", matcher, "--shim", name]);
    }
    let (exit, findings) = examine(&world, &[]);
    assert_eq!(exit, 0, "{findings:#?}");
    let told = findings.iter().filter(|one| one["check"] == "canary").map(|one| format!("{}\n", one["text"]));
    assert_text!("doctor_scripts", normalize(&world, &told.collect::<String>()));
}

#[test]
fn s4_99b_a_plugin_can_be_looked_into() {
    let world = World::new();
    done(&world, &["install", "claude", "--plugin", "p", "--shim", "write-control.sh"]);
    one_problem(&world, "registration: ");
    assert_eq!(examine(&world, &["--plugin", "p"]).0, 0);
    let script = world.path("repo/p/hooks/write-control.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(examine(&world, &["--plugin", "p"]).0, 69);
}

#[test]
fn a_version_newer_than_those_that_were_seen_is_told() {
    for (version, expected) in [("9999.0.1", true), ("0.1.0", false)] {
        let world = World::new();
        for (program, printed) in
            [("claude", format!("{version} (Claude Code)")), ("codex", format!("codex-cli {version}"))]
        {
            let file = world.write(&format!("bin/{program}"), format!("#!/bin/sh\necho '{printed}'\n"));
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        for harness in ["claude", "codex"] {
            let mut command = world.command(&["doctor", harness]);
            command.env("PATH", format!("{}:/usr/bin:/bin", world.path("bin").display()));
            let told = end(command, "").stdout;
            assert_eq!(told.contains(&format!("`{harness}` {version}")), expected, "{told}");
        }
    }
}

/// A project's hook only contains the program's name, so each user's PATH must include it.
#[test]
fn a_shared_hook_without_the_program_on_the_path_is_a_problem() {
    let mut told = String::new();
    for more in [&["--matcher", "Bash", "--shim", "dangerous-command-guard.sh"][..], &["--matcher", "Bash"]] {
        let world = World::new();
        done(&world, &[&["install", "claude", "--scope", "project", "--shared"], more].concat());
        let doctor = |path: &str| {
            let mut command = world.command(&["doctor"]);
            command.env("PATH", path);
            end(command, "")
        };
        let ended = doctor("/usr/bin:/bin");
        assert_eq!(ended.exit, 69, "{more:?}: {ended:?}");
        told += &normalize(&world, &lines_about(&ended.stdout, "program: "));
        fs::create_dir_all(world.path("bin")).unwrap();
        symlink(env!("CARGO_BIN_EXE_guard-host"), world.path("bin/guard-host")).unwrap();
        let ended = doctor(&format!("{}:/usr/bin:/bin", text(&world.path("bin"))));
        told += &normalize(&world, &lines_about(&ended.stdout, "canary: "));
    }
    assert_text!("doctor_shared", told);
}

#[test]
fn a_script_that_is_gone_or_cannot_be_started_is_a_problem() {
    let world = installed();
    let shared = ["install", "claude", "--scope", "project", "--shared", "--shim", "dangerous-command-guard.sh"];
    done(&world, &shared);
    let script = world.path("repo/.claude/hooks/dangerous-command-guard.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).unwrap();
    let told = all_problems(&world).concat();
    fs::remove_file(&script).unwrap();
    assert_text!("doctor_script", told + &all_problems(&world).concat());
    // The entry is this program's, whose line blocks every call, and is removed like any other.
    done(&world, &["uninstall", "claude", "--scope", "project", "--shared"]);
    assert!(!world.path("repo/.claude/settings.json").exists());
}

/// `config check` and `doctor` read each settings file that a registered hook reads.
#[test]
fn s2_18_a_settings_file_that_only_a_script_reads_is_checked() {
    const BROKEN: &str =
        r#"{ "version": 1, "_comment": "x", "rules": { "bash": [{ "pattern": "foo(bar", "action": "block" }] } }"#;
    const HOOKS: &str = ".claude/hooks/hooks.json";
    let mut told = String::new();
    for (arguments, file) in [
        (&["--shim", "guardrail.py"][..], ".claude/state/guardrails.json"),
        (&["--shim", "guardrail.py"], ".claude/hooks/config/guardrails.json"),
        (&["--only", "path-context"], ".claude/state/guardrails.json"),
        (&["--shim", "guardrail.py", "--hooks-file", HOOKS], ".claude/state/guardrails.json"),
        (&["--plugin", "repo/p", "--shim", "guardrail.py"], "repo/p/hooks/config/guardrails.json"),
    ] {
        let world = World::new();
        let at_home = |arguments: &[&str]| {
            let mut command = world.command(arguments);
            command.current_dir(world.home.path());
            end(command, "")
        };
        let ended = at_home(&[&["install", "claude"], arguments].concat());
        assert_eq!(ended.exit, 0, "{ended:?}");
        for command in [&["config", "check"][..], &["doctor"]] {
            world.write(file, BROKEN);
            let ended = at_home(command);
            assert!(matches!(ended.exit, 69 | 78), "{arguments:?} {command:?}: {ended:?}");
            told += &normalize(&world, &lines_about(&format!("{}{}", ended.stdout, ended.stderr), file));
            world.write(file, r#"{ "version": 1 }"#);
            let ended = at_home(command);
            assert!(!format!("{}{}", ended.stdout, ended.stderr).contains("guardrails.json"), "{ended:?}");
        }
        // A named file may be meant for another machine.
        world.write(file, BROKEN);
        world.configure("");
        let named = at_home(&["config", "check", text(&world.path(".config/guard-host/guard.toml"))]);
        assert_eq!(named.exit, 0, "{named:?}");
    }
    assert_text!("doctor_settings_of_scripts", told);
    let world = World::new();
    done(&world, &["install", "codex", "--only", "path-context"]);
    world.write(".claude/state/guardrails.json", BROKEN);
    assert_eq!(world.run(&["config", "check"], "").exit, 78);
}

#[test]
fn a_hook_of_another_harness_that_asks_one_policy_is_tried_with_its_own_call() {
    let world = World::new();
    done(&world, &["install", "qwen", "--only", "path-context"]);
    let (_, findings) = examine(&world, &["qwen"]);
    assert!(findings.iter().any(|one| one["check"] == "canary" && one["state"] == "ok"), "{findings:#?}");
}
