//! The output about an entry: whether it is disabled, its place, and the paths it reads.

use serde_json::{Value, json};

use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::texts::{lines_about, normalized_output};
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

/// Returns the names of the chain, in order.
fn chain(world: &World) -> Vec<String> {
    let ended = world.run(&["policy", "list", "--format", "json"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    let rows: Value = serde_json::from_str(&ended.stdout).unwrap();
    rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

/// Checks a broken configuration. Returns the output.
#[track_caller]
fn broken(world: &World) -> String {
    let ended = world.run(&["config", "check"], "");
    assert_eq!(ended.exit, 78, "{ended:?}");
    assert_ask(&world.bash("ls"), &["[config: broken-config]"]);
    normalized_output(world, &ended)
}

#[test]
fn an_entry_that_is_switched_off_is_checked_and_not_asked() {
    let world = World::new();
    assert_deny(&world.bash("rm -rf /"), &["[command-guard: "]);
    world.configure("[[policy]]\nname = \"command-guard\"\nenabled = false\nsettings = { secret-reads = \"ask\" }\n");
    assert_eq!(chain(&world), ["self-protect", "protected-files", "session-guard", "intrusion-guard"]);
    assert_silent(&world.bash("git push"));
    assert_eq!(world.run(&["config", "check"], "").exit, 0);
    let shown = lines_about(&world.run(&["config", "show"], "").stdout, " command-guard");
    world.configure("[[policy]]\nname = \"command-guard\"\nenabled = true\n");
    assert_ask(&world.bash("git push"), &["[command-guard: "]);
    // A typo is a mistake, even if the entry is disabled.
    world.configure("[[policy]]\nname = \"comand-guard\"\nenabled = false\n");
    let typo = broken(&world);
    world.configure("[[policy]]\nname = \"a\"\nsource = \"builtin:cel\"\nenabled = false\n".repeat(2).as_str());
    assert_text!("config_switched_off", shown + &typo + &broken(&world));
}

#[test]
fn a_project_switches_off_its_own_entries_alone() {
    let world = World::new();
    world.write("repo/.guard/guard.toml", "[[policy]]\nname = \"command-guard\"\nenabled = false\n");
    assert_ask(&world.bash("git push"), &["[command-guard: "]);
    assert_eq!(chain(&world), ["self-protect", "command-guard", "protected-files", "session-guard", "intrusion-guard"]);
}

#[test]
fn an_entry_stands_before_or_after_another_one() {
    let world = World::new();
    let entry = |name: &str, place: &str| {
        format!("[[policy]]\nname = \"{name}\"\nsource = \"builtin:write-control\"\n{place}\n")
    };
    for (text, expected) in [
        (
            entry("x", "before = \"command-guard\""),
            &["self-protect", "x", "command-guard", "protected-files", "session-guard", "intrusion-guard"][..],
        ),
        (
            entry("x", "after = \"self-protect\""),
            &["self-protect", "x", "command-guard", "protected-files", "session-guard", "intrusion-guard"],
        ),
        (
            entry("x", "before = \"y\"") + &entry("y", "before = \"self-protect\""),
            &["x", "y", "self-protect", "command-guard", "protected-files", "session-guard", "intrusion-guard"],
        ),
        (
            "[[policy]]\nname = \"protected-files\"\nbefore = \"command-guard\"\n".to_owned(),
            &["self-protect", "protected-files", "command-guard", "session-guard", "intrusion-guard"],
        ),
    ] {
        world.configure(&text);
        assert_eq!(chain(&world), expected, "{text}");
    }
    let mut said = String::new();
    for text in [
        entry("x", "before = \"comand-guard\""),
        entry("x", "after = \"x\""),
        entry("x", "after = \"y\"") + &entry("y", "after = \"x\""),
        entry("x", "before = \"self-protect\"\nafter = \"command-guard\""),
    ] {
        world.configure(&text);
        said += &broken(&world);
        // No policy is lost.
        assert_deny(&world.bash("rm -rf /"), &["[command-guard: "]);
    }
    // A project orders its own entries, and can't refer to others.
    world.configure("");
    world.write("repo/.guard/guard.toml", entry("x", "") + &entry("y", "before = \"x\""));
    assert_eq!(chain(&world)[5..], ["y", "x"]);
    world.write("repo/.guard/guard.toml", entry("x", "before = \"command-guard\""));
    assert_text!("config_order", said + &broken(&world));
}

/// Runs the plan enforcer in the project, with a grant to read the plan.
fn planned(world: &World, read: &str) -> ProcessOutput {
    world.configure(&format!(
        "[[policy]]\nname = \"plan-enforcer\"\n[policy.grants]\nenv = [\"NOUS_ITER_DIR\", \"NOUS_PLAN_ENFORCEMENT\"]\nread = [\"{read}\"]\n"
    ));
    world.write("repo/plans/a/experiment_plan.yaml", "arms:\n  - conditions:\n      - command: ./sim\n");
    let mut hook = world.command(&["hook", "claude"]);
    hook.env("NOUS_ITER_DIR", world.path("repo/plans/a")).env("NOUS_PLAN_ENFORCEMENT", "strict");
    end(hook, &json!({ "cwd": world.repo(), "tool_input": { "command": "curl x" } }).to_string())
}

#[test]
fn a_grant_can_name_a_folder_of_the_project() {
    let world = World::new();
    for read in ["./plans", "./plans/**", "./plans/a/experiment_plan.yaml", "./", "."] {
        assert_deny(&planned(&world, read), &["[plan-enforcer: ", "sim"]);
    }
    for other in ["./plan", "./plans/b", "~/plans"] {
        let reason = planned(&world, other).reason();
        assert!(!reason.contains("sim"), "{other}: {reason}");
    }
}

#[test]
fn a_grant_that_can_never_hold_is_a_mistake() {
    let said = ["plans", "./plans/*.yaml", "../plans", "./a/../b", "${X"].map(|read| {
        let world = World::new();
        planned(&world, read);
        broken(&world)
    });
    assert_text!("config_grant", said.concat());
}
