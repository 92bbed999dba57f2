//! What runs of what this program carries: the bundle with its analyzer, and the reader of scripts, which lies packed in the
//! program and unpacked in the cache.

use std::fs;
use std::path::Path;

use guard_builtins::Packed;
use sha2::{Digest, Sha256};

use crate::cache::folders::artifacts;
use guard_contract::FaultKind;
use guard_engine::{Analyzer, Bundle, ENGINE_KEY, Engine, InitialMemory};
use guard_state::{hex, is_private, make_private, write_new};

/// The component that this program carries, linked.
///
/// # Errors
///
/// [`FaultKind::Component`]: this program was built without it. [`FaultKind::Artifact`]: it cannot run here.
pub fn bundle(engine: &Engine) -> Result<Bundle, FaultKind> {
    let missing = || FaultKind::Component("this program was built without policies".to_owned());
    // An engine that nobody gave a cache folder unpacks it for itself.
    engine.load_scripts_with(Box::new(|| guard_builtins::scripts()?.unpacked()));
    let guard_builtins::Bundle { artifact, data: bytes, offset } = guard_builtins::bundle().ok_or_else(missing)?;
    let memory = InitialMemory { bytes, offset };
    engine.bundle(guard_engine::Carried { artifact, memory, is_executable: guard_builtins::IS_EXECUTABLE })
}

/// The engine of a process that decides many calls. It reads scripts with what this cache folder holds.
///
/// # Errors
///
/// As [`Engine::for_many_replies`].
pub fn engine_for_many_replies(cache: &Path) -> Result<Engine, FaultKind> {
    let engine = Engine::for_many_replies(guard_builtins::whole_bundle())?;
    read_scripts(&engine, cache);
    Ok(engine)
}

/// Loads the analyzer that this program carries.
///
/// # Errors
///
/// As [`bundle`].
pub fn analyzer(engine: &Engine) -> Result<Analyzer, FaultKind> {
    bundle(engine).map(|bundle| bundle.analyzer())
}

/// Has the engine load the reader of scripts from this cache folder when a call first holds a script. Where nothing can
/// be kept, each process that needs it unpacks it.
pub(crate) fn read_scripts(engine: &Engine, cache: &Path) {
    let cache = cache.to_path_buf();
    engine.load_scripts_with(Box::new(move || {
        let packed = guard_builtins::scripts()?;
        let path = artifacts(&cache).join(format!("{}-{ENGINE_KEY}.scripts", hex(&packed.sha256)));
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
    if make_private(cache).and_then(|_| make_private(&artifacts(cache))).is_ok() {
        // Without the file the next process unpacks it again.
        let _ = write_new(path, &bytes, 0o600);
    }
    Some(bytes)
}
