//! Trust in a project: who gives it, what it lifts, and when it expires.

use serde_json::{Value, json};

use crate::support::reply::{assert_ask, assert_deny, assert_silent, assert_warn};
use crate::support::terminal::{attended, attended_by};
use crate::support::texts::{lines_about, normalized_output};
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

/// Creates a project whose file needs trust for everything in it, and names a settings file and a component.
fn world() -> World {
    let world = World::new();
    world.write("repo/.guard/settings.json", "{}");
    world.write("repo/.guard/policy.wasm", "no component yet");
    world.write(
        "repo/.guard/guard.toml",
        "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\nsettings-file = \"settings.json\"\n\
         on-error = \"allow\"\n[policy.grants]\nenv = [\"CI\"]\n\
         [[policy]]\nname = \"own\"\nsource = \"policy.wasm\"\non-error = \"allow\"\n",
    );
    world
}

fn check(world: &World) -> ProcessOutput {
    world.run(&["config", "check"], "")
}

/// Returns the state of the project's file, from `config show`.
fn standing(world: &World) -> String {
    let ended = world.run(&["config", "show", "--format", "json"], "");
    let shown: Value = serde_json::from_str(&ended.stdout).unwrap();
    shown["projects"][0]["trust"].as_str().unwrap().to_owned()
}

#[test]
fn trust_needs_a_terminal() {
    let world = world();
    let told = [&["trust"][..], &["trust", "--remove"], &["trust", "."]].map(|arguments| {
        let ended = world.run(arguments, "yes\n");
        assert_eq!((ended.exit, ended.stdout.as_str()), (77, ""), "{ended:?}");
        normalized_output(&world, &ended)
    });
    assert_text!("trust_unattended", told.concat());
    assert_eq!(standing(&world), "none");
    assert!(!world.path(".local/state/guard-host/trust.json").exists());
}

