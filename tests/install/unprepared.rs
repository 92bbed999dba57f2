//! A chain that can't be prepared, and a program that is an empty file.

use std::os::unix::fs::PermissionsExt;

use super::{SETTINGS, done, read, text};
use crate::support::texts::{lines_about, normalize};
use crate::support::world::{World, end};
use crate::texts::assert_text;

/// A read-only file system, because a folder's mode doesn't restrict an administrator.
#[test]
fn a_chain_that_cannot_be_prepared_is_a_problem() {
    let world = World::new();
    let mut doctor = std::process::Command::new("unshare");
    let script = "mkdir .cache && mount --bind .cache .cache && mount -o remount,bind,ro .cache \
                  && cd repo && exec \"$0\" doctor";
    doctor.args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_guard-host")]).current_dir(world.home.path());
    doctor.env_clear().env("HOME", world.home.path()).env("PATH", std::env::var_os("PATH").unwrap());
    let ended = end(doctor, "");
    assert_eq!(ended.exit, 69, "{ended:?}");
    assert_text!("doctor_not_prepared", normalize(&world, &lines_about(&ended.stdout, "artifacts: ")));
}

#[test]
fn an_empty_program_is_a_problem() {
    let world = World::new();
    let program = world.write("bin/guard-host", "");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    done(&world, &["install", "claude"]);
    let registered = read(&world, SETTINGS).replace(env!("CARGO_BIN_EXE_guard-host"), text(&program));
    world.write(SETTINGS, registered);
    let ended = world.run(&["doctor"], "");
    assert_eq!(ended.exit, 69, "{ended:?}");
    assert_text!("doctor_empty_program", normalize(&world, &lines_about(&ended.stdout, "program: ")));
}
