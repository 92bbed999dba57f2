//! Files with other names: hard links, and links that a call writes through or replaces.

use std::fs;
use std::os::unix::fs::symlink;

use guard_undo::{BackupCoverage, How};

use crate::world::World;

#[test]
fn another_name_of_an_overwritten_file_is_not_covered() {
    let world = World::new();
    world.write("a", "a");
    fs::hard_link(world.path("a"), world.path("b")).unwrap();
    for (how, kept) in [
        (How::Overwrite, BackupCoverage::Partly),
        (How::Merge, BackupCoverage::Partly),
        (How::Delete, BackupCoverage::Whole),
        (How::Replace, BackupCoverage::Whole),
    ] {
        assert_eq!(world.keep(vec![world.loss("b", how)]).kept, kept, "{how:?}");
    }
    assert_eq!(world.keep(vec![world.loss("", How::Merge)]).kept, BackupCoverage::Partly);
    assert_eq!(world.keep(vec![world.loss("", How::Delete)]).kept, BackupCoverage::Whole);
}

#[test]
fn a_file_with_a_new_hard_link_is_restored() {
    let world = World::new();
    world.write("a", "old");
    let manifest = world.kept(vec![world.loss("a", How::Overwrite)]);
    world.write("a", "new");
    fs::hard_link(world.path("a"), world.path("b")).unwrap();
    world.restore(&manifest);
    let text = |name: &str| fs::read_to_string(world.path(name)).unwrap();
    assert_eq!((text("a"), text("b")), ("old".to_owned(), "new".to_owned()));
}

#[test]
fn links_in_a_folder_that_files_are_written_to_must_stay_in_it() {
    let world = World::new();
    world.write("d/a", "a");
    world.write("e/b", "b");
    for (target, kept) in [
        ("a", BackupCoverage::Whole),
        ("absent", BackupCoverage::Whole),
        ("../e", BackupCoverage::Partly),
        ("../e/b", BackupCoverage::Partly),
        ("/", BackupCoverage::Partly),
    ] {
        symlink(target, world.path("d/link")).unwrap();
        assert_eq!(world.keep(vec![world.loss("d", How::Merge)]).kept, kept, "{target}");
        assert_eq!(world.keep(vec![world.loss("d", How::Delete)]).kept, BackupCoverage::Whole, "{target}");
        fs::remove_file(world.path("d/link")).unwrap();
    }
}

#[test]
fn a_replaced_link_is_restored() {
    for how in [How::Overwrite, How::Replace] {
        let world = World::new();
        world.write("target", "t");
        symlink("target", world.path("link")).unwrap();
        let before = world.tree();
        let manifest = world.kept(vec![world.loss("link", how)]);
        fs::remove_file(world.path("link")).unwrap();
        world.write("link", "new");
        world.restore(&manifest);
        assert_eq!(world.tree(), before, "{how:?}");
    }
    // The folder behind a link isn't lost.
    let world = World::new();
    world.write("d/a", "a");
    symlink("d", world.path("link")).unwrap();
    let manifest = world.kept(vec![world.loss("link", How::Replace)]);
    assert_eq!(manifest.entries.len(), 1);
}