#[test]
fn trust_shows_what_it_grants_and_asks() {
    let world = world();
    let mut said = String::new();
    for (typed, exit) in [("n\n", 77), ("\n", 77), ("yes, no\n", 77), ("", 77), ("y\n", 69)] {
        let program = env!("CARGO_BIN_EXE_guard-host");
        let ended = attended_by(&world, program, &["trust"], typed);
        assert_eq!(ended.exit, exit, "{typed:?}: {ended:?}");
        said += &normalized_output(&world, &ended);
        assert_eq!(standing(&world), if exit == 77 { "none" } else { "trusted" });
    }
    // Parts that don't need trust are shown, too.
    world.write("repo/.guard/guard.toml", "[[policy]]\nname = \"more\"\nsource = \"builtin:write-control\"\n");
    let ended = attended(&world, &["trust", "--yes"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_text!("trust", said + &normalized_output(&world, &ended));
    // It needs no trust.
    let ended = world.run(&["trust", "--yes"], "");
    assert_text!("trust_needless", &world, 0, ended);
}

#[test]
fn trust_lifts_the_limits_and_lapses_with_any_change() {
    let world = world();
    assert_ask(&world.bash("ls"), &["[config: broken-config]"]);
    let ended = attended(&world, &["trust", "--yes"]);
    // The component is invalid, which is reported, and its `on-error` applies.
    assert_eq!(ended.exit, 69, "{ended:?}");
    assert_silent(&world.bash("ls"));
    assert_eq!(standing(&world), "trusted");
    let ended = check(&world);
    // The check reports the invalid component.
    assert_eq!(ended.exit, 78, "{ended:?}");
    let mut said = normalized_output(&world, &ended);
    for name in ["guard.toml", "settings.json", "policy.wasm"] {
        let below = format!("repo/.guard/{name}");
        let before = std::fs::read_to_string(world.path(&below)).unwrap();
        world.write(&below, format!("{before} "));
        assert_ask(&world.bash("ls"), &["[config: broken-config]"]);
        assert_eq!(standing(&world), "lapsed", "{name}");
        let ended = check(&world);
        assert_eq!(ended.exit, 78);
        said += &normalized_output(&world, &ended);
        world.write(&below, &before);
        assert_silent(&world.bash("ls"));
        std::fs::remove_file(world.path(&below)).unwrap();
        if name == "guard.toml" {
            assert_warn(&world.bash("ls"), &["[config: missing-rules]"]);
        } else {
            assert_ask(&world.bash("ls"), &["[config: broken-config]"]);
        }
        world.write(&below, &before);
        assert_silent(&world.bash("ls"));
    }
    assert_text!("trust_lapsed", said);
    assert_eq!(attended(&world, &["trust", "--remove"]).exit, 0);
    assert_ask(&world.bash("ls"), &["[config: broken-config]"]);
    assert_eq!(standing(&world), "none");
}

#[test]
fn rules_that_were_trusted_and_are_missing_are_noticed() {
    let world = World::new();
    let rules = "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\n\
                 settings = { deny-patterns = [\"frobnicate\"] }\n";
    let file = world.write("repo/.guard/guard.toml", rules);
    assert_eq!(attended(&world, &["trust", "--yes"]).exit, 0);
    let start = || {
        let payload =
            json!({ "session_id": "s1", "cwd": world.repo(), "hook_event_name": "SessionStart", "source": "startup" });
        world.hook(&payload.to_string()).stdout
    };
    let doctor = || world.run(&["doctor"], "").stdout;
    let notice = "the project's rules don't apply";
    assert_deny(&world.bash("frobnicate"), &[]);
    assert!(!start().contains(notice) && !doctor().contains(notice));
    // As after checking out a branch without it.
    std::fs::rename(&file, world.path("moved")).unwrap();
    let warned = world.bash("frobnicate");
    assert_warn(&warned, &[notice, "[config: missing-rules]"]);
    assert_silent(&world.bash("frobnicate"));
    assert_text!("trust_missing", lines_about(&normalized_output(&world, &world.run(&["doctor"], "")), notice));
    assert!(start().contains(notice));
    std::fs::rename(world.path("moved"), &file).unwrap();
    assert_deny(&world.bash("frobnicate"), &[]);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(attended(&world, &["trust", "--remove"]).exit, 0);
    assert!(!start().contains(notice) && !doctor().contains(notice));
}

#[test]
fn a_file_that_was_missing_when_it_was_trusted_does_not_slip_in() {
    let world = world();
    std::fs::remove_file(world.path("repo/.guard/settings.json")).unwrap();
    attended(&world, &["trust", "--yes"]);
    assert_silent(&world.bash("git status"));
    world.write("repo/.guard/settings.json", "{\"silence\":[\"git-push\"]}");
    assert_ask(&world.bash("git status"), &["[config: broken-config]"]);
}

#[test]
fn trust_is_for_one_project() {
    let world = world();
    let other = world.path("other");
    let copied = std::process::Command::new("cp").arg("-R").args([&world.repo(), &other]).status().unwrap();
    assert!(copied.success());
    attended(&world, &["trust", "--yes"]);
    let payload = json!({ "cwd": other, "tool_input": { "command": "ls" } });
    assert_ask(&world.hook(&payload.to_string()), &["[config: broken-config]"]);
    attended(&world, &["trust", "--yes", &other.to_string_lossy()]);
    assert_silent(&world.hook(&payload.to_string()));
}

#[test]
fn pins_that_nobody_here_sealed_count_for_nothing() {
    let world = world();
    attended(&world, &["trust", "--yes"]);
    let path = world.path(".local/state/guard-host/trust.json");
    let sealed = std::fs::read_to_string(&path).unwrap();
    let digest = sealed.split("settings.json\":\"").nth(1).unwrap().get(..64).unwrap();
    std::fs::write(&path, sealed.replace(digest, &"0".repeat(64))).unwrap();
    assert_ask(&world.bash("ls"), &["[config: broken-config]"]);
    std::fs::write(&path, &sealed).unwrap();
    assert_silent(&world.bash("ls"));
}

#[test]
fn trust_makes_no_layer_of_a_project() {
    let world = World::new();
    for text in ["preset = \"none\"\n", "bypass-ask = \"skip\"\n", "[session]\nfile = \"/tmp/x\"\n", "[[policy]\n"] {
        world.write("repo/.guard/guard.toml", text);
        let ended = attended(&world, &["trust", "--yes"]);
        assert_eq!(ended.exit, 78, "{text}: {ended:?}");
        assert_ask(&world.bash("ls"), &["[config: broken-config]"]);
        assert_eq!(standing(&world), "none");
    }
    std::fs::remove_file(world.path("repo/.guard/guard.toml")).unwrap();
    assert_eq!(attended(&world, &["trust", "--yes"]).exit, 66);
}

#[test]
fn c_11_the_allow_of_a_trusted_policy_counts() {
    let world = World::new();
    world.write("repo/.guard/write-policies.json", "{\"warned\":[\"**/*.md\"]}");
    let entry =
        "[[policy]]\nname = \"ours\"\nsource = \"builtin:write-control\"\nsettings-file = \"write-policies.json\"\n";
    world.write("repo/.guard/guard.toml", entry);
    let write = || {
        let input = json!({ "file_path": world.repo().join("a.md"), "content": "x" });
        world.hook(&json!({ "cwd": world.repo(), "tool_name": "Write", "tool_input": input }).to_string())
    };
    let untrusted = write();
    world.write("repo/.guard/guard.toml", format!("{entry}may-allow = true\n"));
    assert_ask(&write(), &["[config: broken-config]"]);
    let ended = attended(&world, &["trust", "--yes"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_eq!((untrusted.decision().as_str(), write().decision().as_str()), ("", "allow"));
}
