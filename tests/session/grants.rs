//! The asks that a grant lifts, and those it never does.

use serde_json::{Value, json};

use super::{assert_confirmed, bash_in, file, guardrail, pushed};
use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::terminal::attended;
use crate::support::texts::normalize;
use crate::support::world::World;
use crate::texts::assert_text;

/// The end of the seed's flow: S2-12e.
#[test]
fn s2_54_to_s2_55_the_call_runs_when_it_is_tried_again() {
    let world = pushed();
    assert_confirmed(&world.bash("git push"), "confirmed in this session");
    assert_confirmed(&world.bash("git push"), "confirmed in this session");
    assert_silent(&world.bash("ls"));
}

#[test]
fn s2_63_the_log_tells_a_confirmed_call_from_an_asked_one() {
    let world = pushed();
    assert_confirmed(&world.bash("git push"), "confirmed in this session");
    let lines = world.audit();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!((&lines[0]["action"], &lines[0]["path_context"]), (&json!("confirm_required"), &json!("n/a")));
    let line = lines[1].as_object().unwrap();
    for (key, value) in [
        ("tool", json!("Bash")),
        ("operation", json!("git push")),
        ("action", json!("confirmed_allow")),
        ("rule", json!("session_allowlist")),
        ("rules", json!(["command-guard:git-push"])),
    ] {
        assert_eq!(line[key], value, "{key}");
    }
    assert!(!line.contains_key("path_context"));
    let stats: Value = serde_json::from_str(&world.run(&["audit", "stats", "--format", "json"], "").stdout).unwrap();
    assert_eq!(stats["overrides"], json!({ "command-guard:git-push": 1 }));
}

