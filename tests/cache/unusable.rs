//! Artifacts that are complete and sealed, but can't run on this machine.

use std::fs;

use guard_hook::cache::{ArtifactLocation, Prepared, Readiness};
use guard_state::{Seal, Stamp, hex};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{SEAL_BYTES, answers, cached, chain_file, is_answer, is_sound, prepared};
use crate::support::texts::normalize;
use crate::support::world::World;
use crate::texts::assert_text;

/// Seals `file` again after `change`.
fn reseal(world: &World, purpose: &str, file: &std::path::Path, change: impl FnOnce(&mut Value)) {
    let sealed = fs::read_to_string(file).unwrap();
    let (_, body) = sealed.split_once('\n').unwrap();
    let mut value: Value = serde_json::from_str(body).unwrap();
    change(&mut value);
    let seal = Seal::open(&world.path(".local/state/guard-host")).unwrap();
    seal.write(purpose, file, &value).unwrap();
}

/// Replaces the artifact of the guest `shell` with a sealed file that isn't an artifact, and returns it.
fn spoil(world: &World) -> std::path::PathBuf {
    let artifact = cached(world, "shell", "cwasm");
    fs::write(&artifact, "made elsewhere").unwrap();
    let digest = hex(&Sha256::digest(fs::read(&artifact).unwrap()));
    reseal(world, "artifact 3", &cached(world, "shell", "json"), |record| record["digest"] = json!(digest));
    artifact
}

#[test]
fn it_is_found_when_the_chain_is_prepared_and_made_anew() {
    let world = prepared();
    let artifact = spoil(&world);
    assert_eq!((world.run(&["cache", "verify"], "").exit, is_sound(&world, &artifact)), (69, Some(false)));
    answers(&world);
    assert_eq!(is_sound(&world, &artifact), Some(true));
}

#[test]
fn a_prepared_chain_that_names_it_asks_once_and_is_repaired_by_the_next_call() {
    let world = prepared();
    let artifact = spoil(&world);
    let file = chain_file(&world);
    let mut chain: Prepared = postcard::from_bytes(&fs::read(&file).unwrap()[SEAL_BYTES..]).unwrap();
    let Readiness::Ready { artifact: kept, .. } = &mut chain.members[0].readiness else { panic!("it is ready") };
    let ArtifactLocation::File(path, stamp) = &mut kept.place else { panic!("it is in a file") };
    assert_eq!(*path, artifact);
    *stamp = Stamp::new(&artifact, &fs::symlink_metadata(&artifact).unwrap()).unwrap();
    let seal = Seal::open(&world.path(".local/state/guard-host")).unwrap();
    let purpose = format!("prepared chain 19 {}", file.file_name().unwrap().display());
    seal.write_bytes(&purpose, &file, &postcard::to_stdvec(&chain).unwrap()).unwrap();
    let asked = world.bash("ls -la");
    assert_eq!(asked.decision(), "ask", "{asked:?}");
    assert_text!("cache_unusable_artifact", normalize(&world, &asked.reason()));
    is_answer(&world.bash("ls -la"));
}
