//! An agent's changes to a file with registered hooks need confirmation, for every harness and in every place.

use guard_harness::capabilities::{self, FileScope};
use serde_json::json;

use super::text;
use crate::support::world::{World, end};

/// Returns the exit code of `check` for a write: 0 may run, 1 ask, 2 deny.
fn write(world: &World, path: &str) -> i32 {
    let input = json!({ "file_path": path, "content": "{}" }).to_string();
    world.run(&["check", "--tool", "Write", &input], "").exit
}

#[test]
fn every_file_of_the_facets_is_guarded() {
    let world = World::new();
    let mut count = 0;
    for (name, file) in capabilities::ALL
        .iter()
        .flat_map(|capabilities| capabilities.files.iter().map(|file| (capabilities.name, file)))
    {
        let path = match file.scope {
            FileScope::Machine => file.path.to_owned(),
            FileScope::User => file.path.replacen('~', text(world.home.path()), 1),
            FileScope::Project => file.path.replacen('.', text(&world.repo()), 1),
        };
        assert!(path.starts_with('/'), "{name}: {path}");
        assert_ne!(write(&world, &path.replace('*', "x")), 0, "{name}: {path}");
        count += 1;
    }
    assert!(count > 40, "{count}");
    assert_eq!(write(&world, text(&world.path("repo/notes.json"))), 0);
}

#[test]
fn what_was_registered_elsewhere_is_guarded_until_it_is_taken_out() {
    let world = World::new();
    let moved = world.path("moved");
    let run = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env("CODEX_HOME", &moved);
        assert_eq!(end(command, "").exit, 0, "{arguments:?}");
    };
    let remove = || {
        let command = format!("rm {}/hooks.json", text(&moved));
        let payload = json!({ "tool_name": "Bash", "cwd": world.repo(), "tool_input": { "command": command } });
        world.hook(&payload.to_string())
    };
    assert!(remove().is_silent());
    run(&["install", "codex"]);
    let denied = remove();
    assert!(denied.decision() == "deny" && denied.reason().contains("hook-removed"), "{denied:?}");
    run(&["uninstall", "codex"]);
    assert!(remove().is_silent());
}