#[test]
fn s2_65c_the_lines_of_the_seed() {
    let world = guardrail("");
    assert_ask(&world.bash("rm ~/Downloads/old"), &[]);
    let ended = attended(&world, &["confirm", "rm ~/Downloads/old"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_confirmed(&world.bash("rm ~/Downloads/old"), "confirmed in this session");
    let seed = [
        json!({ "tool": "Bash", "operation": "rm ~/Downloads/old", "action": "confirm_required",
                "rule": "rm_outside_safe", "path_context": "outside" }),
        json!({ "tool": "Bash", "operation": "rm ~/Downloads/old", "action": "confirmed_allow",
                "rule": "session_allowlist" }),
    ];
    let lines = world.audit();
    assert_eq!(lines.len(), 2);
    for (line, seed) in lines.iter().zip(seed) {
        for key in ["tool", "operation", "action", "rule", "path_context"] {
            assert_eq!(line.get(key), seed.get(key), "{key}");
        }
    }
}

#[test]
fn s2_57_a_grant_is_for_one_operation_one_session_and_one_folder() {
    let world = pushed();
    assert_ask(&world.bash("git  push"), &[]);
    assert_ask(&world.bash("git push "), &[]);
    assert_ask(&world.bash("git push; git push"), &[]);
    assert_ask(&bash_in(&world, "s2", "default", "git push"), &[]);
    assert_ask(&bash_in(&world, "S1", "default", "git push"), &[]);
    let elsewhere = json!({ "session_id": "s1", "cwd": world.home.path(), "tool_input": { "command": "git push" } });
    assert_ask(&world.hook(&elsewhere.to_string()), &[]);
    let nowhere = json!({ "cwd": world.repo(), "tool_input": { "command": "git push" } });
    assert_ask(&world.hook(&nowhere.to_string()), &[]);
    let unconfined = json!({ "session_id": "s1", "cwd": world.repo(), "tool_name": "Bash",
        "tool_input": { "command": "git push", "dangerouslyDisableSandbox": true } });
    assert_ask(&world.hook(&unconfined.to_string()), &[]);
    assert_confirmed(&world.bash("git push"), "confirmed in this session");
}

#[test]
fn a_grant_for_a_file_is_for_its_content() {
    let world = World::new();
    let write = |content: &str| {
        let input = json!({ "file_path": world.repo().join("Dockerfile"), "content": content });
        let payload = json!({ "session_id": "s1", "cwd": world.repo(), "tool_name": "Write", "tool_input": input });
        world.hook(&payload.to_string())
    };
    assert_ask(&write("FROM a"), &[]);
    let code = file(&world)["pending"][0]["code"].as_str().unwrap().to_owned();
    let ended = attended(&world, &["confirm", "--code", &code]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_confirmed(&write("FROM a"), "confirmed in this session");
    assert_ask(&write("FROM b"), &[]);
}

#[test]
fn a_grant_for_a_patch_is_for_its_lines() {
    let world = World::new();
    let patch = |line: &str| {
        let patch = format!("*** Begin Patch\n*** Update File: Dockerfile\n+{line}\n*** End Patch\n");
        let payload = json!({ "session_id": "s1", "cwd": world.repo(), "tool_name": "apply_patch",
            "tool_input": { "command": patch } });
        world.hook(&payload.to_string())
    };
    assert_ask(&patch("FROM a"), &[]);
    let code = file(&world)["pending"][0]["code"].as_str().unwrap().to_owned();
    let ended = attended(&world, &["confirm", "--code", &code]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_confirmed(&patch("FROM a"), "confirmed in this session");
    assert_ask(&patch("FROM b"), &[]);
}

#[test]
fn s2_55_a_rule_that_was_not_shown_still_asks_and_can_be_confirmed_too() {
    let world = pushed();
    world.configure("[[policy]]\nname = \"second\"\nsource = \"builtin:command-guard\"\n");
    let ended = world.bash("git push");
    assert_ask(&ended, &["[second: git-push]"]);
    assert!(!ended.reason().contains("[command-guard: git-push]"), "what was answered is not asked again: {ended:?}");
    assert_eq!(file(&world)["pending"][0]["rules"], json!(["second:git-push"]));
    attended(&world, &["confirm", "git push"]);
    assert_confirmed(&world.bash("git push"), "confirmed in this session");
}

#[test]
fn c_13_a_deny_is_never_lifted() {
    let world = pushed();
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings = { raise = [\"git-push\"] }\n");
    assert_deny(&world.bash("git push"), &[]);
    world.configure(
        "[[policy]]\nname = \"second\"\nsource = \"builtin:command-guard\"\nsettings = { raise = [\"git-push\"] }\n",
    );
    assert_deny(&world.bash("git push"), &["[second: git-push]"]);
    world.configure("");
    assert_confirmed(&world.bash("git push"), "confirmed in this session");
}

#[test]
fn c_13_a_grant_written_by_hand_lifts_no_deny() {
    let world = pushed();
    let path = world.path(".local/state/guard-host/sessions/s1.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("command-guard:git-push", "command-guard:rm-root")).unwrap();
    assert_deny(&world.bash("rm -rf /"), &[]);
    assert_ask(&world.bash("git push"), &[]);
}

#[test]
fn s4_37_a_warning_stays_beside_the_grant_and_decides_nothing() {
    let world = pushed();
    let second =
        "[[policy]]\nname = \"second\"\nsource = \"builtin:command-guard\"\nsettings = { lower = [\"git-push\"] }\n";
    world.configure(second);
    let ended = world.bash("git push");
    assert_eq!(ended.decision(), "allow", "{ended:?}");
    assert_text!("granted_with_a_warning", normalize(&world, &ended.reason()));
}

#[test]
fn a_policy_that_fails_after_the_grant_still_asks() {
    let world = pushed();
    world.configure("[[policy]]\nname = \"later\"\nsource = \"gone.wasm\"\n");
    assert_ask(&world.bash("git push"), &["[later: policy-fault]"]);
    world.configure("nonsense = 1\n");
    assert_ask(&world.bash("git push"), &["[config: broken-config]"]);
}

#[test]
fn a_mode_without_prompts_takes_a_grant_as_every_mode_does() {
    let world = pushed();
    for setting in ["ask", "deny", "skip"] {
        world.configure(&format!("bypass-ask = \"{setting}\"\n"));
        assert_confirmed(&bash_in(&world, "s1", "bypassPermissions", "git push"), "confirmed in this session");
    }
}

#[test]
fn c_16_a_confirmation_is_never_confirmed_in_advance() {
    let world = guardrail("");
    assert_ask(&world.bash("git push"), &[]);
    assert_ask(&bash_in(&world, "s1", "dontAsk", "guard-host confirm 'git push'"), &["git push"]);
    assert_eq!(super::operations(&world, "pending"), ["git push"]);
    let ended = attended(&world, &["confirm", "guard-host confirm 'git push'"]);
    assert_eq!(ended.exit, 1, "{ended:?}");
}

#[test]
fn a_check_knows_no_session() {
    let world = pushed();
    assert_eq!(world.run(&["check", "git push"], "").exit, 1);
    let before = file(&world);
    assert_eq!(world.run(&["check", "git push origin x"], "").exit, 1);
    assert_eq!(file(&world), before);
}

#[test]
fn a_grant_does_not_follow_a_link_that_leads_elsewhere_later() {
    let world = World::new();
    std::fs::create_dir_all(world.repo().join("b/sub")).unwrap();
    std::fs::create_dir_all(world.path("Documents/sub")).unwrap();
    assert_ask(&world.bash("rm -rf ./b/sub"), &[]);
    let ended = attended(&world, &["confirm", "rm -rf ./b/sub"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_confirmed(&world.bash("rm -rf ./b/sub"), "confirmed in this session");
    std::fs::rename(world.repo().join("b"), world.repo().join("c")).unwrap();
    std::os::unix::fs::symlink(world.path("Documents"), world.repo().join("b")).unwrap();
    assert_ask(&world.bash("rm -rf ./b/sub"), &["[command-guard: rm-recursive-force]"]);
}
