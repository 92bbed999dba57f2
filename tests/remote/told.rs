//! Commands that change or check the policies of a machine whose calls a server decides.

use serde_json::json;

use super::asking;
use super::stub::Stub;
use crate::support::terminal::attended;
use crate::support::world::World;

const ADDRESS: &str = "http://127.0.0.1:1";

/// A world that a server decides, with a policy of its project.
fn with_project(more: &str) -> World {
    let world = asking(ADDRESS, more);
    world.write(
        "repo/.guard/guard.toml",
        "[[policy]]\nname = \"migrations\"\nsource = \"builtin:write-control\"\nsettings = { protected = [\"**/*.sql\"] }\n",
    );
    world
}

#[test]
fn policies_of_a_project_that_a_server_replaces_are_named() {
    let world = with_project("");
    let words =
        ["have no effect: `migrations`", "add them to the configuration of http://127.0.0.1:1", "remove `[remote]`"];
    let checked = world.run(&["config", "check"], "");
    let warnings: Vec<&str> = checked.stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(warnings.len(), 1, "{checked:?}");
    let doctor = world.run(&["doctor"], "");
    for word in words {
        assert!(checked.stderr.contains(word), "{word}: {checked:?}");
        assert!(doctor.stdout.contains(word), "{word}: {doctor:?}");
    }
    // Without a server they decide.
    world.configure("");
    let checked = world.run(&["config", "check"], "");
    assert_eq!((checked.exit, checked.stderr.as_str()), (0, ""), "{checked:?}");
}

#[test]
fn an_allow_that_a_server_would_ignore_is_not_written() {
    let world = asking(&Stub::of("Ask").url, "");
    world.bash("rm -rf build");
    for arguments in [&["allow", "--last", "--yes"][..], &["allow", "rm -rf build", "--yes"]] {
        let ended = attended(&world, arguments);
        assert_eq!(ended.exit, 69, "{ended:?}");
        assert!(ended.stdout.contains("an allow has no effect here: the server http://127.0.0.1"), "{ended:?}");
        assert!(ended.stdout.contains("remove `[remote]` from"), "{ended:?}");
    }
    let file = std::fs::read_to_string(world.path(".config/guard-host/guard.toml")).unwrap();
    assert!(!file.contains("[[allow]]"), "{file}");
    // The list changes nothing.
    assert_eq!(world.run(&["allow"], "").exit, 0);
}

#[test]
fn an_allow_beside_a_server_with_a_local_fallback_is_written_with_a_warning() {
    let world = asking(ADDRESS, "fallback = \"local\"");
    let ended = attended(&world, &["allow", "rm -rf build", "--yes"]);
    assert!(ended.exit == 0 && ended.stdout.contains("and ignores the allow"), "{ended:?}");
}

#[test]
fn a_pause_names_the_policies_that_it_reaches() {
    let world = asking(ADDRESS, "");
    let named = attended(&world, &["pause", "10m", "--only", "command-guard"]);
    assert!(named.exit == 69 && named.stdout.contains("can't pause `command-guard`: the server"), "{named:?}");
    let all = attended(&world, &["pause", "10m"]);
    assert_eq!(all.exit, 0, "{all:?}");
    assert!(
        all.stdout.contains("asks of session-guard, intrusion-guard are paused")
            && all.stdout.contains("ignores the pause"),
        "{all:?}"
    );
    assert_eq!(world.audit().last().unwrap()["action"], json!("pause"));
}

#[test]
fn a_pause_that_a_server_would_ignore_does_not_begin() {
    let off = |name: &str| format!("[[policy]]\nname = \"{name}\"\nenabled = false\n");
    let world = asking(ADDRESS, &(off("session-guard") + &off("intrusion-guard")));
    let ended = attended(&world, &["pause", "10m"]);
    assert!(ended.exit == 69 && ended.stdout.contains("nothing to pause: the server"), "{ended:?}");
    assert!(!world.run(&["doctor"], "").stdout.contains("paused for"));
}
