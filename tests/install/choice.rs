//! `install` without a harness: detection on this machine, and the person's choice at the terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::terminal::attended_by;
use crate::support::texts::normalized_output;
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

/// Creates a home with the settings of three harnesses, two of them in shared folders, and with the program of one.
fn world() -> World {
    let world = World::new();
    for folder in [".claude", ".config/opencode", ".codeium/windsurf", "bin"] {
        fs::create_dir_all(world.path(folder)).unwrap();
    }
    let program = world.write("bin/codex", "");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    world
}

/// Runs a command with only this home's programs.
fn run(world: &World, arguments: &[&str]) -> ProcessOutput {
    let mut command = world.command(arguments);
    command.env("PATH", world.path("bin"));
    end(command, "")
}

#[test]
fn without_a_terminal_the_harnesses_of_this_machine_are_listed_with_their_commands() {
    let world = world();
    world.write(".claude/settings.json", "{}");
    run(&world, &["install", "claude"]);
    let ended = run(&world, &["install"]);
    assert_eq!(ended.exit, 2);
    assert_text!("install_listed", normalized_output(&world, &ended));
    let none = run(&World::new(), &["install"]);
    assert_eq!(none.exit, 69, "{none:?}");
    assert_text!("install_none", normalized_output(&world, &none));
}

#[test]
fn at_a_terminal_the_chosen_ones_are_installed() {
    let world = world();
    let program = env!("CARGO_BIN_EXE_guard-host");
    let ended = attended_by(&world, program, &["install", "--dry-run"], "opencode\n");
    assert!(ended.exit == 0 && ended.stdout.contains("+++ "), "{ended:?}");
    let ended = attended_by(&world, program, &["install"], "opencode, windsurf\n");
    assert!(world.path(".config/opencode/plugins/guard-host.js").exists(), "{ended:?}");
    assert!(world.path(".codeium/windsurf/hooks.json").exists() && !world.path(".claude/settings.json").exists());
    assert_eq!(attended_by(&world, program, &["install"], "\n").exit, 2);
    assert_eq!(attended_by(&world, program, &["install"], "99\n").exit, 64);
}
