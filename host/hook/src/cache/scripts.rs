//! The artifact of the reader of scripts. It lies packed in this program, and unpacked in the cache.

use std::fs;
use std::path::Path;

use guard_builtins::Packed;
use guard_engine::{ENGINE_KEY, Engine};
use guard_state::{hex, is_private, make_private, write_new};
use sha2::{Digest, Sha256};

use super::artifact::folder;

/// Has the engine load the reader of scripts from this cache folder when a call first holds a script. Where nothing can
/// be kept, each process that needs it unpacks it.
pub fn read_scripts(engine: &Engine, cache: &Path) {
    let cache = cache.to_path_buf();
    engine.load_scripts_with(Box::new(move || {
        let packed = guard_builtins::scripts()?;
        let path = folder(&cache).join(format!("{}-{ENGINE_KEY}.scripts", hex(&packed.sha256)));
        kept(&path, packed).or_else(|| unpacked(&cache, &path, packed))
    }));
}

/// The file, if it holds the bytes whose digest this program knows.
fn kept(path: &Path, packed: &Packed) -> Option<Vec<u8>> {
    fs::symlink_metadata(path).ok().filter(is_private)?;
    let bytes = fs::read(path).ok()?;
    (<[u8; 32]>::from(Sha256::digest(&bytes)) == packed.sha256).then_some(bytes)
}

fn unpacked(cache: &Path, path: &Path, packed: &Packed) -> Option<Vec<u8>> {
    let bytes = packed.unpacked()?;
    if make_private(cache).and_then(|_| make_private(&folder(cache))).is_ok() {
        // Without the file the next process unpacks it again.
        let _ = write_new(path, &bytes, 0o600);
    }
    Some(bytes)
}
