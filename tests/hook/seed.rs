//! The rows of the seed matrix about the hook itself, by id.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::guests::{entry, place};
use crate::support::reply::{INVALID_JSON, assert_ask, assert_deny, assert_report, assert_silent};
use crate::support::world::{ProcessOutput, World};

/// Returns a payload for the Claude adapter in the project of `world`.
fn payload(world: &World, tool: &str, input: Value) -> Value {
    json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "permission_mode": "default",
        "tool_name": tool, "tool_input": input,
    })
}

fn tool(world: &World, tool: &str, input: Value) -> ProcessOutput {
    world.hook(&payload(world, tool, input).to_string())
}

/// Runs the seed's own input, unchanged.
fn seed(world: &World, row: &str) -> ProcessOutput {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/seeds").join(format!("{row}.json"));
    world.hook(&fs::read_to_string(path).unwrap())
}

#[test]
fn s1_01_a_mode_that_skips_prompts_changes_no_verdict() {
    let world = World::new();
    let bypassing = |command: &str| {
        let mut payload = payload(&world, "Bash", json!({ "command": command }));
        payload["permission_mode"] = "bypassPermissions".into();
        world.hook(&payload.to_string())
    };
    assert_deny(&bypassing("rm -rf /"), &[]);
    assert_ask(&bypassing("git push"), &[]);
    assert_silent(&bypassing("ls"));
}

#[test]
fn s1_02_each_tool_of_the_seed_reaches_its_guard() {
    let world = World::new();
    assert_deny(&tool(&world, "Bash", json!({ "command": "rm -rf /" })), &["[command-guard: "]);
    assert_deny(&tool(&world, "Edit", json!({ "file_path": ".env" })), &["[protected-files: "]);
    assert_deny(&tool(&world, "Write", json!({ "file_path": ".env", "content": "" })), &["[protected-files: "]);
    assert_silent(&tool(&world, "Glob", json!({ "pattern": "**/*.rs" })));
}

#[test]
fn s1_05_allow_is_exit_0_without_a_byte() {
    let world = World::new();
    assert_silent(&world.bash("ls -la"));
    assert_silent(&tool(&world, "Write", json!({ "file_path": "src/main.ts", "content": "x" })));
}

#[test]
fn s1_06_ask_is_exit_0_and_json() {
    assert_ask(&World::new().bash("git push"), &[]);
}

#[test]
fn s1_07_block_is_exit_2_and_both_forms_agree() {
    assert_deny(&World::new().bash("rm -rf /"), &[]);
}

#[test]
fn s1_08_no_built_in_grants_anything() {
    let world = World::new();
    for preset in ["standard", "guardrail", "full"] {
        world.configure(&format!("preset = \"{preset}\"\n"));
        for command in ["ls -la", "cargo build", "git status", "echo hi"] {
            assert_ne!(world.bash(command).decision(), "allow", "{preset}: {command}");
        }
    }
}

#[test]
fn s1_09_the_order_of_the_chain_does_not_change_the_outcome() {
    let world = World::new();
    let strict =
        "[[policy]]\nname = \"strict\"\nsource = \"builtin:command-guard\"\nsettings = { raise = [\"git-push\"] }\n";
    let mild =
        "[[policy]]\nname = \"mild\"\nsource = \"builtin:command-guard\"\nsettings = { lower = [\"git-push\"] }\n";
    for (first, second) in [(strict, mild), (mild, strict)] {
        world.configure(&format!("preset = \"none\"\n{first}{second}"));
        assert_deny(&world.bash("git push"), &["[strict: git-push]"]);
    }
}

#[test]
fn s1_10_an_unknown_tool_is_decided_only_as_far_as_its_arguments_tell() {
    let world = World::new();
    for name in ["Frobnicate", "mcp__files__write", ""] {
        let input = json!({ "file_path": ".env", "command": "rm -rf /" });
        assert_ask(&tool(&world, name, input), &["[command-guard: rm-root]"]);
        assert_silent(&tool(&world, name, json!({ "file_path": "a.txt", "command": "ls", "note": "rm -rf /" })));
    }
}

#[test]
fn an_entry_of_a_tool_says_for_certain_what_its_arguments_hold() {
    let world = World::new();
    world.configure("[[tool]]\nmatch = \"mcp__*__run\"\nshell = \"line\"\n");
    for name in ["mcp__box__run", "box-run", "box___run", "box_run", "box.run"] {
        assert_deny(&tool(&world, name, json!({ "line": "rm -rf /" })), &["[command-guard: rm-root]"]);
        assert_silent(&tool(&world, name, json!({ "line": "ls", "note": "rm -rf /" })));
    }
    assert_silent(&tool(&world, "mcp__box__walk", json!({ "line": "rm -rf /" })));
}

