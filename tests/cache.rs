//! Artifacts and prepared chains that are damaged, swapped or left over are never used, and always replaced.
//!
//! Every test runs the hook, and then examines the cache.

mod embedded;
mod changes;
mod folders;
#[cfg(target_os = "linux")]
mod many;
mod pruned;
mod snapshots;
mod unusable;

use crate::support::guests;
use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use guard_contract::Outcome;
use guard_hook::cache::Prepared;
use guard_state::hex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::guests::chain;
use crate::support::world::{ProcessOutput, World};

/// An unprivileged user without files.
const NOBODY: u32 = 65534;

/// Creates a world whose chain, the guest `shell`, has answered once.
fn prepared() -> World {
    let world = World::new();
    chain(&world, &["shell"], "");
    answers(&world);
    world
}

/// Asserts that the guest `shell` answers a harmless call.
fn answers(world: &World) {
    is_answer(&world.bash("ls -la"));
}

fn is_answer(ended: &ProcessOutput) {
    assert_eq!(ended.decision(), "ask", "{ended:?}");
    assert!(
        ended.reason().starts_with(
            // Without an analysis, no allow covers the call, so none is offered.
            "the guest was asked. [shell: known]\n\nOnly the policy itself can stop this prompt: "
        ),
        "{ended:?}"
    );
}

/// Returns the guest's cached file with this extension.
fn cached(world: &World, guest: &str, extension: &str) -> PathBuf {
    let digest = hex(&Sha256::digest(guests::bytes(guest)));
    let wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(&digest) && name.ends_with(&format!(".{extension}"))
    };
    let found = files(world, "artifacts").into_iter().find(wanted);
    found.unwrap_or_else(|| panic!("nothing of `{guest}` ends with .{extension}"))
}

/// Returns the files of a folder in the cache.
fn files(world: &World, folder: &str) -> Vec<PathBuf> {
    let folder = world.path(".cache/guard-host").join(folder);
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn inode(path: &Path) -> u64 {
    fs::metadata(path).unwrap().ino()
}

fn change_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Changes a byte in the middle of the file, in place.
fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x20;
    fs::write(path, bytes).unwrap();
}

/// Returns the verdict of `cache verify` about a listed file.
fn is_sound(world: &World, path: &Path) -> Option<bool> {
    let files: Value = serde_json::from_str(&world.run(&["cache", "verify", "--format", "json"], "").stdout).unwrap();
    let found = files.as_array().unwrap().iter().find(|file| file["path"] == json!(path));
    found.and_then(|file| file["sound"].as_bool())
}

/// Asserts that `damage` to the artifact of the answering chain changes no answer, and that the artifact is rebuilt.
fn check_damage(damage: impl FnOnce(&Path)) {
    let world = prepared();
    let artifact = cached(&world, "shell", "cwasm");
    let old = inode(&artifact);
    damage(&artifact);
    answers(&world);
    // The new artifact is renamed over the existing old one, so the inode numbers differ.
    assert_ne!(inode(&artifact), old, "the artifact is still the damaged file");
    let data = fs::symlink_metadata(&artifact).unwrap();
    assert!(data.is_file());
    assert_eq!((data.uid(), data.mode() & 0o777), (rustix::process::geteuid().as_raw(), 0o600));
    // The digest is the sealed one.
    assert_eq!(is_sound(&world, &artifact), Some(true));
}

#[test]
fn an_artifact_with_a_flipped_byte_is_made_anew() {
    check_damage(flip);
}

#[test]
fn an_artifact_with_a_flipped_byte_and_its_old_times_is_made_anew() {
    // Only the change time, from `cache/stamp.rs`, reveals it.
    check_damage(|artifact| {
        let before = fs::metadata(artifact).unwrap();
        flip(artifact);
        let times = FileTimes::new().set_modified(before.modified().unwrap()).set_accessed(before.accessed().unwrap());
        File::options().write(true).open(artifact).unwrap().set_times(times).unwrap();
        let after = fs::metadata(artifact).unwrap();
        assert_eq!((after.mtime(), after.mtime_nsec()), (before.mtime(), before.mtime_nsec()));
        assert_eq!((after.ino(), after.len()), (before.ino(), before.len()));
    });
}

#[test]
fn a_truncated_artifact_is_made_anew() {
    check_damage(|artifact| {
        let length = fs::metadata(artifact).unwrap().len();
        File::options().write(true).open(artifact).unwrap().set_len(length / 2).unwrap();
    });
}

#[test]
fn an_empty_artifact_is_made_anew() {
    check_damage(|artifact| File::options().write(true).open(artifact).unwrap().set_len(0).unwrap());
}

#[test]
fn an_artifact_that_others_can_write_to_is_made_anew() {
    check_damage(|artifact| change_mode(artifact, 0o620));
}

#[test]
#[ignore = "needs root"]
fn an_artifact_of_another_user_is_made_anew() {
    check_damage(|artifact| std::os::unix::fs::chown(artifact, Some(NOBODY), None).unwrap());
}

