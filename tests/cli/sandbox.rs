//! `sandbox new`: the location of the folder, and the messages. The rest is tested next to the code.

use std::fs;

use crate::support::world::{World, end};
use crate::texts::assert_text;

/// S4-08, S4-09, S4-99k.
#[test]
fn s4_70_from_any_folder_of_the_project_it_lies_at_the_root() {
    let world = World::new();
    fs::create_dir_all(world.path("repo/a/b")).unwrap();
    let mut command = world.command(&["sandbox", "new", "auth-investigation"]);
    command.current_dir(world.path("repo/a/b"));
    let ended = end(command, "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""));
    let today = jiff::Zoned::now().date().to_string();
    let path = ended.stdout.trim_end();
    assert!(fs::metadata(path).unwrap().is_dir());
    let (start, rest) = path.split_once("/repo/").unwrap();
    assert!(world.home.path().ends_with(start.rsplit('/').next().unwrap()));
    // Midnight may be between the two readings of the clock.
    let day = rest.strip_prefix("agent_sandbox/").and_then(|rest| rest.strip_suffix("/auth-investigation")).unwrap();
    assert!(day.len() == 10 && *day <= *today, "{day}");
    assert!(!world.path("repo/a/b/agent_sandbox").exists());
    assert_eq!(fs::read_to_string(world.path("repo/.gitignore")).unwrap(), "agent_sandbox/\n");
}

#[test]
fn s4_73_the_name_is_needed_and_the_folder_is_found_again() {
    let world = World::new();
    for name in ["", "..", "a/b", "-x", "--help-me", ".x", &"x".repeat(65)] {
        let ended = world.run(&["sandbox", "new", name], "");
        assert_eq!((ended.exit, ended.stdout.as_str()), (64, ""), "{name}: {ended:?}");
    }
    assert_eq!(world.run(&["sandbox", "new"], "").exit, 64);
    assert!(!world.path("repo/agent_sandbox").exists());
    let (first, second) = (world.run(&["sandbox", "new", "x"], ""), world.run(&["sandbox", "new", "x"], ""));
    assert_eq!((first.exit, &first), (0, &second));
}

#[test]
fn s4_74_a_link_in_the_way_ends_with_69() {
    let world = World::new();
    std::os::unix::fs::symlink(world.home.path(), world.path("repo/agent_sandbox")).unwrap();
    let ended = world.run(&["sandbox", "new", "x"], "");
    assert_text!("sandbox_link", &world, 69, ended);
}