#[test]
fn s1_11_only_the_command_of_a_shell_call_counts() {
    let world = World::new();
    let input = json!({ "command": "ls", "description": "rm -rf /", "timeout": 5, "run_in_background": true });
    assert_silent(&tool(&world, "Bash", input));
}

#[test]
fn s1_12_the_file_path_of_a_file_tool_counts() {
    let world = World::new();
    for name in ["Write", "Edit", "MultiEdit"] {
        assert_deny(&tool(&world, name, json!({ "file_path": world.repo().join(".env") })), &[]);
    }
    assert_silent(&tool(&world, "Write", json!({ "file_path": "a.txt", "content": ".env" })));
}

#[test]
fn s1_13_s1_77_of_two_path_keys_the_worse_counts() {
    let world = World::new();
    assert_deny(&tool(&world, "Write", json!({ "path": ".env" })), &[]);
    assert_deny(&tool(&world, "Write", json!({ "path": ".env", "file_path": "a.txt" })), &["'.env'"]);
    assert_deny(&tool(&world, "Write", json!({ "path": "a.txt", "file_path": ".env" })), &["'.env'"]);
    assert_deny(&tool(&world, "NotebookEdit", json!({ "notebook_path": ".env", "file_path": "a.ipynb" })), &["'.env'"]);
    assert_deny(&tool(&world, "Edit", json!({ "path": ".env", "file_path": "Dockerfile" })), &["'.env'"]);
}

#[test]
fn s1_14_without_a_tool_name_the_input_tells_the_tool() {
    let world = World::new();
    let bare = |input: Value| world.hook(&json!({ "tool_input": input }).to_string());
    assert_deny(&bare(json!({ "command": "rm -rf /" })), &[]);
    assert_deny(&bare(json!({ "path": ".env" })), &[]);
    assert_deny(&bare(json!({ "command": "rm -rf /", "file_path": "a.txt" })), &[]);
    assert_silent(&bare(json!({ "text": "rm -rf /" })));
    assert_silent(&bare(json!({})));
}

#[test]
fn s1_15_and_s1_16_a_reply_has_the_keys_and_values_of_the_protocol() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings = { lower = [\"kubectl-delete\"] }\n");
    for (command, keys) in [
        ("rm -rf /", &["hookEventName", "permissionDecision", "permissionDecisionReason"][..]),
        ("git push", &["hookEventName", "permissionDecision", "permissionDecisionReason"]),
        ("kubectl delete pod x", &["additionalContext", "hookEventName"]),
    ] {
        let value: Value = serde_json::from_str(&world.bash(command).stdout).unwrap();
        let output = value["hookSpecificOutput"].as_object().unwrap();
        assert_eq!(
            output.keys().map(String::as_str).collect::<BTreeSet<_>>(),
            keys.iter().copied().collect(),
            "{command}"
        );
        assert_eq!(output["hookEventName"], "PreToolUse");
        let known = ["hookSpecificOutput", "systemMessage"];
        assert!(value.as_object().unwrap().keys().all(|key| known.contains(&key.as_str())), "{value}");
    }
}

#[test]
fn s1_73_a_deny_is_found_behind_an_ask() {
    let world = World::new();
    let ended = world.bash("git push && rm -rf /");
    assert_deny(&ended, &["[command-guard: rm-root]"]);
    // The ask next to it changes nothing, and is in the log.
    assert!(!ended.reason().contains("git-push"), "{ended:?}");
    let rules = &world.audit()[0]["rules"];
    assert!(rules.as_array().unwrap().contains(&json!("command-guard:git-push")), "{rules}");
}

#[test]
fn s1_78_what_is_no_json_object_is_reported() {
    let world = World::new();
    for text in ["{oops", "", "[]", "\"x\"", "5", "null", "{\"tool_input\":{}} x", "{\"tool_input\":", " \n"] {
        assert_report(&world.hook(text), INVALID_JSON);
    }
}

#[test]
fn s1_80_golden_path() {
    let ended = World::new().bash("ls -la");
    assert_silent(&ended);
}

#[test]
fn s1_81_confirmation_path() {
    assert_ask(&World::new().bash("git push origin main"), &["git push"]);
}

#[test]
fn s1_82_block_path() {
    let ended = World::new().bash("git push --force main");
    assert_deny(&ended, &["git push --force main", "[command-guard: force-push-protected]"]);
}

#[test]
fn s1_83_a_blocked_file_and_the_way_out_that_is_offered() {
    let world = World::new();
    let ended = tool(&world, "Edit", json!({ "file_path": ".env", "old_string": "a", "new_string": "b" }));
    assert_deny(&ended, &["[protected-files: ", ".env.example"]);
    assert_silent(&tool(&world, "Write", json!({ "file_path": ".env.example", "content": "KEY=" })));
}

