//! The additions of a preset to its policies' defaults: settings from the built-in's default file, `may-allow`, and the
//! tools.

use serde_json::json;

use crate::support::layers::Layers;
use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::texts::{Transcript, normalize};
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

/// A custom rule, and `~/work` as the only safe path.
const GUARDRAILS: &str = r#"{"version": 1, "safe_paths": ["~/work"], "blocked_paths": ["~/vault"],
    "rules": {"bash": [{"pattern": "frobnicate", "action": "block"}], "write": [{"path_patterns": ["blocked_paths"], "action": "block"}]}}"#;

fn write(world: &World, file: &str) -> ProcessOutput {
    let payload = json!({ "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse",
        "tool_name": "Write", "tool_input": { "file_path": file, "content": "x" } });
    world.hook(&payload.to_string())
}

#[test]
fn s2_13_the_guardrail_preset_reads_the_seeds_file_where_it_lies() {
    let world = World::new();
    world.configure("preset = \"guardrail\"\n");
    assert_silent(&world.bash("frobnicate x"));
    world.write(".claude/state/guardrails.json", GUARDRAILS);
    assert_deny(&world.bash("frobnicate x"), &["Rule: frobnicate"]);
    let vault = world.path("vault/x").to_string_lossy().into_owned();
    assert_deny(&write(&world, &vault), &["Rule: blocked_path"]);
    std::fs::remove_file(world.path(".claude/state/guardrails.json")).unwrap();
    assert_silent(&world.bash("frobnicate x"));
}

#[test]
fn s2_26_a_seeds_file_that_cannot_be_read_leaves_the_defaults_and_is_told() {
    let world = World::new();
    world.configure("preset = \"guardrail\"\n");
    world.write(".claude/state/guardrails.json", "{");
    assert_deny(&write(&world, "/etc/hosts"), &["Rule: blocked_path"]);
    let mut told = Transcript::default();
    told.warn(&world, &world.bash("ls"), &["guardrails.json:1:"]);
    told.add(&world, 78, &world.run(&["config", "check"], ""));
    assert_text!("config_check_seed", told.0);
}

#[test]
fn an_entry_that_says_nothing_of_settings_keeps_the_usual_file() {
    let world = World::new();
    world.write(".claude/state/guardrails.json", GUARDRAILS);
    let configure = |key: &str| {
        world.configure(&format!("preset = \"guardrail\"\n[[policy]]\nname = \"path-context\"\n{key}\n"));
    };
    for key in ["", "on-error = \"deny\"", "limits = { time-ms = 100 }", "after = \"command-guard\""] {
        configure(key);
        assert_deny(&world.bash("frobnicate x"), &["Rule: frobnicate"]);
    }
    configure("settings = {}");
    assert_silent(&world.bash("frobnicate x"));
}

#[test]
fn a_managed_preset_does_not_read_a_file_of_the_users() {
    let layers = Layers::new().managed("preset = \"guardrail\"\n");
    layers.world.write(".claude/state/guardrails.json", GUARDRAILS);
    let config = layers.load();
    let entry = config.entries.iter().find(|entry| entry.name == "path-context").unwrap();
    assert_eq!(entry.settings, "{}");
}

#[test]
fn settings_and_components_that_lie_elsewhere_are_guarded() {
    let world = World::new();
    world.write("ours.wasm", "no component");
    world.configure(
        "preset = \"guardrail\"\n[[policy]]\nname = \"ours\"\nsource = \"~/ours.wasm\"\non-error = \"allow\"\n",
    );
    for file in [".claude/state/guardrails.json", "ours.wasm"] {
        let path = world.path(file).to_string_lossy().into_owned();
        assert_deny(&write(&world, &path), &["[self-protect: guard-file]"]);
        assert_deny(&world.bash(&format!("cp x {path}")), &["[self-protect: guard-file]"]);
    }
}

#[test]
fn s4_35_a_production_path_is_allowed_with_its_notice_and_only_in_full() {
    let world = World::new();
    assert_silent(&write(&world, "src/index.ts"));
    world.configure("preset = \"full\"\n");
    let ended = write(&world, "src/index.ts");
    let value: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""));
    let output = &value["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "allow", "{value}");
    assert_eq!(output["permissionDecisionReason"], output["additionalContext"], "{value}");
    assert_text!("full_production_path", normalize(&world, output["additionalContext"].as_str().unwrap()));
}

#[test]
fn s4_04_in_full_write_control_leaves_shell_commands_alone() {
    let world = World::new();
    world.configure("preset = \"full\"\n");
    assert_silent(&world.bash("echo x > node_modules/a"));
    world.configure("preset = \"full\"\n[[policy]]\nname = \"write-control\"\nsettings = { shell = true }\n");
    assert_deny(&world.bash("echo x > node_modules/a"), &["[write-control: protected-path]"]);
}

#[test]
fn s4_37_a_notice_never_outranks_an_ask() {
    let world = World::new();
    world.configure(
        "preset = \"full\"\n[[policy]]\nname = \"protected-files\"\nsettings = { confirm = [\"src/index.ts\"] }\n",
    );
    assert_ask(&write(&world, "src/index.ts"), &["[protected-files: "]);
}

#[test]
fn own_lists_of_protected_files_hold_for_shell_commands_and_one_file_is_told_once() {
    let world = World::new();
    assert_silent(&world.bash("echo x > infra/main.tf"));
    world.configure("[[policy]]\nname = \"protected-files\"\nsettings = { blocked = [\"infra/*.tf\", \".env\"] }\n");
    assert_deny(&world.bash("echo x > infra/main.tf"), &["[protected-files: secret-file]"]);
    let both = world.bash("echo x > .env");
    assert_deny(&both, &["[command-guard: shell-write-secret]"]);
    assert!(!both.reason().contains("[protected-files"), "{}", both.reason());
    let two = world.bash("echo x > .env; echo x > infra/main.tf");
    assert_deny(&two, &["[command-guard: shell-write-secret]", "infra/main.tf", "[protected-files: secret-file]"]);
}

#[test]
fn guardrail_and_full_take_the_names_of_secrets_literally() {
    let new = ["echo A=1 > .env.local", ": > .env.test", "echo x > certs/ca.pem", "cp .env.example .env"];
    let dry = "git push --dry-run --force origin main";
    let world = World::new();
    for command in new.into_iter().chain([dry]) {
        assert_silent(&world.bash(command));
    }
    let own = "[[policy]]\nname = \"command-guard\"\nsettings = { lower = [\"git-clean\"] }\n";
    for text in ["preset = \"guardrail\"\n", "preset = \"full\"\n", &format!("preset = \"full\"\n{own}")] {
        let world = World::new();
        world.configure(text);
        for command in new {
            assert_deny(&world.bash(command), &["[command-guard: shell-write-secret]"]);
        }
        assert_ask(&world.bash(dry), &["[command-guard: git-push]"]);
    }
    let world = World::new();
    world.configure("preset = \"full\"\n[[policy]]\nname = \"command-guard\"\nsettings = { strict = false }\n");
    assert_silent(&world.bash("echo A=1 > .env.local"));
}
