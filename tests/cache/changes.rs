//! The next call notices every change of a prepared chain's sources.

use crate::support::world::World;
use std::fs;

use guard_state::hex;
use sha2::{Digest, Sha256};

use super::{answers, prepared};
use crate::support::guests::{self, chain, entry, place};
use crate::support::texts::normalize;
use crate::texts::assert_text;

#[test]
fn a_changed_configuration_is_seen_by_the_next_call() {
    let world = prepared();
    world.configure("preset = \"none\"\n");
    assert!(world.bash("ls -la").is_silent());
    chain(&world, &["shell"], "");
    answers(&world);
}

#[test]
fn a_new_file_of_the_project_is_seen_by_the_next_call() {
    let world = prepared();
    let component = place(&world, "denies");
    assert_eq!(world.bash("rm -rf /").decision(), "ask");
    let file = world.write("repo/.guard/guard.toml", entry("denies", &component, ""));
    assert_eq!(world.bash("rm -rf /").decision(), "deny");
    fs::remove_file(file).unwrap();
    assert_eq!(world.bash("rm -rf /").decision(), "ask");
}

#[test]
fn a_changed_component_is_seen_by_the_next_call() {
    let world = prepared();
    let component = world.path("guests/shell.wasm");
    fs::write(&component, guests::bytes("denies")).unwrap();
    assert!(world.bash("ls -la").is_silent());
    assert_eq!(world.bash("rm -rf /").decision(), "deny");
    let new = world.write("guests/new.wasm", guests::bytes("shell"));
    fs::rename(new, &component).unwrap();
    answers(&world);
    fs::remove_file(&component).unwrap();
    let ended = world.bash("ls -la");
    assert_eq!(ended.decision(), "ask");
    assert_text!("cache_component_gone", normalize(&world, &ended.reason()));
}

#[test]
fn a_component_of_another_digest_than_the_pinned_one_is_at_fault() {
    let world = World::new();
    let pin = |guest: &str| format!("sha256 = \"{}\"", hex(&Sha256::digest(guests::bytes(guest))));
    chain(&world, &["shell"], &pin("shell"));
    answers(&world);
    for (on_error, decision) in [("ask", "ask"), ("deny", "deny"), ("allow", "")] {
        chain(&world, &["shell"], &format!("on-error = \"{on_error}\"\n{}", pin("denies")));
        let ended = world.bash("ls -la");
        assert_eq!(ended.decision(), decision, "{ended:?}");
        assert_eq!(ended.is_silent(), on_error == "allow", "{ended:?}");
    }
}

#[test]
fn a_pinned_component_that_changes_later_is_at_fault() {
    let world = World::new();
    chain(&world, &["shell"], &format!("sha256 = \"{}\"", hex(&Sha256::digest(guests::bytes("shell")))));
    answers(&world);
    fs::write(world.path("guests/shell.wasm"), guests::bytes("denies")).unwrap();
    let ended = world.bash("ls -la");
    assert_eq!(ended.decision(), "ask", "{ended:?}");
    assert_text!("cache_component_changed", normalize(&world, &ended.reason()));
}
