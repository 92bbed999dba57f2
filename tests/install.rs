//! `install`, `uninstall` and `doctor` as processes: their changes to a harness's files, and what stays unchanged.

mod canary;
mod choice;
mod doctor;
mod goldens;
mod harnesses;
mod leftovers;
mod links;
mod managed;
mod other_users;
mod others;
mod outweighed;
mod plugin;
mod plugins;
mod protected;
mod registered;
mod scripts;
mod settings;
mod unprepared;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::world::{ProcessOutput, World};

/// The user's settings.
const SETTINGS: &str = ".claude/settings.json";

/// The part of a line after the hook's call: it exits with 2 if there was no answer.
const CLOSING: &str = " || { [ $? = 2 ] || echo 'guard-host gave no answer, so this call is held: run guard-host doctor, or install it again' >&2; exit 2; }";

/// Returns the line that calls the hook, and blocks if there is no answer or the program is an empty file.
fn closed(line: &str) -> String {
    let program = line.split(' ').next().filter(|program| program.contains('/'));
    let check = program.map(|program| format!("[ -s {program} ] && ")).unwrap_or_default();
    format!("{check}{line}{CLOSING}")
}

/// Runs a command that must succeed.
#[track_caller]
fn done(world: &World, arguments: &[&str]) -> ProcessOutput {
    let ended = world.run(arguments, "");
    assert_eq!(ended.exit, 0, "{arguments:?}: {ended:?}");
    ended
}

#[track_caller]
fn read(world: &World, below_home: &str) -> String {
    fs::read_to_string(world.path(below_home)).unwrap_or_else(|error| panic!("{below_home}: {error}"))
}

#[track_caller]
fn json(world: &World, below_home: &str) -> Value {
    serde_json::from_str(&read(world, below_home)).unwrap()
}

/// Returns every handler of an event in a settings file.
fn handlers(settings: &Value, event: &str) -> Vec<Value> {
    let groups = settings["hooks"][event].as_array().cloned().unwrap_or_default();
    groups.iter().flat_map(|group| group["hooks"].as_array().cloned().unwrap_or_default()).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
