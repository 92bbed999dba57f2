//! `replay --against FILE`: whose configuration the file is, and that the result says so.

use serde_json::Value;

use crate::support::world::World;

const RULES: &str = "[[policy]]\nname = \"rules\"\nsource = \"builtin:rego\"\nsettings-file = \"rules.rego\"\n";
const OURS: &str = "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\n\
                    settings = { deny-patterns = [\"npm publish\"] }\n";

/// A project with two entries, and recorded calls that both deny.
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
    ended.stdout
}

#[test]
fn a_file_in_guard_is_another_version_of_the_projects_file() {
    let world = project();
    world.write("repo/.guard/new.toml", RULES);
    for name in [".guard/new.toml".to_owned(), world.path("repo/.guard/new.toml").to_str().unwrap().to_owned()] {
        let told = replay(&world, &name);
        assert!(told.contains(&format!("compared with `{name}`, read as this project's guard.toml\n")), "{told}");
        assert!(told.contains("loosened: 1 call ") && told.contains("ours:npm publish -> ask"), "{told}");
        // It finds the files beside it.
        assert!(!told.contains("terraform"), "{told}");
    }
    let ended = world.run(&["replay", "--against", ".guard/new.toml", "--fail-on", "loosened", "calls.jsonl"], "");
    assert_eq!(ended.exit, 1, "{ended:?}");
    world.write("repo/.guard/new.toml", format!("{RULES}{OURS}"));
    assert!(replay(&world, ".guard/new.toml").contains("no verdict differs"));
}

#[test]
fn another_file_is_the_users_and_the_result_says_so() {
    let world = project();
    world.write("repo/new.toml", "preset = \"none\"\n");
    let told = replay(&world, "new.toml");
    assert!(told.contains("compared with `new.toml`, read as your own guard.toml\n"), "{told}");
    let ended = world.run(&["replay", "--against", "new.toml", "--format", "json", "calls.jsonl"], "");
    let json: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(json["against"]["read-as"], "your own guard.toml", "{json}");
}
