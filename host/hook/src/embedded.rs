//! The embedded components: the bundle with its analyzer, and the script analyzer. Both are compressed in the program,
//! and calls map the copies unpacked into the cache.

use std::fs;
use std::path::{Path, PathBuf};

use guard_builtins::Packed;
use sha2::{Digest, Sha256};

use crate::cache::folders::{artifacts, private_artifacts};
use guard_contract::FaultKind;
use guard_engine::{Analyzer, Bundle, ENGINE_KEY, EmbeddedArtifacts, EmbeddedComponent, Engine};
use guard_state::{AppDirs, Seal, Stamp, hex, write_new};

/// The extension of their files.
pub(crate) const BUNDLE: &str = "bundle";
pub(crate) const SCRIPTS: &str = "scripts";

const ALL: [EmbeddedComponent; 2] = [EmbeddedComponent::Bundle, EmbeddedComponent::ScriptReader];

/// Links the component with the policies of the presets.
///
/// # Errors
///
/// [`FaultKind::Component`] if this program was built without it, [`FaultKind::Artifact`] if it can't run here.
pub fn bundle(engine: &Engine) -> Result<Bundle, FaultKind> {
    // An engine without a cache folder unpacks it itself.
    engine.load_embedded_from(Box::new(UnpackedArtifacts { dirs: None }));
    engine.bundle()
}

/// Creates an engine for a process that decides many calls, with the artifacts in the cache folder.
///
/// # Errors
///
/// Those of [`Engine::for_many_replies`].
pub fn engine_for_many_replies(dirs: &AppDirs) -> Result<Engine, FaultKind> {
    let engine = Engine::for_many_replies()?;
    load_from_cache(&engine, dirs);
    Ok(engine)
}

/// Loads the embedded analyzer.
///
/// # Errors
///
/// Those of [`bundle`].
pub fn analyzer(engine: &Engine) -> Result<Analyzer, FaultKind> {
    bundle(engine).map(|bundle| bundle.analyzer())
}

/// Makes the engine load the embedded components from the cache folder. If they can't be stored there, each process
/// unpacks them.
pub(crate) fn load_from_cache(engine: &Engine, dirs: &AppDirs) {
    engine.load_embedded_from(Box::new(UnpackedArtifacts { dirs: Some(dirs.clone()) }));
}

/// Unpacks the embedded components into the cache folder, unless they are there. For commands, which have more time
/// than a hook.
pub(crate) fn keep(dirs: &AppDirs) {
    for component in ALL {
        // If it can't be stored, calls unpack it.
        let _ = UnpackedArtifacts { dirs: Some(dirs.clone()) }.file(component);
    }
}

/// Returns the artifacts' files in a cache folder.
pub(crate) fn files_in(cache: &Path) -> impl Iterator<Item = PathBuf> {
    let folder = artifacts(cache);
    ALL.into_iter().filter_map(move |component| Some(folder.join(name_of(component, packed(component)?))))
}

/// Returns whether this file is intact. `None` if it belongs to another version.
pub(crate) fn is_whole(file: &Path) -> Option<bool> {
    let mut all = ALL.into_iter().filter_map(|component| Some((component, packed(component)?)));
    let name = file.file_name()?.to_str()?;
    let (_, packed) = all.find(|(component, packed)| name == name_of(*component, packed))?;
    Some(Stamp::for_private_file(file).is_some() && is_of(file, packed))
}

fn packed(component: EmbeddedComponent) -> Option<&'static Packed> {
    match component {
        EmbeddedComponent::Bundle => guard_builtins::bundle(),
        EmbeddedComponent::ScriptReader => guard_builtins::scripts(),
    }
}

/// Returns whether the file's contents are the embedded component.
fn is_of(file: &Path, packed: &Packed) -> bool {
    fs::read(file).is_ok_and(|bytes| <[u8; 32]>::from(Sha256::digest(bytes)) == packed.sha256)
}

/// Returns the name of its file, which contains the embedded component's digest, so that its record is only valid for
/// that digest.
fn name_of(component: EmbeddedComponent, packed: &Packed) -> String {
    let kind = match component {
        EmbeddedComponent::Bundle => BUNDLE,
        EmbeddedComponent::ScriptReader => SCRIPTS,
    };
    format!("{}-{ENGINE_KEY}.{kind}", hex(&packed.sha256))
}

/// The artifacts, each unpacked once into the cache folder, if there is one. A sealed record beside the file contains
/// the file's stamp from when its digest was checked, so that calls needn't read the whole file.
struct UnpackedArtifacts {
    dirs: Option<AppDirs>,
}

impl UnpackedArtifacts {
    fn purpose(packed: &Packed) -> String {
        format!("carried artifact 1 {}", hex(&packed.sha256))
    }

    /// Returns whether the file's stamp is the sealed one.
    fn is_sealed(packed: &Packed, file: &Path, seal: &Seal) -> bool {
        let stamp = seal.read::<Stamp>(&Self::purpose(packed), &file.with_extension("json"));
        stamp.is_some() && stamp == Stamp::for_private_file(file)
    }

    /// Seals the file's stamp, if its contents are the embedded component.
    fn check(packed: &Packed, file: &Path, seal: &Seal) -> bool {
        // The stamp is taken before the bytes are read, so that a change in between is detected later.
        let Some(stamp) = Stamp::for_private_file(file) else { return false };
        let is_whole = is_of(file, packed);
        // Without the record the next process checks the bytes again.
        is_whole && seal.write(&Self::purpose(packed), &file.with_extension("json"), &stamp).is_ok()
    }
}

impl EmbeddedArtifacts for UnpackedArtifacts {
    fn file(&self, of: EmbeddedComponent) -> Option<PathBuf> {
        let (packed, dirs) = (packed(of)?, self.dirs.as_ref()?);
        let file = private_artifacts(&dirs.cache).ok()?.join(name_of(of, packed));
        let seal = Seal::open(&dirs.state).ok()?;
        let is_there = Self::is_sealed(packed, &file, &seal) || Self::check(packed, &file, &seal);
        let is_made = || write_new(&file, &packed.unpack()?, 0o600).ok().filter(|()| Self::check(packed, &file, &seal));
        (is_there || is_made().is_some()).then_some(file)
    }

    fn bytes(&self, of: EmbeddedComponent) -> Option<Vec<u8>> {
        packed(of)?.unpack()
    }
}
