//! Copies that share extents with the files, on btrfs in a temporary file.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use guard_undo::{How, Rehearsal};

use crate::limits::in_namespace;
use crate::world::World;

/// The size of the file with the file system: somewhat above the minimum of btrfs.
const DISK: u64 = 512 << 20;

const FILE: usize = 64 << 20;

fn run(command: &mut Command) {
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// Returns the used bytes of a file system.
fn used(folder: &Path) -> u64 {
    rustix::fs::syncfs(File::open(folder).unwrap()).unwrap();
    let found = rustix::fs::statvfs(folder).unwrap();
    (found.f_blocks - found.f_bfree) * found.f_frsize
}

#[test]
#[ignore = "needs root, mounts, btrfs"]
fn a_copy_on_btrfs_takes_no_space() {
    in_namespace("extents::a_copy_on_btrfs_takes_no_space", copy_on_btrfs);
}

fn copy_on_btrfs() {
    let folder = tempfile::tempdir().unwrap();
    let (disk, at) = (folder.path().join("disk"), folder.path().join("at"));
    // A new file, never a device.
    File::create_new(&disk).unwrap().set_len(DISK).unwrap();
    fs::create_dir(&at).unwrap();
    assert!(disk.symlink_metadata().unwrap().is_file());
    run(Command::new("mkfs.btrfs").arg("--quiet").arg(&disk));
    run(Command::new("mount").args(["-t", "btrfs", "-o", "loop"]).arg(&disk).arg(&at));
    let world = World::below(&at);
    let content = (0..FILE).map(|number| u8::try_from(number * 31 % 251).unwrap()).collect::<Vec<_>>();
    fs::write(world.path("large"), &content).unwrap();
    let before = used(&at);
    let manifest = world.kept(vec![world.loss("large", How::Delete)]);
    let taken = used(&at).saturating_sub(before);
    assert!(taken < 4 << 20, "{taken} bytes for a copy of {FILE}");
    let rehearsal = Rehearsal::begin(&world.state).unwrap();
    assert!(rehearsal.shares_extents(&world.root));
    drop(rehearsal);
    // A copy is a separate file: writes to the original don't change it.
    fs::write(world.path("large"), "short").unwrap();
    fs::remove_file(world.path("large")).unwrap();
    world.restore(&manifest);
    assert!(fs::read(world.path("large")).unwrap() == content);
    run(Command::new("umount").arg(&at));
}
