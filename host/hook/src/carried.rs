//! What runs of what this program carries: the bundle with its analyzer, and the reader of scripts, which lies packed in the
//! program and unpacked in the cache.

use std::fs;
use std::path::{Path, PathBuf};

use guard_builtins::Packed;
use sha2::{Digest, Sha256};

use crate::cache::folders::{artifacts, private_artifacts};
use guard_contract::FaultKind;
use guard_engine::{Analyzer, Bundle, ENGINE_KEY, Engine, InitialMemory, ScriptsArtifact};
use guard_state::{Places, Seal, Stamp, hex, write_new};

/// The component that this program carries, linked.
///
/// # Errors
///
/// [`FaultKind::Component`]: this program was built without it. [`FaultKind::Artifact`]: it cannot run here.
pub fn bundle(engine: &Engine) -> Result<Bundle, FaultKind> {
    let missing = || FaultKind::Component("this program was built without policies".to_owned());
    // An engine that nobody gave a cache folder unpacks it for itself.
    engine.load_scripts_from(Box::new(Unpacked));
    let guard_builtins::Bundle { artifact, data: bytes, offset } = guard_builtins::bundle().ok_or_else(missing)?;
    let memory = InitialMemory { bytes, offset };
    engine.bundle(guard_engine::Carried { artifact, memory, is_executable: guard_builtins::IS_EXECUTABLE })
}

/// The engine of a process that decides many calls. It reads scripts with what the cache folder holds.
///
/// # Errors
///
/// As [`Engine::for_many_replies`].
pub fn engine_for_many_replies(places: &Places) -> Result<Engine, FaultKind> {
    let engine = Engine::for_many_replies(guard_builtins::whole_bundle())?;
    read_scripts(&engine, places);
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

/// Has the engine load the reader of scripts from the cache folder when a call first holds a script. Where nothing can be
/// kept, each process that needs it unpacks it.
pub(crate) fn read_scripts(engine: &Engine, places: &Places) {
    engine.load_scripts_from(Box::new(InCache { places: places.clone() }));
}

/// Puts the reader of scripts into the cache folder, or checks the one that is there. For commands, which have time.
pub(crate) fn keep_scripts(places: &Places) {
    // Where it cannot be kept, a call unpacks it.
    let _ = InCache { places: places.clone() }.bytes();
}

/// Where the reader of scripts lies in a cache folder; none if this program carries none.
pub(crate) fn scripts_in(cache: &Path) -> Option<PathBuf> {
    guard_builtins::scripts().map(|packed| artifacts(cache).join(name_of(packed)))
}

/// Whether this file of the reader of scripts is whole; none if it is that of another version.
pub(crate) fn is_whole(file: &Path) -> Option<bool> {
    let packed =
        guard_builtins::scripts().filter(|packed| file.file_name().is_some_and(|name| *name == *name_of(packed)))?;
    Some(Stamp::of_private(file).is_some() && bytes_in(file, packed).is_some())
}

/// The bytes of the file, if they are those that this program carries.
fn bytes_in(file: &Path, packed: &Packed) -> Option<Vec<u8>> {
    fs::read(file).ok().filter(|bytes| <[u8; 32]>::from(Sha256::digest(bytes)) == packed.sha256)
}

/// The name of its file holds the digest of what this program carries; its record is of that digest alone.
fn name_of(packed: &Packed) -> String {
    format!("{}-{ENGINE_KEY}.scripts", hex(&packed.sha256))
}

/// The reader of scripts, unpacked by each process.
struct Unpacked;

impl ScriptsArtifact for Unpacked {
    fn file(&self) -> Option<PathBuf> {
        None
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        guard_builtins::scripts()?.unpacked()
    }
}

/// The reader of scripts in the cache folder, unpacked once. A sealed record beside the file holds the stamp that the file
/// had when its digest was checked, so that no call reads it whole.
struct InCache {
    places: Places,
}

impl InCache {
    /// Where the file is; none if nothing can be kept there.
    fn place_of(&self, packed: &Packed) -> Option<PathBuf> {
        Some(private_artifacts(&self.places.cache).ok()?.join(name_of(packed)))
    }

    fn purpose(packed: &Packed) -> String {
        format!("reader of scripts 1 {}", hex(&packed.sha256))
    }

    /// The bytes of the file, if they are those that this program carries; the stamp of the file is then kept.
    fn checked(&self, packed: &Packed, file: &Path) -> Option<Vec<u8>> {
        // The stamp is taken before the bytes are read: a change in between shows as another stamp later.
        let stamp = Stamp::of_private(file)?;
        let bytes = bytes_in(file, packed)?;
        let (purpose, record) = (Self::purpose(packed), file.with_extension("json"));
        if let Ok(seal) = Seal::open(&self.places.state)
            && seal.read(&purpose, &record) != Some(stamp)
        {
            // Without the record the next process checks the bytes again.
            let _ = seal.write(&purpose, &record, &stamp);
        }
        Some(bytes)
    }
}

impl ScriptsArtifact for InCache {
    fn file(&self) -> Option<PathBuf> {
        let packed = guard_builtins::scripts()?;
        let file = self.place_of(packed)?;
        let seal = Seal::open(&self.places.state).ok()?;
        let stamp = seal.read(&Self::purpose(packed), &file.with_extension("json"))?;
        (Stamp::of_private(&file) == Some(stamp)).then_some(file)
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        let packed = guard_builtins::scripts()?;
        let Some(file) = self.place_of(packed) else { return packed.unpacked() };
        self.checked(packed, &file).or_else(|| {
            let bytes = packed.unpacked()?;
            // Without the file the next process unpacks it again.
            if write_new(&file, &bytes, 0o600).is_ok() {
                self.checked(packed, &file);
            }
            Some(bytes)
        })
    }
}
