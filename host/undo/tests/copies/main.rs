//! Backups and restores in temporary folders: the test's own operations, or git, cause the losses.

mod extents;
mod git;
mod limits;
mod links;
mod recreated;
mod references;
mod rehearsal;
mod settings;
mod unkept;
mod world;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use guard_undo::backup::{Task, make};
use guard_undo::restore::{Options, Restorer};
use guard_undo::{BackupCoverage, How, Loss, Manifest, PathLoss};

use world::World;

#[test]
fn a_folder_comes_back_with_modes_times_links_and_empty_folders() {
    let world = World::new();
    world.write("d/run.sh", "#!/bin/sh\n");
    world.write("d/in/secret", "x");
    fs::create_dir_all(world.path("d/empty")).unwrap();
    symlink("in/secret", world.path("d/link")).unwrap();
    symlink("/nowhere/at/all", world.path("d/dangling")).unwrap();
    for (name, mode) in [("d/run.sh", 0o755), ("d/in/secret", 0o600), ("d/in", 0o700), ("d/empty", 0o750)] {
        fs::set_permissions(world.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let old = SystemTime::now() - Duration::from_secs(1_000_000);
    fs::File::open(world.path("d/run.sh")).unwrap().set_modified(old).unwrap();
    let before = world.tree();
    let manifest = world.kept(vec![world.loss("d", How::Delete)]);
    fs::remove_dir_all(world.path("d")).unwrap();
    let report = world.restore(&manifest);
    assert_eq!((world.tree(), report.replaced.as_str()), (before.clone(), ""));
    assert_eq!(world.path("d/run.sh").metadata().unwrap().modified().unwrap(), old);
    // A second restore does nothing.
    assert_eq!(world.restore(&manifest).restored, [""; 0]);
}

/// Sets a user attribute. Returns `false` if the file system has none.
fn set_attribute(path: &Path, value: &str) -> bool {
    rustix::fs::lsetxattr(path, "user.guard", value.as_bytes(), rustix::fs::XattrFlags::empty()).is_ok()
}

fn attribute(path: &Path) -> String {
    let mut value = [0; 64];
    let length = rustix::fs::lgetxattr(path, "user.guard", &mut value).unwrap_or(0);
    String::from_utf8_lossy(value.get(..length).unwrap_or_default()).into_owned()
}

#[test]
fn extended_attributes_come_back() {
    let world = World::new();
    world.write("d/f", "f");
    world.write("own", "own");
    fs::set_permissions(world.path("d/f"), fs::Permissions::from_mode(0o444)).unwrap();
    let set = |(name, value): (&str, &str)| set_attribute(&world.path(name), value);
    // A file system without attributes has none to restore.
    let all = [("d", "of d"), ("d/f", "of f"), ("own", "of own")].map(|one| (one.0, if set(one) { one.1 } else { "" }));
    let manifest = world.kept(vec![world.loss("d", How::Delete), world.loss("own", How::Overwrite)]);
    fs::remove_dir_all(world.path("d")).unwrap();
    // The content is the same, but its attribute is gone.
    fs::remove_file(world.path("own")).unwrap();
    world.write("own", "own");
    world.restore(&manifest);
    for (name, value) in all {
        assert_eq!(attribute(&world.path(name)), value, "{name}");
    }
    assert_eq!(world.path("d/f").metadata().unwrap().permissions().mode() & 0o777, 0o444);
    assert_eq!(world.restore(&manifest).restored, [""; 0]);
}

#[test]
fn hard_links_are_noted_and_come_back_as_files_of_their_own() {
    let world = World::new();
    world.write("d/a", "both");
    world.write("d/single", "s");
    fs::hard_link(world.path("d/a"), world.path("other")).unwrap();
    let manifest = world.kept(vec![world.loss("d", How::Delete)]);
    fs::remove_dir_all(world.path("d")).unwrap();
    let report = world.restore(&manifest);
    assert_eq!(report.unlinked, [(world.path("d/a").display().to_string(), 2)]);
    fs::write(world.path("d/a"), "changed").unwrap();
    assert_eq!(fs::read_to_string(world.path("other")).unwrap(), "both");
}

#[test]
fn a_path_through_a_folder_that_the_call_creates_is_copied() {
    let world = World::new();
    world.write("src/a", "a");
    world.write("new/b", "b");
    let before = world.tree();
    let losses = ["out/../src", "out/deep/../../new/*"].map(|name| world.loss(name, How::Delete));
    let manifest = world.kept(losses.into());
    fs::remove_dir_all(world.path("src")).unwrap();
    fs::remove_file(world.path("new/b")).unwrap();
    world.restore(&manifest);
    assert_eq!(world.tree(), before);
}

#[test]
fn a_file_that_is_lost_before_its_folder_comes_back() {
    let world = World::new();
    for name in ["src/lib.c", "src/main.c", "src/deep/x.h", "src/deep/y.h"] {
        world.write(name, name);
    }
    let before = world.tree();
    for names in [&["src/lib.c", "src"][..], &["src/deep", "src"], &["src/deep/x.h", "src/deep", "src/main.c", "src"]] {
        let manifest = world.kept(names.iter().map(|name| world.loss(name, How::Delete)).collect());
        fs::remove_dir_all(world.path("src")).unwrap();
        world.restore(&manifest);
        assert_eq!(world.tree(), before, "{names:?}");
    }
}

#[test]
fn a_replaced_file_comes_back_and_what_it_replaces_is_kept() {
    let world = World::new();
    world.write("f", "before");
    let manifest = world.kept(vec![world.loss("f", How::Overwrite)]);
    world.write("f", "after");
    let report = world.restore(&manifest);
    assert_eq!(fs::read_to_string(world.path("f")).unwrap(), "before");
    // Undoes the undo.
    let replaced = world.manifest(&report.replaced);
    world.restore(&replaced);
    assert_eq!(fs::read_to_string(world.path("f")).unwrap(), "after");
}

#[test]
fn what_changed_since_is_kept_unless_it_is_forced() {
    let world = World::new();
    world.write("gone", "old");
    world.write("f", "old");
    let manifest = world.kept(vec![world.loss("gone", How::Delete), world.loss("f", How::Overwrite)]);
    world.write("gone", "new");
    world.write("f", "new");
    let changed_again = ["gone", "f"].map(|name| (world.path(name).display().to_string(), 0)).into();
    let options = Options { changed_again, ..Options::default() };
    let report = world.restore_with(&manifest, &options);
    assert_eq!(report.restored, [""; 0]);
    assert_eq!(fs::read_to_string(world.path("f")).unwrap(), "new");
    let report = world.restore_with(&manifest, &Options { is_forced: true, ..options });
    assert_eq!(report.restored.len(), 2);
    assert_eq!(fs::read_to_string(world.path("gone")).unwrap(), "old");
    assert_eq!(world.manifest(&report.replaced).entries.len(), 2);
}

#[test]
fn a_path_that_cannot_be_kept_does_not_stop_the_others() {
    let world = World::new();
    for name in ["a", "set", "was-file"] {
        world.write(name, "old");
    }
    let losses = ["a", "set", "was-file"].map(|name| world.loss(name, How::Overwrite));
    let manifest = world.kept(losses.into());
    for name in ["a", "set"] {
        world.write(name, "new");
    }
    fs::set_permissions(world.path("set"), fs::Permissions::from_mode(0o4755)).unwrap();
    fs::remove_file(world.path("was-file")).unwrap();
    symlink("/etc/hostname", world.path("was-file")).unwrap();
    let content = |name: &str| fs::read_to_string(world.path(name)).unwrap();
    let report = world.restore_with(&manifest, &Options::default());
    assert_eq!(report.problems.len(), 1, "{report:?}");
    assert_eq!(["a", "set", "was-file"].map(content), ["old", "new", "old"]);
    let report = world.restore_with(&manifest, &Options { is_forced: true, ..Options::default() });
    assert_eq!((content("set"), report.problems.len()), ("old".to_owned(), 0));
}

#[test]
fn an_edit_after_the_end_of_the_call_is_kept() {
    let world = World::new();
    world.write("f", "old");
    let manifest = world.kept(vec![world.loss("f", How::Overwrite)]);
    world.write("f", "by the call");
    let path = world.path("f").display().to_string();
    let ended = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    let options = Options { changed_again: [(path, i64::try_from(ended).unwrap())].into(), ..Options::default() };
    std::thread::sleep(Duration::from_millis(30));
    world.write("f", "later");
    assert_eq!(world.restore_with(&manifest, &options).restored, [""; 0]);
    assert_eq!(fs::read_to_string(world.path("f")).unwrap(), "later");
}

#[test]
fn only_some_paths_and_another_folder() {
    let world = World::new();
    world.write("d/a", "a");
    world.write("d/b", "b");
    let manifest = world.kept(vec![world.loss("d", How::Delete)]);
    fs::remove_dir_all(world.path("d")).unwrap();
    world.restore_with(&manifest, &Options { paths: vec![world.path("d/b")], ..Options::default() });
    assert_eq!((world.path("d/a").exists(), world.path("d/b").exists()), (false, true));
    let to = world.root.join("elsewhere");
    world.restore_with(&manifest, &Options { to: Some(to.clone()), ..Options::default() });
    assert_eq!(fs::read_to_string(to.join("d/a")).unwrap(), "a");
    assert!(!world.path("d/a").exists());
}

#[test]
fn patterns_and_names_find_what_they_stand_for() {
    let world = World::new();
    for name in ["a.log", "b.log", "c.txt", "in/d.log"] {
        world.write(name, name);
    }
    let names = |manifest: &Manifest| -> Vec<String> {
        let below =
            |entry: &guard_undo::Entry| entry.path.strip_prefix(world.root.to_str().unwrap()).unwrap().to_owned();
        manifest.entries.iter().map(below).collect()
    };
    assert_eq!(names(&world.kept(vec![world.loss("*.log", How::Delete)])), ["/a.log", "/b.log"]);
    let Loss::Path(mut loss) = world.loss(".", How::Delete) else { panic!() };
    loss.path = world.root.display().to_string();
    loss.name = "*.log".to_owned();
    assert_eq!(names(&world.kept(vec![Loss::Path(loss)])), ["/a.log", "/b.log", "/in/d.log"]);
}

#[test]
fn folders_of_a_name_are_kept_with_everything_in_them() {
    let world = World::new();
    for name in ["a/cache/x.txt", "a/cache/in/y.txt", "a/other/z.txt", "cache", "b/cache.txt"] {
        world.write(name, name);
    }
    fs::create_dir_all(world.path("b/cache")).unwrap();
    let Loss::Path(mut loss) = world.loss(".", How::Delete) else { panic!() };
    (loss.path, loss.name) = (world.root.display().to_string(), "cache".to_owned());
    let before = world.tree();
    let manifest = world.kept(vec![Loss::Path(loss)]);
    for name in ["a/cache", "b/cache"] {
        fs::remove_dir_all(world.path(name)).unwrap();
    }
    fs::remove_file(world.path("cache")).unwrap();
    world.restore(&manifest);
    assert_eq!(world.tree(), before);
    assert_eq!(manifest.entries.len(), 6, "{manifest:?}");
}

#[test]
fn names_with_blanks_are_not_all_that_a_program_loses_that_gets_words() {
    let world = World::new();
    let kept = |how: How| {
        let path = world.root.display().to_string();
        let loss = PathLoss { path, how, is_pattern: false, name: "*.txt".to_owned() };
        world.keep(vec![Loss::Path(loss)]).kept
    };
    world.write("d/a.txt", "a");
    world.write("d/e f.log", "another name");
    assert_eq!((kept(How::DeleteWords), kept(How::Delete)), (BackupCoverage::Whole, BackupCoverage::Whole));
    world.write("d e/b.txt", "b");
    assert_eq!((kept(How::DeleteWords), kept(How::Delete)), (BackupCoverage::Partly, BackupCoverage::Whole));
}

#[test]
fn no_link_is_followed_and_no_device_is_opened() {
    let world = World::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("theirs"), "theirs").unwrap();
    fs::create_dir(world.path("d")).unwrap();
    symlink(outside.path(), world.path("d/out")).unwrap();
    symlink(outside.path().join("theirs"), world.path("leads-out")).unwrap();
    let made = Command::new("mkfifo").arg(world.path("d/pipe")).status().unwrap();
    assert!(made.success());
    let answer = world.keep(vec![world.loss("d", How::Delete), world.loss("leads-out", How::Overwrite)]);
    let manifest = world.manifest(&answer.id);
    assert_eq!((answer.kept, manifest.left_out.len(), manifest.bytes), (BackupCoverage::Partly, 2, 0), "{manifest:?}");
    // A folder that was replaced by a link isn't written through.
    world.write("e/f", "x");
    let manifest = world.kept(vec![world.loss("e/f", How::Delete)]);
    fs::remove_dir_all(world.path("e")).unwrap();
    symlink(outside.path(), world.path("e")).unwrap();
    let store = world.store();
    let restorer = Restorer { store: &store, state: &world.state, env: &world.env };
    let items = restorer.plan(&manifest, &Options::default());
    assert!(restorer.apply(&manifest, &items, &Options::default()).is_err());
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn beyond_a_budget_nothing_is_kept_and_the_list_says_why() {
    let world = World::new();
    world.write("big", &"x".repeat(100_000));
    let task = |left_ms, max_bytes| Task { left_ms, max_bytes, ..world.task(vec![world.loss("big", How::Delete)]) };
    for (task, why) in [(task(20_000, 50_000), "larger than"), (task(0, 1 << 30), "too long")] {
        let answer = make(&task, Instant::now(), &world.env);
        assert!(answer.kept == BackupCoverage::Nothing && answer.why.contains(why), "{answer:?}");
        let manifest = world.manifest(&answer.id);
        assert_eq!((manifest.entries.len(), manifest.bytes), (0, 0));
        let names: Vec<_> = fs::read_dir(world.store().folder().join(format!("{}.0", answer.id))).unwrap().collect();
        assert_eq!(names.len(), 2, "the manifest and the lock");
    }
}

#[test]
fn excluded_files_are_not_copied() {
    let world = World::new();
    world.write("d/.env", "KEY=1");
    world.write("d/a", "a");
    let task = Task { exclude: vec![".env".to_owned()], ..world.task(vec![world.loss("d", How::Delete)]) };
    let answer = make(&task, Instant::now(), &world.env);
    assert_eq!(answer.kept, BackupCoverage::Partly);
    assert_eq!(world.manifest(&answer.id).entries.len(), 2);
}

#[test]
fn large_ignored_folders_are_left_out_and_small_ones_are_kept() {
    let world = World::repository();
    world.write(".gitignore", "node_modules/\n.env\n");
    world.write("app/node_modules/x", &"x".repeat(2 << 20));
    world.write("app/.env", "KEY=1");
    world.write("app/main", "m");
    let answer = world.keep(vec![world.loss("app", How::Delete)]);
    assert_eq!(answer.kept, BackupCoverage::Partly);
    let names: Vec<String> = world.manifest(&answer.id).entries.into_iter().map(|entry| entry.path).collect();
    assert!(names.iter().any(|name| name.ends_with("app/.env")) && names.len() == 3, "{names:?}");
}

#[test]
fn two_hundred_at_once_are_all_in_the_list() {
    let world = World::new();
    world.write("f", "f");
    std::thread::scope(|scope| {
        for _ in 0..200 {
            scope.spawn(|| world.kept(vec![world.loss("f", How::Delete)]));
        }
    });
    assert_eq!(world.store().list().unwrap().len(), 200);
    let unfinished = fs::read_dir(world.store().folder()).unwrap().flatten();
    assert_eq!(unfinished.filter(|entry| entry.file_name().to_string_lossy().starts_with(".making")).count(), 0);
}

#[test]
fn a_damaged_manifest_is_not_believed() {
    let world = World::new();
    world.write("f", "f");
    let manifest = world.kept(vec![world.loss("f", How::Delete)]);
    let file = world.store().folder().join(format!("{}.{}", manifest.id, manifest.bytes)).join("manifest");
    let text = fs::read_to_string(&file).unwrap().replace("project/f", "project/g");
    fs::write(&file, text).unwrap();
    assert_eq!(world.store().list().unwrap(), []);
}

#[test]
fn a_state_folder_that_refuses_keeps_nothing() {
    let world = World::new();
    world.write("f", "f");
    fs::write(&world.state, "a file").unwrap();
    let answer = world.keep(vec![world.loss("f", How::Delete)]);
    assert!(answer.kept == BackupCoverage::Nothing && answer.id.is_empty() && !answer.why.is_empty(), "{answer:?}");
}
