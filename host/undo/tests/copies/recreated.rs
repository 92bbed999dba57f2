//! Paths that a call deletes and creates again.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use guard_undo::How;
use guard_undo::restore::Options;

use crate::world::World;

/// A folder, a file and a link that a call is going to delete.
fn prepared() -> World {
    let world = World::new();
    world.write("d/in/x", "x");
    world.write("d/y", "y");
    world.write("f", "f");
    world.write("other/y", "other");
    symlink("f", world.path("l")).unwrap();
    world
}

const LOST: [&str; 3] = ["d", "f", "l"];

fn delete(world: &World, names: &[&str]) {
    for path in names.iter().map(|name| world.path(name)) {
        if path.symlink_metadata().unwrap().is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }
}

/// A command, and what it does.
type Change = (&'static str, fn(&World));

#[test]
fn a_path_that_the_call_created_again_is_replaced() {
    let changes: [Change; 6] = [
        ("files", |world| ["d/in/x", "d/new", "f", "l"].iter().for_each(|name| world.write(name, "again"))),
        ("folders", |world| ["f/a", "l/b/c", "d/in/x/y"].iter().for_each(|name| world.write(name, "again"))),
        ("files instead of folders", |world| world.write("d", "again")),
        ("links", |world| ["d", "f"].iter().for_each(|name| symlink("other", world.path(name)).unwrap())),
        ("dangling links", |world| LOST.iter().for_each(|name| symlink("none", world.path(name)).unwrap())),
        ("a part of a folder", |world| world.write("d/in", "again")),
    ];
    for (what, change) in changes {
        let world = prepared();
        let before = world.tree();
        let manifest = world.kept(LOST.map(|name| world.loss(name, How::Delete)).into());
        delete(&world, &LOST);
        change(&world);
        let made = world.tree();
        let report = world.restore(&manifest);
        assert_eq!(report.problems, [""; 0], "{what}");
        let now = world.tree();
        let differs = before.iter().filter(|(name, entry)| now.get(*name).map(|it| &it.2) != Some(&entry.2));
        assert_eq!(differs.collect::<Vec<_>>(), [], "{what}");
        assert_eq!(fs::read_to_string(world.path("other/y")).unwrap(), "other", "{what}");
        // Undoes the undo.
        world.restore(&world.manifest(&report.replaced));
        let now = world.tree();
        let differs = made.iter().filter(|(name, entry)| now.get(*name).map(|it| &it.2) != Some(&entry.2));
        assert_eq!(differs.collect::<Vec<_>>(), [], "{what}");
    }
}

#[test]
fn a_file_with_a_future_date_is_replaced() {
    let world = prepared();
    let manifest = world.kept(vec![world.loss("f", How::Delete), world.loss("d/y", How::Overwrite)]);
    for name in ["f", "d/y"] {
        world.write(name, "again");
        let file = fs::File::options().write(true).open(world.path(name)).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_secs(100_000_000)).unwrap();
    }
    assert_eq!(world.restore(&manifest).restored.len(), 2);
}

#[test]
fn a_path_that_was_created_after_the_call_is_kept() {
    let changes: [Change; 4] = [
        ("f", |world| world.write("f", "mine")),
        ("f", |world| world.write("f/in/mine", "mine")),
        ("d", |world| symlink("other", world.path("d")).unwrap()),
        ("d", |world| world.write("d", "mine")),
    ];
    for (name, change) in changes {
        let world = prepared();
        let manifest = world.kept(vec![world.loss(name, How::Delete)]);
        delete(&world, &[name]);
        let ended = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
        let changed_again = [(world.path(name).display().to_string(), i64::try_from(ended).unwrap())].into();
        std::thread::sleep(Duration::from_millis(30));
        change(&world);
        let before = world.tree();
        let options = Options { changed_again, ..Options::default() };
        assert_eq!(world.restore_with(&manifest, &options).restored, [""; 0], "{name}");
        assert_eq!(world.tree(), before, "{name}");
        let report = world.restore_with(&manifest, &Options { is_forced: true, ..options });
        assert_eq!(report.problems, [""; 0], "{name}");
        assert!(!report.replaced.is_empty(), "{name}");
    }
}

#[test]
fn another_folder_gets_no_kinds_replaced() {
    let world = prepared();
    let manifest = world.kept(vec![world.loss("f", How::Delete), world.loss("d", How::Delete)]);
    world.write("to/f/mine", "mine");
    world.write("to/d", "mine");
    let to = Some(world.path("to"));
    let before = world.tree();
    world.restore_with(&manifest, &Options { to, is_forced: true, ..Options::default() });
    assert_eq!(world.tree(), before);
}
