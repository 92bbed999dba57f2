//! The hook's start: its arguments, its variables, its folder, its mode.

use serde_json::json;

use crate::support::reply::{assert_ask, assert_deny, assert_silent, assert_warn};
use crate::support::world::{ProcessOutput, World, end};

const REMOVE_ALL: &str = "{\"tool_input\":{\"command\":\"rm -rf /\"}}";

/// A call that only `command-guard` denies.
const FORCED: &str = "{\"tool_input\":{\"command\":\"git push --force origin main\"}}";

#[test]
fn an_argument_that_makes_no_sense_is_asked_about_and_never_an_exit_code_of_its_own() {
    let world = World::new();
    let wrong: [&[&str]; 11] = [
        &["hook", "no-such-harness"],
        &["hook", "--no-such-flag"],
        &["hook", "claude", "more"],
        &["hook", "claude", "--only"],
        &["hook", "claude", "--config", ""],
        &["--state", "", "hook", "claude"],
        &["--no-such-flag", "hook", "claude"],
        &["hook", "claude", "--config"],
        &["hook", ""],
        &["hook", "claude", "-x"],
        &["hook", "claude", "--only", "command-guard", "--only-"],
    ];
    for arguments in wrong {
        assert_ask(&world.run(arguments, REMOVE_ALL), &["[hook: bad-arguments]"]);
    }
}

#[test]
fn arguments_that_are_no_text_are_asked_about() {
    use std::os::unix::ffi::OsStrExt;

    let world = World::new();
    let mut command = world.command(&["hook"]);
    command.arg(std::ffi::OsStr::from_bytes(b"\xff\xfe"));
    assert_ask(&end(command, REMOVE_ALL), &["[hook: bad-arguments]"]);
}

#[test]
fn without_a_harness_the_payload_tells() {
    assert_deny(&World::new().run(&["hook"], REMOVE_ALL), &[]);
}

/// S1-70, S1-71.
#[test]
fn only_runs_the_named_part_of_the_chain() {
    let world = World::new();
    let only = |names: &str, payload: &str| world.run(&["hook", "claude", "--only", names], payload);
    let write = "{\"tool_input\":{\"file_path\":\".env\"}}";
    assert_deny(&only("command-guard", REMOVE_ALL), &[]);
    assert_silent(&only("protected-files", FORCED));
    assert_deny(&only("protected-files", write), &[]);
    assert_silent(&only("command-guard", write));
    assert_deny(&only("command-guard,protected-files", write), &[]);
    assert_ask(&only("no-such-policy", REMOVE_ALL), &["`no-such-policy`"]);
    assert_deny(&only("command-guard,no-such-policy", REMOVE_ALL), &["`no-such-policy`"]);
    assert_ask(&only("", REMOVE_ALL), &[]);
}

#[test]
fn only_leaves_out_no_policy_that_the_user_cannot_loosen() {
    let world = World::new();
    let run = |command: &str| {
        let payload = json!({ "tool_name": "Bash", "tool_input": { "command": command }, "cwd": world.repo() });
        world.run(&["hook", "claude", "--only", "path-context"], &payload.to_string())
    };
    assert_deny(&run("guard-host pause 1h --all"), &["[self-protect: "]);
    assert_deny(&run("guard-host uninstall claude"), &["[self-protect: "]);
    assert_ask(&run("guard-host confirm 'rm -rf ~/Downloads/old'"), &["[self-protect: "]);
    assert_silent(&run("guard-host check ls"));
}

#[test]
fn only_hides_no_broken_configuration() {
    let world = World::new();
    world.configure("preset = \n");
    assert_ask(&world.run(&["hook", "claude", "--only", "protected-files"], REMOVE_ALL), &["guard.toml:1"]);
}

/// Runs the hook with absolute paths, as `install` registers it, and the environment of `change`.
fn placed(world: &World, change: impl FnOnce(&mut std::process::Command)) -> ProcessOutput {
    let path = |below: &str| world.path(below).to_string_lossy().into_owned();
    let (config, state, cache) =
        (path(".config/guard-host/guard.toml"), path(".local/state/guard-host"), path(".cache/guard-host"));
    let mut command = world.command(&["--config", &config, "--state", &state, "hook", "--cache", &cache, "claude"]);
    change(&mut command);
    end(command, REMOVE_ALL)
}

