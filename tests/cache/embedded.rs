//! The program's embedded components in the cache folder: the bundle and the script analyzer.

use std::fs::{self, FileTimes};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use super::{NOBODY, change_mode, files, flip, is_sound};
use crate::serve::client::Server;
use crate::support::world::World;

const REMOVAL: &str = r#"python3 -c 'import shutil; shutil.rmtree("/")'"#;

/// The extensions of their files.
const KINDS: [&str; 2] = ["bundle", "scripts"];

fn file(world: &World, kind: &str) -> PathBuf {
    let is_this = |path: &PathBuf| path.extension().is_some_and(|extension| extension == kind);
    let found: Vec<PathBuf> = files(world, "artifacts").into_iter().filter(is_this).collect();
    let [file] = found.as_slice() else { panic!("{found:?}") };
    file.clone()
}

#[test]
fn they_are_unpacked_once_and_mapped_by_who_comes_later() {
    let world = World::new();
    assert_eq!(world.bash(REMOVAL).decision(), "deny");
    let made = |kind| fs::metadata(file(&world, kind)).unwrap().modified().unwrap();
    let before = KINDS.map(made);
    let server = Server::start(&world, &[]);
    assert_eq!(server.bash(&world, REMOVAL).decision(), "deny");
    assert_eq!(KINDS.map(made), before, "they are written once");
    if cfg!(target_os = "linux") {
        let mapped = fs::read_to_string(format!("/proc/{}/maps", server.child.id())).unwrap();
        for kind in KINDS {
            assert!(mapped.contains(file(&world, kind).to_str().unwrap()), "{mapped}");
        }
    }
}

#[test]
fn commands_unpack_them_and_verify_them() {
    KINDS.into_iter().for_each(verified);
}

fn verified(kind: &str) {
    let world = World::new();
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    let path = file(&world, kind);
    assert_eq!((world.run(&["cache", "verify"], "").exit, is_sound(&world, &path)), (0, Some(true)));
    flip(&path);
    assert_eq!((world.run(&["cache", "verify"], "").exit, is_sound(&world, &path)), (69, Some(false)));
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    assert_eq!(world.run(&["cache", "verify"], "").exit, 0);
    let listed = world.run(&["cache", "list"], "");
    let line = listed.stdout.lines().find(|line| line.contains(&format!(".{kind}"))).unwrap_or_default();
    assert!(line.contains("artifact"), "{listed:?}");
}

/// Asserts that the changes that `spoil` makes to the file or its record are noticed. wasmtime would accept each of
/// these files. The next call rebuilds the file and its record.
fn check(what: &str, spoil: impl Fn(&Path, &Path)) {
    for kind in KINDS {
        check_kind(&format!("{kind} {what}"), kind, &spoil);
    }
}

fn check_kind(what: &str, kind: &str, spoil: impl Fn(&Path, &Path)) {
    let world = World::new();
    assert_eq!(world.bash(REMOVAL).decision(), "deny");
    let (path, record) = (file(&world, kind), file(&world, kind).with_extension("json"));
    let whole = fs::read(&path).unwrap();
    spoil(&path, &record);
    for _ in 0..2 {
        assert_eq!(world.bash(REMOVAL).decision(), "deny", "{what}");
    }
    assert!(fs::read(&path).unwrap() == whole, "{what}: it is made again");
    let data = fs::symlink_metadata(&path).unwrap();
    assert!(data.is_file(), "{what}");
    let owner = rustix::process::geteuid().as_raw();
    assert_eq!((data.uid(), data.permissions().mode() & 0o777), (owner, 0o600), "{what}");
    assert!(
        fs::read_to_string(&record).unwrap().contains(&format!("\"ino\":{}", data.ino())),
        "{what}: its record, too"
    );
}

#[test]
fn one_that_is_not_the_one_that_was_checked_is_never_run() {
    check("written over", |path, _| flip(path));
    check("written over, with its old times", |path, _| {
        let before = fs::metadata(path).unwrap();
        flip(path);
        let times = FileTimes::new().set_modified(before.modified().unwrap()).set_accessed(before.accessed().unwrap());
        fs::File::options().write(true).open(path).unwrap().set_times(times).unwrap();
    });
    check("replaced", |path, _| {
        let other = path.with_extension("other");
        fs::copy(path, &other).unwrap();
        flip(&other);
        fs::rename(&other, path).unwrap();
    });
    check("a link", |path, _| {
        let other = path.with_extension("other");
        fs::rename(path, &other).unwrap();
        symlink(&other, path).unwrap();
    });
    check("open to others", |path, _| change_mode(path, 0o622));
    check("without its record", |_, record| fs::remove_file(record).unwrap());
    check("with a record that the key does not vouch for", |path, record| {
        let sealed = fs::read_to_string(record).unwrap();
        let (seal, stamp) = sealed.split_once('\n').unwrap();
        let old = fs::metadata(path).unwrap();
        flip(path);
        let now = fs::metadata(path).unwrap();
        let times = |data: &fs::Metadata| {
            let (modified, changed) = ((data.mtime(), data.mtime_nsec()), (data.ctime(), data.ctime_nsec()));
            format!("\"mtime\":[{},{}],\"ctime\":[{},{}]", modified.0, modified.1, changed.0, changed.1)
        };
        assert!(stamp.contains(&times(&old)), "{stamp}");
        fs::write(record, format!("{seal}\n{}", stamp.replace(&times(&old), &times(&now)))).unwrap();
    });
}

#[test]
#[ignore = "needs root"]
fn one_of_another_user_is_never_run() {
    check("of another user", |path, _| chown(path, Some(NOBODY), None).unwrap());
}
