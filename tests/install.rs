//! `install`, `uninstall` and `doctor` as processes: what they write into a harness's files, and what they leave alone.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

#[expect(dead_code, unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/reply.rs"]
mod reply;
#[expect(unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/world.rs"]
mod world;

#[path = "install/doctor.rs"]
mod doctor;
#[path = "install/goldens.rs"]
mod goldens;
#[path = "install/harnesses.rs"]
mod harnesses;
#[path = "install/links.rs"]
mod links;
#[path = "install/others.rs"]
mod others;
#[path = "install/plugin.rs"]
mod plugin;
#[path = "install/plugins.rs"]
mod plugins;
#[path = "install/protected.rs"]
mod protected;
#[path = "install/registered.rs"]
mod registered;
#[path = "install/settings.rs"]
mod settings;

use std::fs;
use std::path::Path;

use serde_json::Value;

use world::{Ended, World};

/// The user's settings.
const SETTINGS: &str = ".claude/settings.json";

/// Runs a command that must end well.
#[track_caller]
fn done(world: &World, arguments: &[&str]) -> Ended {
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

/// Every handler of an event in a settings file.
fn handlers(settings: &Value, event: &str) -> Vec<Value> {
    let groups = settings["hooks"][event].as_array().cloned().unwrap_or_default();
    groups.iter().flat_map(|group| group["hooks"].as_array().cloned().unwrap_or_default()).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
