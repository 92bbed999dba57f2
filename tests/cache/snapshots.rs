//! Snapshots: taken if `configure` is slow, used in its place, and always optional.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::Value;

use super::is_sound;
use crate::support::guests::{self, chain, configure};
use crate::support::world::{ProcessOutput, World};

/// Creates a warm world whose chain is only this guest.
fn warm(guest: &str, keys: &str) -> World {
    let world = World::new();
    chain(&world, &[guest], keys);
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    world
}

/// Returns the files of snapshots with this extension.
fn files(world: &World, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(world.path(".cache/guard-host/artifacts")).unwrap();
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.rsplit_once("-s").is_some_and(|(_, key)| key.len() > 32 && name.ends_with(extension))
    };
    entries.map(|entry| entry.unwrap().path()).filter(is_one).collect()
}

fn is_answer(ended: &ProcessOutput) {
    assert_eq!(ended.decision(), "ask", "{ended:?}");
    assert!(ended.reason().contains("[slow-settings: known]"), "{ended:?}");
}

/// Returns whether `configure` runs for a call, which the guest logs.
fn counts(world: &World) -> bool {
    let explained = world.run(&["explain", "ls -la"], "");
    assert!(explained.stdout.contains(": known]"), "{explained:?}");
    explained.stdout.contains("counting")
}

#[test]
fn a_snapshot_is_asked_without_its_settings_and_answers_the_same() {
    let world = warm("slow-settings", "settings = { secret = \"not for others\" }");
    let snapshots = files(&world, ".cwasm");
    assert_eq!(snapshots.len(), 1, "{snapshots:?}");
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(snapshots[0].clone()), mode(world.path(".cache/guard-host/artifacts"))), (0o600, 0o700));
    is_answer(&world.bash("ls -la"));
    assert!(!counts(&world));

    let listed = world.run(&["cache", "list", "--format", "json"], "").stdout;
    let rows: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let rows: Vec<&Value> = rows.iter().filter(|row| row["kind"] == "snapshot").collect();
    assert!(rows.len() == 1 && rows[0]["name"] == "test-guest", "{listed}");
    assert_eq!(is_sound(&world, &snapshots[0]), Some(true));

    assert_eq!(world.run(&["cache", "clear"], "").exit, 0);
    assert!(files(&world, ".cwasm").is_empty() && files(&world, ".json").is_empty());
}

#[test]
fn without_its_snapshot_a_policy_answers_the_same() {
    let world = warm("slow-settings", "");
    for file in files(&world, "") {
        fs::remove_file(file).unwrap();
    }
    is_answer(&world.bash("ls -la"));
    assert!(counts(&world));
    // Only commands take snapshots, not the hook.
    assert!(files(&world, ".cwasm").is_empty());
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    assert_eq!(files(&world, ".cwasm").len(), 1);
    assert!(!counts(&world));
}

#[test]
fn other_settings_never_meet_a_snapshot_of_the_old_ones() {
    let world = warm("slow-settings", "settings = { n = 1 }");
    configure(&world, &["slow-settings"], "settings = { n = 2 }");
    is_answer(&world.bash("ls -la"));
    assert!(counts(&world));
    configure(&world, &["slow-settings"], "settings = { n = 1 }");
    is_answer(&world.bash("ls -la"));
    assert!(!counts(&world), "the old one is still there");
}

/// Returns the files below the cache that contain a word.
fn holding(world: &World, word: &str) -> Vec<PathBuf> {
    let folders = ["artifacts", "chains"].map(|folder| world.path(".cache/guard-host").join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let holds = |path: &PathBuf| fs::read(path).unwrap().windows(word.len()).any(|part| part == word.as_bytes());
    files.filter(holds).collect()
}

#[test]
fn settings_that_no_entry_has_any_more_are_in_no_file_of_the_cache() {
    let world = World::new();
    world.configure("preset = \"none\"\n");
    let source = guests::place(&world, "slow-settings");
    let policy = |arguments: &[&str]| {
        let ended = world.run(&[&["policy"], arguments].concat(), "");
        assert_eq!(ended.exit, 0, "{ended:?}");
    };
    let add = |name: &str, word: &str, more: &[&str]| {
        let settings = format!("{{\"secret\": \"{word}\"}}");
        let add = ["add", source.to_str().unwrap(), "--name", name, "--settings", &settings];
        policy(&[&add, more].concat());
    };
    add("first", "for nobody", &[]);
    add("second", "for another", &[]);
    // A project's chain also contains the user's entries.
    world.write("repo/.guard/guard.toml", "");
    assert_eq!(world.bash("ls -la").decision(), "ask");
    world.write("repo/.guard/guard.toml", "# another\n");
    assert_eq!((files(&world, ".cwasm").len(), holding(&world, "for nobody").len() > 1), (2, true));

    add("first", "for somebody", &["--replace"]);
    assert_eq!((files(&world, ".cwasm").len(), holding(&world, "for nobody")), (2, Vec::new()));
    assert!(!holding(&world, "for somebody").is_empty());

    policy(&["remove", "first"]);
    assert_eq!((files(&world, ".cwasm").len(), holding(&world, "for somebody")), (1, Vec::new()));
    assert!(!holding(&world, "for another").is_empty() && !counts(&world), "the other policy keeps its own");
}

#[test]
fn a_damaged_snapshot_is_never_used() {
    let world = warm("slow-settings", "");
    let snapshot = files(&world, ".cwasm").remove(0);
    let mut bytes = fs::read(&snapshot).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&snapshot, bytes).unwrap();
    assert_eq!(is_sound(&world, &snapshot), Some(false));
    is_answer(&world.bash("ls -la"));
    assert!(counts(&world));
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    assert!(!counts(&world), "it is taken anew");
    // A file that others can write to isn't used either.
    fs::set_permissions(&snapshot, fs::Permissions::from_mode(0o666)).unwrap();
    is_answer(&world.bash("ls -la"));
    assert!(counts(&world));
}

#[test]
fn what_is_not_worth_it_or_cannot_be_taken_is_recorded_and_not_tried_again() {
    for guest in ["shell", "configure-refuses", "configure-loops"] {
        let world = warm(guest, "");
        assert!(files(&world, ".cwasm").is_empty(), "{guest}");
        let records = files(&world, ".json");
        assert_eq!(records.len(), 1, "{guest}: {records:?}");
        let made = || fs::metadata(&records[0]).unwrap().modified().unwrap();
        let before = made();
        assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
        assert_eq!(made(), before, "{guest}");
    }
}
