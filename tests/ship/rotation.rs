//! Rotation between two runs: existing lines are sent once, and lost ones are counted.

use std::collections::BTreeSet;
use std::fs;

use super::receiver::Receiver;
use super::{LOG, ROTATED, cursor, ids, lines, sent, ship, ship_all};
use crate::support::texts::normalize;
use crate::support::world::World;
use crate::texts::assert_text;

/// Creates a world whose log has room for some eight lines.
fn world() -> World {
    let world = World::new();
    world.configure("[audit]\nmax-bytes = 4096\n");
    world
}

/// Makes calls, each with a line. Returns their operations.
fn calls(world: &World, numbers: impl IntoIterator<Item = usize>) -> BTreeSet<String> {
    let commands = numbers.into_iter().map(|number| format!("git push origin b{number:03}"));
    commands.inspect(|command| assert_eq!(world.bash(command).decision(), "ask")).collect()
}

fn operations(receiver: &Receiver) -> BTreeSet<String> {
    receiver.records().iter().map(|(_, record)| record["body"]["stringValue"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_rotation_kept_is_sent_once() {
    let world = world();
    let receiver = Receiver::start();
    let mut all = BTreeSet::new();
    for step in 0..20 {
        all.extend(calls(&world, 3 * step..3 * step + 3));
        assert_eq!(ship_all(&world, &receiver), 3);
    }
    assert!(world.path(ROTATED).exists());
    assert!(world.path(".local/state/guard-host/audit.jsonl.discarded").exists(), "several rotations");
    assert_eq!((operations(&receiver), receiver.twice()), (all, 0));
}

#[test]
fn what_rotation_discarded_is_counted_and_told() {
    let world = world();
    let receiver = Receiver::start();
    let first = calls(&world, 0..10);
    assert_eq!(ship_all(&world, &receiver), 10);
    assert_eq!(operations(&receiver), first);
    let later = calls(&world, 10..60);
    let ended = ship(&world, &receiver, &[]);
    let arrived = sent(&ended);
    let lost = 50 - arrived;
    assert!(lost > 10 && arrived > 5, "{ended:?}");
    assert_eq!(ended.exit, 1, "{ended:?}");
    assert_text!("ship_rotation", normalize(&world, &ended.stderr).replace(&lost.to_string(), "LOST"));
    let operations = operations(&receiver);
    assert_eq!(later.difference(&operations).count(), lost);
    assert_eq!(receiver.twice(), 0);
    assert_eq!(ship_all(&world, &receiver), 0, "it is told once");
}

#[test]
fn an_empty_log_that_was_sent_loses_nothing_in_silence() {
    let world = world();
    let receiver = Receiver::start();
    world.write(LOG, "");
    assert_eq!(ship_all(&world, &receiver), 0);
    calls(&world, 0..40);
    let ended = ship(&world, &receiver, &[]);
    let lost = 40 - sent(&ended);
    assert!(lost > 0 && ended.stderr.contains(&lost.to_string()), "{ended:?}");
}

#[test]
fn all_that_was_sent_before_a_rotation_is_no_loss() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(ROTATED, lines(0..5));
    world.write(LOG, lines(5..9));
    assert_eq!(ship_all(&world, &receiver), 9);
    // Like the writer's rotation: other files with the same bytes.
    fs::rename(world.path(LOG), world.path(ROTATED)).unwrap();
    world.write(LOG, lines(9..11));
    assert_eq!(ship_all(&world, &receiver), 2);
    let copy = fs::read(world.path(LOG)).unwrap();
    fs::remove_file(world.path(LOG)).unwrap();
    world.write(LOG, copy);
    assert_eq!(ship_all(&world, &receiver), 0);
    assert_eq!((receiver.ids(), receiver.twice()), (ids(0..11), 0));
}

#[test]
fn a_log_that_was_replaced_is_told() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..5));
    assert_eq!(ship_all(&world, &receiver), 5);
    world.write(LOG, lines(10..12));
    let ended = ship(&world, &receiver, &[]);
    assert_eq!(sent(&ended), 2, "{ended:?}");
    assert_text!("ship_replaced", &world, 1, ended);
    assert_eq!(ship_all(&world, &receiver), 0);
    assert!(fs::metadata(cursor(&world)).unwrap().len() < 1024);
}
