//! The reader of scripts in the cache folder.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::serve::client::Server;
use crate::support::world::World;

const REMOVAL: &str = r#"python3 -c 'import shutil; shutil.rmtree("/")'"#;

/// The files of the cache folder with this extension.
fn files(world: &World, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(world.path(".cache/guard-host/artifacts")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

fn file(world: &World) -> PathBuf {
    let mut found = files(world, "scripts");
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn it_is_unpacked_once_and_mapped_by_who_comes_later() {
    let world = World::new();
    assert_eq!(world.bash(REMOVAL).decision(), "deny");
    let (path, made) = (file(&world), fs::metadata(file(&world)).unwrap().modified().unwrap());
    let server = Server::start(&world, &[]);
    assert_eq!(server.bash(&world, REMOVAL).decision(), "deny");
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), made, "nobody has written it again");
    if cfg!(target_os = "linux") {
        let mapped = fs::read_to_string(format!("/proc/{}/maps", server.child.id())).unwrap();
        assert!(mapped.contains(path.to_str().unwrap()), "{mapped}");
    }
}

#[test]
fn one_that_is_not_the_one_that_was_checked_is_never_run() {
    let world = World::new();
    assert_eq!(world.bash(REMOVAL).decision(), "deny");
    let (path, record) = (file(&world), file(&world).with_extension("json"));
    let whole = fs::read(&path).unwrap();
    let garbage = vec![0xcc; whole.len()];
    let other = path.with_extension("other");
    let spoil: [(&str, &dyn Fn()); 6] = [
        ("written over", &|| fs::write(&path, &garbage).unwrap()),
        ("replaced", &|| {
            fs::write(&other, &garbage).unwrap();
            fs::rename(&other, &path).unwrap();
        }),
        ("cut", &|| fs::write(&path, &whole[..whole.len() / 2]).unwrap()),
        ("open to others", &|| fs::set_permissions(&path, fs::Permissions::from_mode(0o622)).unwrap()),
        ("without its record", &|| fs::remove_file(&record).unwrap()),
        ("with a foreign record", &|| fs::write(&record, format!("{}\n{{}}", "0".repeat(64))).unwrap()),
    ];
    for (what, spoil) in spoil {
        spoil();
        for _ in 0..2 {
            assert_eq!(world.bash(REMOVAL).decision(), "deny", "{what}");
        }
        assert!(fs::read(&path).unwrap() == whole, "{what}: it is made again");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{what}");
        assert!(fs::read_to_string(&record).unwrap().contains("\"ino\""), "{what}: the record is sealed again");
    }
}