#[test]
fn no_home_changes_no_verdict() {
    let world = World::new();
    assert_deny(&placed(&world, |_| {}), &[]);
    assert_deny(
        &placed(&world, |command| {
            command.env_remove("HOME");
        }),
        &[],
    );
    for home in ["", "relative", ".", "/no/such/folder", "/", "//", "~"] {
        assert_deny(
            &placed(&world, |command| {
                command.env("HOME", home);
            }),
            &[],
        );
    }
}

#[test]
fn no_variable_moves_the_configuration() {
    let world = World::new();
    world.write("elsewhere/guard-host/guard.toml", "preset = \"none\"\n");
    let elsewhere = world.path("elsewhere");
    let mut command = world.command(&["hook", "claude"]);
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "GUARD_CONFIG", "GUARD_HOST_CONFIG"] {
        command.env(name, &elsewhere);
    }
    assert_deny(&end(command, REMOVE_ALL), &[]);
}

#[test]
fn a_working_directory_that_is_gone_changes_no_verdict() {
    let world = World::new();
    let gone = world.path("gone");
    std::fs::create_dir(&gone).unwrap();
    let mut shell = std::process::Command::new("sh");
    let script = "cd \"$1\" && rmdir \"$1\" && exec \"$0\" hook claude";
    shell.args(["-c", script, env!("CARGO_BIN_EXE_guard-host")]).arg(&gone);
    shell.env_clear().env("HOME", world.home.path()).env("PATH", std::env::var_os("PATH").unwrap());
    assert_deny(&end(shell, REMOVE_ALL), &[]);

    let payload = json!({ "cwd": gone, "tool_name": "Bash", "tool_input": { "command": "rm -rf /" } });
    assert_deny(&world.hook(&payload.to_string()), &[]);
    let payload = json!({ "cwd": gone, "tool_name": "Bash", "tool_input": { "command": "ls" } });
    assert_silent(&world.hook(&payload.to_string()));
}

#[test]
fn a_relative_working_directory_of_the_payload_does_not_count() {
    let world = World::new();
    for cwd in ["", ".", "..", "repo", "~"] {
        let payload = json!({ "cwd": cwd, "tool_name": "Write", "tool_input": { "file_path": ".env" } });
        assert_deny(&world.hook(&payload.to_string()), &[]);
    }
}

#[test]
fn the_project_is_the_harness_variable_or_else_the_repository_of_the_working_directory() {
    let world = World::new();
    let entry =
        "[[policy]]\nname = \"stricter\"\nsource = \"builtin:command-guard\"\nsettings = { raise = [\"git-push\"] }\n";
    world.write("repo/.guard/guard.toml", entry);
    std::fs::create_dir_all(world.path("repo/a/b")).unwrap();
    let push =
        |cwd: &str| json!({ "cwd": world.path(cwd), "tool_name": "Bash", "tool_input": { "command": "git push" } });
    assert_deny(&world.hook(&push("repo").to_string()), &["[stricter: git-push]"]);
    assert_deny(&world.hook(&push("repo/a/b").to_string()), &["[stricter: git-push]"]);
    std::fs::create_dir(world.path("other")).unwrap();
    assert_ask(&world.hook(&push("other").to_string()), &[]);
    let mut command = world.command(&["hook", "claude"]);
    command.env("CLAUDE_PROJECT_DIR", world.repo());
    assert_deny(&end(command, &push("other").to_string()), &["[stricter: git-push]"]);
}

