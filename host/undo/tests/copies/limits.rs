//! Full and read-only disks, trees that are too large, and the time for that.
//!
//! Some tests mount their own file system. They run again in a separate mount namespace.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use guard_undo::BackupCoverage;
use guard_undo::How;
use guard_undo::backup::{ChildAnswer, Task, make};
use guard_undo::restore::{Options, Restorer};

use crate::world::World;

/// Set for the test that runs in its own namespace.
const INSIDE: &str = "GUARD_TEST_NAMESPACE";

/// The budget of a call is 150 ms. Tests use more, because the machine may be busy.
const BUSY: Duration = Duration::from_secs(2);

/// Runs a test again in a namespace where it can mount file systems, and does its work there.
pub(crate) fn in_namespace(name: &str, work: impl FnOnce()) {
    if env::var_os(INSIDE).is_some() {
        work();
    } else {
        let mut command = Command::new("unshare");
        command.arg("--mount").arg(env::current_exe().unwrap());
        let ran = command.args(["--exact", name, "--ignored"]).env(INSIDE, "1").output().unwrap();
        let printed = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && printed.contains("1 passed"), "{printed}");
    }
}

/// Mounts a file system in memory. Must run inside [`in_namespace`].
fn mount(folder: &Path, options: &str) {
    assert!(env::var_os(INSIDE).is_some());
    let ran = Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(folder).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

fn remount_read_only(folder: &Path) {
    let ran = Command::new("mount").args(["-o", "remount,ro"]).arg(folder).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// Uses all remaining space of a file system.
fn fill_up(folder: &Path) {
    use std::io::Write;
    let mut file = fs::File::create(folder.join("filler")).unwrap();
    while file.write_all(&[1; 4096]).is_ok() {}
    while file.write_all(&[1; 1]).is_ok() {}
}

/// Returns the number of the store's folders that aren't backups.
fn unlisted(world: &World) -> usize {
    let names = fs::read_dir(world.store().folder()).into_iter().flatten().flatten();
    names.filter(|entry| entry.file_name().to_string_lossy().starts_with('.')).count()
}

#[test]
#[ignore = "needs mounts"]
fn a_full_disk_keeps_nothing_and_leaves_no_part_of_a_copy() {
    in_namespace("limits::a_full_disk_keeps_nothing_and_leaves_no_part_of_a_copy", keep_on_a_full_disk);
}

fn keep_on_a_full_disk() {
    let world = World::new();
    world.write("small", "s");
    world.write("large", &"x".repeat(2 << 20));
    fs::create_dir(&world.state).unwrap();
    mount(&world.state, "size=1m,mode=700");
    let before = world.kept(vec![world.loss("small", How::Delete)]);
    let answer = world.keep(vec![world.loss("large", How::Delete)]);
    assert!(answer.kept == BackupCoverage::Nothing && answer.why.contains("No space left"), "{answer:?}");
    assert_eq!(unlisted(&world), 0);
    fill_up(&world.state);
    let answer = world.keep(vec![world.loss("small", How::Delete)]);
    assert_eq!((answer.kept, unlisted(&world)), (BackupCoverage::Nothing, 0), "{answer:?}");
    assert!(!answer.why.is_empty());
    // The earlier copy exists, and is restored.
    fs::remove_file(world.path("small")).unwrap();
    world.restore(&before);
    assert_eq!(fs::read_to_string(world.path("small")).unwrap(), "s");
}

#[test]
#[ignore = "needs mounts"]
fn a_read_only_state_folder_keeps_nothing_and_restores_what_it_has() {
    in_namespace("limits::a_read_only_state_folder_keeps_nothing_and_restores_what_it_has", keep_and_restore_read_only);
}

fn keep_and_restore_read_only() {
    let world = World::new();
    world.write("f", "f");
    fs::create_dir(&world.state).unwrap();
    mount(&world.state, "size=1m,mode=700");
    let before = world.kept(vec![world.loss("f", How::Delete)]);
    remount_read_only(&world.state);
    let answer = world.keep(vec![world.loss("f", How::Delete)]);
    assert!(answer.kept == BackupCoverage::Nothing && answer.id.is_empty(), "{answer:?}");
    assert!(answer.why.contains("Read-only file system"), "{answer:?}");
    fs::remove_file(world.path("f")).unwrap();
    world.restore(&before);
    assert_eq!(fs::read_to_string(world.path("f")).unwrap(), "f");
}

#[test]
#[ignore = "needs mounts"]
fn a_restore_to_a_full_disk_leaves_no_half_of_a_file() {
    in_namespace("limits::a_restore_to_a_full_disk_leaves_no_half_of_a_file", restore_to_a_full_disk);
}

fn restore_to_a_full_disk() {
    let world = World::new();
    mount(&world.root, "size=1m,mode=700");
    world.write("d/one", &"1".repeat(200 << 10));
    world.write("d/two", &"2".repeat(200 << 10));
    world.write("single", &"3".repeat(200 << 10));
    let before = world.tree();
    let manifest = world.kept(vec![world.loss("d", How::Delete), world.loss("single", How::Delete)]);
    fs::remove_dir_all(world.path("d")).unwrap();
    fs::remove_file(world.path("single")).unwrap();
    fill_up(&world.root);
    let store = world.store();
    let restorer = Restorer { store: &store, state: &world.state, env: &world.env };
    let items = restorer.plan(&manifest, &Options::default());
    assert!(restorer.apply(&manifest, &items, &Options::default()).is_err());
    assert_eq!(world.tree().into_keys().collect::<Vec<_>>(), ["filler"]);
    // With space again, everything is restored.
    fs::remove_file(world.path("filler")).unwrap();
    world.restore(&manifest);
    assert_eq!(world.tree(), before);
}

/// Makes a copy with the budget of a call, and returns the shortest time of several tries, because the machine may be
/// busy.
fn timed(world: &World, task: &Task) -> (ChildAnswer, Duration) {
    let attempts = (0..5).map(|_| {
        let begun = Instant::now();
        let answer = make(task, begun, &world.env);
        (answer, begun.elapsed())
    });
    attempts.min_by_key(|(_, took)| *took).unwrap()
}

#[test]
fn ten_gigabytes_are_over_the_budget_at_once() {
    let world = World::new();
    for number in 0..10 {
        world.write(&format!("d/{number}"), "");
        // A hole takes no space.
        fs::OpenOptions::new().write(true).open(world.path(&format!("d/{number}"))).unwrap().set_len(1 << 30).unwrap();
    }
    let task = Task { left_ms: 150, max_bytes: 256 << 20, ..world.task(vec![world.loss("d", How::Delete)]) };
    let (answer, took) = timed(&world, &task);
    eprintln!("10 GiB: {took:?}");
    assert!(
        answer.kept == BackupCoverage::Nothing && answer.why == "larger than 256 MiB" && took < BUSY,
        "{answer:?} {took:?}"
    );
    assert_eq!(world.manifest(&answer.id).bytes, 0);
    assert_eq!(unlisted(&world), 0);
}

#[test]
fn more_files_than_allowed_are_over_the_budget_at_once() {
    let world = World::new();
    for folder in 0..30 {
        for file in 0..1000 {
            let path = world.path(&format!("d/{folder}/{file}"));
            if file == 0 {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
            }
            fs::write(path, "x").unwrap();
        }
    }
    let task = Task { left_ms: 20_000, ..world.task(vec![world.loss("d", How::Delete)]) };
    let (answer, took) = timed(&world, &task);
    eprintln!("30,000 files: {took:?}");
    assert!(
        answer.kept == BackupCoverage::Nothing && answer.why == "more than 20000 files" && took < BUSY,
        "{answer:?} {took:?}"
    );
    assert_eq!(unlisted(&world), 0);
}

#[test]
// This test takes a minute.
#[ignore = "needs git"]
fn three_changes_in_a_large_repository_are_copied_and_restored() {
    let world = World::repository();
    for folder in 0..1000 {
        fs::create_dir(world.path(&format!("{folder}"))).unwrap();
        for file in 0..100 {
            fs::write(world.path(&format!("{folder}/{file}.txt")), format!("{folder} {file}\n")).unwrap();
        }
    }
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "many"]);
    // A file as new as the index may have changed since.
    std::thread::sleep(Duration::from_millis(1100));
    world.git(&["update-index", "--refresh"]);
    world.git(&["status", "--porcelain"]);
    for name in ["0/1.txt", "500/50.txt", "999/99.txt"] {
        world.write(name, "changed");
    }
    let task = Task { left_ms: 20_000, ..world.task(vec![world.git_loss("git.reset.hard", "")]) };
    let (answer, took) = timed(&world, &task);
    eprintln!("100,000 files, three of them changed: {took:?}");
    let manifest = world.manifest(&answer.id);
    assert_eq!((answer.kept, manifest.entries.len()), (BackupCoverage::Whole, 3), "{answer:?}");
    world.git(&["reset", "-q", "--hard"]);
    let begun = Instant::now();
    world.restore(&manifest);
    eprintln!("the restore: {:?}", begun.elapsed());
    assert_eq!(fs::read_to_string(world.path("500/50.txt")).unwrap(), "changed");
}
