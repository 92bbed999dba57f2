//! The rehearsal of `guard-host doctor`.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use guard_undo::Rehearsal;
use guard_undo::backup::{ChildAnswer, Task, make};

use crate::world::World;

/// Creates a world with a state folder.
fn ready() -> World {
    let world = World::new();
    fs::create_dir(&world.state).unwrap();
    fs::set_permissions(&world.state, fs::Permissions::from_mode(0o700)).unwrap();
    world
}

fn names(world: &World) -> Vec<String> {
    fs::read_dir(&world.state).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_rehearsal_restores_its_files_and_leaves_nothing() {
    let world = ready();
    let rehearsal = Rehearsal::begin(&world.state).unwrap();
    let answer = make(&rehearsal.task(20_000, 1 << 20), Instant::now(), &world.env);
    assert_eq!(rehearsal.restore(&answer, &world.env), Ok(()));
    assert_eq!(names(&world).len(), 1);
    drop(rehearsal);
    assert_eq!((names(&world), world.store().usage()), (Vec::new(), (0, 0)));
}

#[test]
fn a_rehearsal_says_why_nothing_can_be_restored() {
    let world = ready();
    let rehearsal = Rehearsal::begin(&world.state).unwrap();
    let restore = |answer: &ChildAnswer| rehearsal.restore(answer, &world.env).unwrap_err();
    let task = Task { left_ms: 0, ..rehearsal.task(20_000, 1 << 20) };
    assert_eq!(restore(&make(&task, Instant::now(), &world.env)), "copying takes too long");
    assert_eq!(restore(&make(&rehearsal.task(20_000, 1), Instant::now(), &world.env)), "larger than 0 MiB");
    assert_eq!(restore(&ChildAnswer::without_backup(String::new())), "no copy was made");
    let answer =
        ChildAnswer { id: "20260101".to_owned(), ..make(&rehearsal.task(20_000, 1 << 20), Instant::now(), &world.env) };
    assert_eq!(restore(&answer), "the copy is in no list");
}

#[test]
fn a_rehearsal_needs_a_private_state_folder() {
    let world = ready();
    fs::set_permissions(&world.state, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(Rehearsal::begin(&world.state).is_err());
    assert_eq!(names(&world), [""; 0]);
}
