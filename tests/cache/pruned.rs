//! Preparing a chain removes only the files that are no longer needed.

use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{answers, cached, files, prepared};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn write_aged(path: &Path, days: u32) {
    fs::write(path, "x").unwrap();
    age(path, days);
}

fn age(path: &Path, days: u32) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_times(FileTimes::new().set_modified(SystemTime::now() - DAY * days)).unwrap();
}

#[test]
fn old_chains_unnamed_artifacts_and_leftovers_are_removed() {
    let world = prepared();
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    let chains = world.path(".cache/guard-host/chains");
    let artifacts = world.path(".cache/guard-host/artifacts");
    let gone = [
        (chains.join("old.chain"), 31),
        (chains.join(".x.chain.0123"), 2),
        (artifacts.join("old.cwasm"), 31),
        (artifacts.join("old.chain"), 31),
        (artifacts.join("old.lock"), 31),
        (artifacts.join(".x.cwasm.0123"), 2),
    ];
    let kept =
        [(chains.join("young.chain"), 29), (artifacts.join("young.cwasm"), 29), (artifacts.join(".y.cwasm.0123"), 0)];
    for (path, days) in gone.iter().chain(&kept) {
        write_aged(path, *days);
    }
    // Artifacts in use are kept regardless of their age, and so is the script analyzer.
    let is_reader = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "scripts");
    let reader = files(&world, "artifacts").into_iter().find(is_reader).unwrap();
    let used = [cached(&world, "shell", "cwasm"), reader.with_extension("json"), reader];
    for used in &used {
        age(used, 400);
    }
    answers(&world);
    for used in &used {
        assert!(used.exists(), "{}", used.display());
    }
    for (path, days) in &gone {
        assert!(!path.exists(), "{} is {days} days old", path.display());
    }
    for (path, days) in &kept {
        assert!(path.exists(), "{} is {days} days old", path.display());
    }
}