#[test]
fn a_project_that_the_harness_names_does_not_hide_the_one_that_is_worked_on() {
    let world = World::new();
    let stricter = |name: &str| {
        format!(
            "[[policy]]\nname = \"{name}\"\nsource = \"builtin:command-guard\"\nsettings = {{ raise = [\"git-push\"] }}\n"
        )
    };
    std::fs::create_dir_all(world.path("named/.git")).unwrap();
    world.write("repo/.guard/guard.toml", stricter("of-repo"));
    let payload =
        json!({ "cwd": world.repo(), "tool_name": "Bash", "tool_input": { "command": "git push" } }).to_string();
    let named = |folder: &str| {
        let mut command = world.command(&["hook", "claude"]);
        command.env("CLAUDE_PROJECT_DIR", world.path(folder));
        end(command, &payload)
    };
    assert_deny(&named("named"), &["[of-repo: git-push]"]);
    assert_deny(&named("no-such-folder"), &["[of-repo: git-push]"]);
    world.write("named/.guard/guard.toml", stricter("of-named"));
    assert_deny(&named("named"), &["[of-named, of-repo: git-push]"]);
}

#[test]
fn a_skipped_prompt_spares_no_fault_and_no_broken_configuration() {
    let world = World::new();
    let skip = "bypass-ask = \"skip\"\n";
    let payload =
        json!({ "permission_mode": "bypassPermissions", "tool_name": "Bash", "tool_input": { "command": "git push" } });
    let hook = || world.hook(&payload.to_string());
    world.configure(skip);
    assert_warn(&hook(), &["[command-guard: git-push]"]);
    world.configure(&format!("{skip}[[policy]]\nname = \"gone\"\nsource = \"gone.wasm\"\n"));
    assert_ask(&hook(), &["[gone: policy-fault]"]);
    world.configure(skip);
    world.write("repo/.guard/guard.toml", "preset = \"none\"\n");
    let mut in_project = payload.clone();
    in_project["cwd"] = json!(world.repo());
    assert_ask(&world.hook(&in_project.to_string()), &["[config: broken-config]"]);
}

#[test]
fn bypass_ask_decides_what_an_ask_becomes_where_prompts_are_skipped() {
    let world = World::new();
    let call = |mode: &str, command: &str| {
        let payload = json!({ "permission_mode": mode, "tool_name": "Bash", "tool_input": { "command": command } });
        world.hook(&payload.to_string())
    };
    assert_ask(&call("bypassPermissions", "git push"), &[]);
    world.configure("bypass-ask = \"deny\"\n");
    assert_deny(&call("bypassPermissions", "git push"), &["[command-guard: git-push]"]);
    assert_ask(&call("default", "git push"), &[]);
    assert_silent(&call("bypassPermissions", "ls"));
    world.configure("bypass-ask = \"skip\"\n");
    assert_warn(&call("bypassPermissions", "git push"), &["[command-guard: git-push]"]);
    assert_deny(&call("bypassPermissions", "rm -rf /"), &[]);
    assert_ask(&call("default", "git push"), &[]);
    assert_ask(&call("acceptEdits", "git push"), &[]);
    assert_ask(&call("dontAsk", "git push"), &[]);
}

/// Without the corresponding line in `engine_config`, wasmtime takes this setting from the environment, and rejects
/// artifacts with another.
#[test]
fn a_variable_of_the_engine_changes_no_verdict() {
    let world = World::new();
    let mut hook = world.command(&["hook", "claude"]);
    hook.env("WASMTIME_BACKTRACE_DETAILS", "1");
    let ended = end(hook, r#"{"tool_input":{"command":"rm -rf /"}}"#);
    assert_eq!((ended.exit, ended.decision().as_str()), (2, "deny"), "{ended:?}");
}

#[test]
fn the_shells_of_harnesses_that_load_these_hooks_are_shells() {
    let world = World::new();
    for tool in ["run_shell_command", "Execute", "Shell", "shell", "bash", "local_shell"] {
        let payload = json!({ "tool_name": tool, "tool_input": { "command": "rm -rf /" } });
        assert_eq!(world.hook(&payload.to_string()).exit, 2, "{tool}");
    }
}

#[test]
fn what_only_informs_keeps_no_call_from_being_decided() {
    let world = World::new();
    for field in [
        r#""cwd":null"#,
        r#""session_id":1"#,
        r#""permission_mode":[]"#,
        r#""tool_name":null"#,
        r#""hook_event_name":null"#,
    ] {
        let ended = world.hook(&format!(r#"{{{field},"tool_input":{{"command":"rm -rf /"}}}}"#));
        assert_eq!(ended.exit, 2, "{field}: {ended:?}");
    }
}
