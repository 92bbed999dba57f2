//! `replay --against FILE`: the file's scope, and its mention in the result.

use serde_json::Value;

use crate::support::texts::normalize;
use crate::support::world::World;
use crate::texts::assert_text;

const RULES: &str = "[[policy]]\nname = \"rules\"\nsource = \"builtin:rego\"\nsettings-file = \"rules.rego\"\n";
const OURS: &str = "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\n\
                    settings = { deny-patterns = [\"npm publish\"] }\n";

/// Creates a project with two entries, and recorded calls that both deny.
fn project() -> World {
    let world = World::new();
    let rules = "package guard\n\ndeny contains \"x\" if {\n    some command in input.analysis.commands\n    \
                 command.program == \"terraform\"\n}\n";
    world.write("repo/.guard/rules.rego", rules);
    world.write("repo/.guard/guard.toml", format!("{RULES}{OURS}"));
    world.write("repo/calls.jsonl", "{\"command\": \"npm publish\"}\n{\"command\": \"terraform apply\"}\n");
    world
}

fn replay(world: &World, against: &str) -> String {
    let ended = world.run(&["replay", "--against", against, "calls.jsonl"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    normalize(world, &ended.stdout)
}

#[test]
fn a_file_in_guard_is_another_version_of_the_projects_file() {
    let world = project();
    world.write("repo/.guard/new.toml", RULES);
    let mut told = String::new();
    for name in [".guard/new.toml".to_owned(), world.path("repo/.guard/new.toml").to_str().unwrap().to_owned()] {
        told += &replay(&world, &name);
    }
    // It finds the files next to it.
    assert!(!told.contains("terraform"), "{told}");
    let ended = world.run(&["replay", "--against", ".guard/new.toml", "--fail-on", "loosened", "calls.jsonl"], "");
    assert_eq!(ended.exit, 1, "{ended:?}");
    world.write("repo/.guard/new.toml", format!("{RULES}{OURS}"));
    told += &replay(&world, ".guard/new.toml");
    assert_text!("replay_project_file", told);
}

#[test]
fn a_file_in_the_guard_of_a_folder_is_another_version_of_the_folders_file() {
    let world = World::new();
    let protecting = |name: &str, pattern: &str| {
        format!(
            "[[policy]]\nname = \"{name}\"\nsource = \"builtin:write-control\"\nsettings = {{ protected = [\"{pattern}\"] }}\n"
        )
    };
    world.write("repo/.guard/guard.toml", protecting("ours", "infra/**"));
    world.write("repo/svc/a/.guard/guard.toml", protecting("theirs", "svc/a/db/**"));
    world.write("repo/svc/a/.guard/new.toml", protecting("theirs", "svc/a/other/**"));
    let call = |path: &str| {
        let file = world.path(&format!("repo/{path}"));
        format!("{}\n", serde_json::json!({ "tool": "Write", "input": { "file_path": file, "content": "x" } }))
    };
    world.write("repo/calls.jsonl", ["infra/a.tf", "svc/a/db/1.sql"].map(call).concat());
    let told = replay(&world, "svc/a/.guard/new.toml");
    assert!(told.contains("read as its folder's guard.toml") && told.contains("loosened: 1 call"), "{told}");
    assert!(told.contains("theirs:protected-path -> abstain") && !told.contains("ours:"), "{told}");
}

#[test]
fn a_file_can_take_the_place_of_the_managed_one() {
    let world = project();
    world.write("repo/new.toml", "lock = [\"command-guard\"]\n[[policy]]\nname = \"rules\"\nsource = \"builtin:rego\"\nsettings-file = \"new.rego\"\n");
    world.write(
        "repo/new.rego",
        "package guard\n\nask contains \"y\" if {\n    input.analysis.commands[_].program == \"ls\"\n}\n",
    );
    world.write("repo/calls.jsonl", "{\"command\": \"ls\"}\n");
    assert_eq!(world.run(&["replay", "--against", "new.toml", "calls.jsonl"], "").exit, 78, "keys of a managed file");
    let ended =
        world.run(&["replay", "--against", "new.toml", "--managed", "--fail-on", "tightened", "calls.jsonl"], "");
    assert!(ended.exit == 1 && ended.stdout.contains("the managed file"), "{ended:?}");
    let missing = world.run(&["replay", "--against", "gone.toml", "--managed", "calls.jsonl"], "");
    assert!(missing.exit == 66 && missing.stderr.contains("there is no file `gone.toml`"), "{missing:?}");
}

#[test]
fn another_file_is_the_users_and_the_result_says_so() {
    let world = project();
    world.write("repo/new.toml", "preset = \"none\"\n");
    assert_text!("replay_own_file", replay(&world, "new.toml"));
    let ended = world.run(&["replay", "--against", "new.toml", "--format", "json", "calls.jsonl"], "");
    let json: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(json["against"]["read-as"], "your own guard.toml", "{json}");
}
