//! Tests the functions for the system that runs the tests.

use std::fs::{self, File, OpenOptions};
use std::path::Path;
use std::time::Duration;

use guard_platform::access::{self, Access};
use guard_platform::fs::{MetadataExt, identity, open_at_once, open_unlinked, read_exact_at, set_times, write_all_at};
use guard_platform::{Identity, account, paths, process};

fn of(path: &Path) -> Option<Identity> {
    identity(path, &fs::metadata(path).ok()?).ok()
}

#[test]
fn a_file_is_told_from_others_and_its_changes_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a"), "1").unwrap();
    fs::write(at("b"), "1").unwrap();
    fs::hard_link(at("a"), at("c")).unwrap();
    let (a, b, c) = (of(&at("a")).unwrap(), of(&at("b")).unwrap(), of(&at("c")).unwrap());
    assert_eq!(a, c);
    assert_eq!((a.dev, a.names, b.names), (b.dev, 2, 1));
    assert_ne!(a.ino, b.ino);
    assert_eq!(of(folder.path()).unwrap().dev, a.dev);
    std::thread::sleep(Duration::from_millis(30));
    fs::write(at("b"), "2").unwrap();
    assert_ne!(of(&at("b")).unwrap().changed, b.changed);
}

#[test]
fn a_time_that_is_set_back_is_seen_by_the_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "1").unwrap();
    let before = of(&path).unwrap();
    std::thread::sleep(Duration::from_millis(30));
    set_times(&path, (1_000_000_000, 5000)).unwrap();
    let data = fs::metadata(&path).unwrap();
    assert_eq!((data.mtime(), data.mtime_nsec()), (1_000_000_000, 5000));
    assert_ne!(of(&path).unwrap().changed, before.changed);
}

#[test]
fn a_place_in_a_file_is_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "abcdef").unwrap();
    let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    write_all_at(&file, b"XY", 2).unwrap();
    let mut bytes = [0; 4];
    read_exact_at(&file, &mut bytes, 1).unwrap();
    assert_eq!(&bytes, b"bXYe");
    assert!(read_exact_at(&file, &mut bytes, 4).is_err());
    assert!(open_at_once(OpenOptions::new().read(true), &path).is_ok());
    assert!(open_unlinked(OpenOptions::new().read(true), &path).is_ok());
    assert!(open_at_once(OpenOptions::new().read(true), &folder.path().join("none")).is_err());
}

#[test]
fn a_folder_of_this_user_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let data = fs::metadata(folder.path()).unwrap();
    assert_eq!(access::of_folder(folder.path(), &data).unwrap(), Access::Private);
    let file = folder.path().join("a");
    File::create(&file).unwrap();
    assert!(access::is_own(&fs::metadata(&file).unwrap()));
}

#[test]
fn work_takes_processor_time_and_sleep_takes_none() {
    let before = process::thread_time();
    std::thread::sleep(Duration::from_millis(60));
    let slept = process::thread_time() - before;
    assert!(slept < Duration::from_millis(40), "{slept:?}");
    let before = process::thread_time();
    while process::thread_time() - before < Duration::from_millis(50) {}
}

#[test]
fn a_path_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let judged = paths::judged(folder.path().to_path_buf()).unwrap();
    assert!(judged.starts_with('/') && !judged.contains('\\'), "{judged}");
    assert!(paths::native(&judged).is_dir(), "{judged}");
    assert!(account::home().is_some_and(|home| home.starts_with('/')));
    assert!(account::settings_of_machine().is_absolute());
    assert_eq!(&*paths::slashed(&Path::new("a").join("b")), b"a/b");
    assert_eq!(paths::from_git(b"a/b"), Some(Path::new("a/b")));
}
