//! Settings that let every call pass: expressions that match no command, and a chain without policies.

use std::fs;

use crate::support::world::{World, end};

/// Returns the warnings of `config check`, which must find no mistake.
#[track_caller]
pub(super) fn warnings(world: &World) -> String {
    let ended = world.run(&["config", "check"], "");
    assert!(ended.exit == 0 && !ended.stderr.contains("error: "), "{ended:?}");
    ended.stderr
}

#[test]
fn an_expression_that_matches_no_command_is_told() {
    let world = World::new();
    let denying = |expression: &str| {
        world.configure(&format!(
            "[[policy]]\nname = \"command-guard\"\nsettings = {{ deny-patterns = ['{expression}'] }}\n"
        ));
        warnings(&world)
    };
    for expression in ["deploy $STAGE", "npm run ^deploy"] {
        let told = denying(expression);
        assert!(told.contains(&format!("`{expression}` in `deny-patterns` matches no command")), "{told}");
    }
    for expression in ["^deploy$", "deploy", r"echo \$STAGE", "a$|^b"] {
        assert_eq!(denying(expression), "", "{expression}");
    }
}

#[test]
fn a_chain_without_policies_is_told() {
    let world = World::new();
    world.configure("preset = \"none\"\n");
    assert!(warnings(&world).contains("no policy is in the chain, so every call passes"));
    let doctor = world.run(&["doctor"], "").stdout;
    assert!(doctor.contains("no policy is in the chain"), "{doctor}");
    world.configure("preset = \"none\"\n[[policy]]\nname = \"command-guard\"\n");
    assert_eq!(warnings(&world), "");
}

#[test]
fn rego_in_place_of_a_component_is_told_with_the_right_keys() {
    let world = World::new();
    world.write("repo/.guard/team.rego", "# Ours.\npackage guard\n\ndeny contains \"no\" if false\n");
    world.write("repo/.guard/guard.toml", "[[policy]]\nname = \"team\"\nsource = \"./team.rego\"\n");
    let ended = world.run(&["config", "check"], "");
    assert!(ended.exit == 78 && ended.stderr.contains("`source = \"builtin:rego\"`"), "{ended:?}");
}

#[test]
fn a_folder_outside_of_a_project_is_named() {
    let world = World::new();
    fs::create_dir_all(world.path("elsewhere")).unwrap();
    let told = world.run(&["config", "check"], "").stderr;
    assert!(!told.contains("is no project"), "{told}");
    let mut command = world.command(&["config", "check"]);
    command.current_dir(world.path("elsewhere"));
    let ended = end(command, "");
    assert!(ended.exit == 0 && ended.stderr.contains("elsewhere` is no project"), "{ended:?}");
}