#[test]
fn an_artifact_behind_a_link_is_made_anew() {
    check_damage(|artifact| {
        let beside = artifact.with_extension("moved");
        fs::rename(artifact, &beside).unwrap();
        std::os::unix::fs::symlink(&beside, artifact).unwrap();
    });
}

#[test]
fn a_removed_artifact_is_made_anew() {
    let world = prepared();
    let artifact = cached(&world, "shell", "cwasm");
    fs::remove_file(&artifact).unwrap();
    answers(&world);
    assert!(artifact.exists());
}

#[test]
fn verify_finds_a_damaged_artifact_and_warm_makes_it_anew() {
    let world = prepared();
    let artifact = cached(&world, "shell", "cwasm");
    let old = inode(&artifact);
    flip(&artifact);
    let line = |state: &str| format!("{}: {state}", artifact.display());
    let verified = world.run(&["cache", "verify"], "");
    assert_eq!(verified.exit, 69, "{verified:?}");
    assert!(verified.stdout.contains(&line("stale or damaged")), "{verified:?}");
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    assert_ne!(inode(&artifact), old);
    assert!(world.run(&["cache", "verify"], "").stdout.contains(&line("ok")));
    answers(&world);
}

/// Replaces the artifact of `shell` with that of `denies`.
fn swap(world: &World) -> PathBuf {
    let artifact = cached(world, "shell", "cwasm");
    let other = fs::read(cached(world, "denies", "cwasm")).unwrap();
    fs::remove_file(&artifact).unwrap();
    fs::write(&artifact, other).unwrap();
    change_mode(&artifact, 0o600);
    artifact
}

/// Creates a world with artifacts of `shell` and `denies`, whose chain is only `shell`.
fn with_two_artifacts() -> World {
    let world = World::new();
    chain(&world, &["shell", "denies"], "");
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    chain(&world, &["shell"], "");
    answers(&world);
    world
}

#[test]
fn a_foreign_artifact_without_a_record_is_not_mapped() {
    let world = with_two_artifacts();
    swap(&world);
    fs::remove_file(cached(&world, "shell", "json")).unwrap();
    assert_eq!(world.run(&["cache", "verify"], "").exit, 69);
    answers(&world);
}

#[test]
fn a_foreign_artifact_with_a_sealed_record_of_another_component_is_not_mapped() {
    // `Artifacts::find` compares the component in the record, because the seal doesn't include the name.
    let world = with_two_artifacts();
    swap(&world);
    fs::copy(cached(&world, "denies", "json"), cached(&world, "shell", "json")).unwrap();
    assert_eq!(world.run(&["cache", "verify"], "").exit, 69);
    answers(&world);
}

#[test]
fn artifacts_of_another_key_are_made_anew() {
    let world = prepared();
    let artifacts = [cached(&world, "shell", "cwasm")];
    let old = artifacts.each_ref().map(|path| inode(path));
    fs::write(world.path(".local/state/guard-host/mac.key"), [7; 64]).unwrap();
    assert!(artifacts.iter().all(|path| is_sound(&world, path) != Some(true)));
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    for (path, old) in artifacts.iter().zip(old) {
        assert_ne!(inode(path), old, "{} was kept", path.display());
        assert_eq!(is_sound(&world, path), Some(true), "{}", path.display());
    }
    answers(&world);
}

#[test]
fn a_key_that_others_can_write_to_is_replaced() {
    let world = prepared();
    let key = world.path(".local/state/guard-host/mac.key");
    let old = fs::read(&key).unwrap();
    change_mode(&key, 0o660);
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    assert_ne!(fs::read(&key).unwrap(), old);
    assert_eq!(fs::metadata(&key).unwrap().mode() & 0o777, 0o600);
    answers(&world);
}

/// The length of the seal at the start of a sealed file: 64 digits and a newline.
const SEAL_BYTES: usize = 65;

/// Returns the only prepared chain.
fn chain_file(world: &World) -> PathBuf {
    let files = files(world, "chains");
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

#[test]
fn a_damaged_chain_is_prepared_anew() {
    let world = prepared();
    let file = chain_file(&world);
    let text = fs::read(&file).unwrap();
    flip(&file);
    answers(&world);
    // No dependency has changed, so the new one is equal.
    assert!(fs::read(&file).unwrap() == text, "the chain is not the one that was prepared first");
    File::options().write(true).open(&file).unwrap().set_len(10).unwrap();
    answers(&world);
    assert!(fs::read(&file).unwrap() == text, "the chain is not the one that was prepared first");
}

#[test]
fn a_chain_that_was_edited_is_not_believed() {
    let world = World::new();
    chain(&world, &["trap"], "");
    assert_eq!(world.bash("ls -la").decision(), "ask");
    let file = chain_file(&world);
    let sealed = fs::read(&file).unwrap();
    let (seal, body) = sealed.split_at(SEAL_BYTES);
    let mut chain: Prepared = postcard::from_bytes(body).unwrap();
    chain.members[0].entry.on_error = Outcome::Abstain;
    let edited = [seal, &postcard::to_stdvec(&chain).unwrap()].concat();
    assert_ne!(sealed, edited);
    fs::write(&file, edited).unwrap();
    assert_eq!(world.bash("ls -la").decision(), "ask");
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