#[test]
fn s1_84_invalid_json_does_not_block() {
    assert_report(&World::new().hook("{oops"), INVALID_JSON);
}

#[test]
fn s1_85_a_policy_that_fails_is_asked_about_unless_the_user_says_otherwise() {
    let world = World::new();
    let failing = |on_error: &str| {
        format!("[[policy]]\nname = \"command-guard\"\nsettings = {{ nonsense = 1 }}\non-error = \"{on_error}\"\n")
    };
    world.configure(&failing("ask"));
    assert_ask(&world.bash("ls"), &["`command-guard`", "[command-guard: policy-fault]"]);
    world.configure(&failing("deny"));
    assert_deny(&world.bash("ls"), &["[command-guard: policy-fault]"]);
    world.configure(&failing("allow"));
    assert_silent(&world.bash("ls"));
    for guest in ["trap", "endless-loop"] {
        let file = place(&world, guest);
        world.configure(&entry(guest, &file, ""));
        assert_ask(&world.bash("ls"), &[&format!("[{guest}: policy-fault]")]);
        world.configure(&entry(guest, &file, "on-error = \"allow\""));
        assert_silent(&world.bash("ls"));
    }
}

#[test]
fn s1_86_a_missing_command_is_not_decided_and_a_command_of_another_type_is_malformed() {
    let world = World::new();
    assert_silent(&tool(&world, "Bash", json!({})));
    assert_silent(&world.hook("{}"));
    assert_silent(&world.hook("{\"tool_name\":\"Bash\"}"));
    assert_report(&tool(&world, "Bash", json!({ "command": 5 })), "`command` is not a string");
    assert_report(&tool(&world, "Bash", json!({ "command": null })), "`command` is not a string");
}

#[test]
fn s1_87_a_missing_file_path_is_not_decided() {
    let world = World::new();
    assert_silent(&tool(&world, "Write", json!({ "content": "x" })));
    assert_silent(&tool(&world, "NotebookEdit", json!({ "new_source": "x" })));
}

#[test]
fn s1_88_malformed_input_is_reported_by_default_and_decided_by_setting() {
    let world = World::new();
    assert_report(&world.hook("{oops"), INVALID_JSON);
    world.configure("on-malformed = \"allow\"\n");
    assert_silent(&world.hook("{oops"));
}

#[test]
fn s1_89_a_deny_stands_whatever_fails_after_it() {
    let world = World::new();
    let fault = "[[policy]]\nname = \"later\"\nsource = \"builtin:command-guard\"\nsettings = { nonsense = 1 }\n";
    world.configure(fault);
    assert_deny(&world.bash("rm -rf /"), &["[command-guard, later: rm-root]", "[later: policy-fault]"]);
    world.configure("[[policy]]\nname = \"later\"\nsource = \"gone.wasm\"\non-error = \"allow\"\n");
    assert_deny(&world.bash("rm -rf /"), &["[command-guard: rm-root]"]);
    for guest in ["trap", "endless-loop", "deep-recursion", "memory-bomb"] {
        world.configure(&entry(guest, &place(&world, guest), ""));
        assert_deny(&world.bash("rm -rf /"), &["[command-guard: rm-root]", &format!("[{guest}: policy-fault]")]);
    }
    world.write("file", "");
    world.configure(&format!("[audit]\npath = \"{}\"\n", world.path("file/audit.jsonl").display()));
    assert_deny(&world.bash("rm -rf /"), &["[command-guard: rm-root]"]);
}

#[test]
fn s1_90_to_s1_96_the_seeds_own_inputs() {
    let world = World::new();
    assert_deny(&seed(&world, "s1-90"), &[]);
    assert_deny(&seed(&world, "s1-91"), &[]);
    assert_ask(&seed(&world, "s1-92"), &[]);
    assert_silent(&seed(&world, "s1-93"));
    assert_deny(&seed(&world, "s1-94"), &[]);
    assert_ask(&seed(&world, "s1-95"), &[]);
    assert_silent(&seed(&world, "s1-96"));
}

#[test]
fn s1_97_removing_a_named_folder_is_asked_about() {
    assert_ask(&World::new().bash("rm -rf /tmp/test"), &[]);
}

#[test]
fn s1_98_the_manual_tests_of_the_seed() {
    let world = World::new();
    assert_ask(&world.bash("git push"), &[]);
    assert_deny(&tool(&world, "Edit", json!({ "file_path": ".env" })), &[]);
    assert_silent(&world.bash("ls"));
}
