//! [`Artifacts`]: compiled components.
//!
//! An artifact's file is `<component's sha256>-<engine key>.cwasm`. For a guest with a frozen WASI, the name ends with
//! `-frozen`, because its manifest can differ. The sealed `.json` beside it contains the artifact's digest and the
//! policy's manifest.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::component::{Component, Unpack};
use super::folders;
use crate::embedded::{self, bundle};
use guard_builtins::Artifact as EmbeddedArtifact;
use guard_contract::Manifest;
use guard_contract::{FaultKind, Interface, Limits, Wasi};
use guard_engine::{Compile, ENGINE_KEY, Engine, Policy};
use guard_state::FileLock;
use guard_state::Seal;
use guard_state::{FolderError, write_new};
use guard_state::{Stamp, hex};

/// Incremented whenever the format of [`Record`] changes.
const PURPOSE: &str = "artifact 3";

/// The location of an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArtifactLocation {
    /// Embedded in this program.
    Carried,
    /// A file, with its stamp from when its digest was checked.
    File(PathBuf, Stamp),
    /// None: it is already loaded.
    Loaded,
}

/// An artifact that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its location.
    pub place: ArtifactLocation,
    /// The digest of its component.
    pub component: String,
    /// The component's imports and exports.
    pub interface: Interface,
    /// How the component's calls of WASI are resolved.
    pub wasi: Wasi,
}

impl Artifact {
    /// Creates a placeholder for an artifact that is already loaded. Its stamp never matches.
    #[must_use]
    pub fn in_memory(component: String, interface: Interface, wasi: Wasi) -> Self {
        Artifact { place: ArtifactLocation::Loaded, component, interface, wasi }
    }

    /// Returns whether the artifact hasn't changed since it was checked.
    #[must_use]
    pub fn holds(&self) -> bool {
        match &self.place {
            ArtifactLocation::Carried => guard_builtins::find_by_digest(&self.component).is_some(),
            ArtifactLocation::File(path, stamp) => Stamp::for_private_file(path) == Some(*stamp),
            ArtifactLocation::Loaded => false,
        }
    }

    /// The artifact's file, if it has one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            ArtifactLocation::File(path, _) => Some(path),
            ArtifactLocation::Carried | ArtifactLocation::Loaded => None,
        }
    }

    /// Links the policy. A file that can't be used is removed, so that it is rebuilt.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Artifact`] if this machine can't use it.
    pub fn policy(&self, engine: &Engine) -> Result<Policy, FaultKind> {
        let damaged = || FaultKind::Artifact("this program is damaged".to_owned());
        let code = match &self.place {
            ArtifactLocation::Carried => match guard_builtins::find_by_digest(&self.component) {
                Some(builtin) => match &builtin.guest.artifact {
                    EmbeddedArtifact::Bundled => return Ok(bundle(engine)?.policy(builtin.name)),
                    EmbeddedArtifact::Packed(packed) => engine.read(&packed.unpack().ok_or_else(damaged)?),
                },
                None => Err(FaultKind::Artifact("this program does not hold it".to_owned())),
            },
            ArtifactLocation::File(path, _) => engine.map(path).inspect_err(|_| discard(path)),
            ArtifactLocation::Loaded => Err(FaultKind::Artifact("it was not loaded".to_owned())),
        };
        engine.load(&code?, &self.interface, self.wasi)
    }
}

/// An artifact and its policy's manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltArtifact {
    /// The artifact.
    pub artifact: Artifact,
    /// The policy's manifest.
    pub manifest: Manifest,
}

/// How to build missing artifacts, and how long to wait for another process that builds them.
#[derive(Debug, Clone, Copy)]
pub struct BuildOptions {
    /// The compiler.
    pub compile: Compile,
    /// Unpacks an embedded component.
    pub unpack: Unpack,
    /// The deadline for waiting for another process. Compiling itself isn't interrupted.
    pub deadline: Instant,
}

/// The output of `guard-compiler describe` for a policy.
#[derive(Deserialize)]
struct Description {
    interface: Interface,
    manifest: Manifest,
}

impl BuiltArtifact {
    /// Returns the artifact of an embedded policy.
    #[must_use]
    pub fn embedded(component: &str, wasi: Wasi) -> Option<Self> {
        let guest = &guard_builtins::find_by_digest(component)?.guest;
        let Description { interface, manifest } = serde_json::from_str(guest.description).ok()?;
        let artifact = Artifact { place: ArtifactLocation::Carried, component: component.to_owned(), interface, wasi };
        Some(BuiltArtifact { artifact, manifest })
    }
}

/// The sealed record beside an artifact.
#[derive(Serialize, Deserialize)]
struct Record {
    component: String,
    engine: String,
    wasi: Wasi,
    digest: String,
    manifest: Manifest,
    interface: Interface,
}

/// The folder of artifacts.
#[derive(Debug, Clone)]
pub struct Artifacts {
    pub(super) folder: PathBuf,
    pub(super) seal: Seal,
}

impl Artifacts {
    /// Opens the artifacts of a cache folder, and creates the folder if it is missing.
    ///
    /// # Errors
    ///
    /// The folder can't be used.
    pub fn open(cache: &Path, seal: Seal) -> Result<Self, FolderError> {
        Ok(Artifacts { folder: folders::private_artifacts(cache)?, seal })
    }

    /// Finds a component's artifact, embedded or in a file, if it can be used.
    #[must_use]
    pub fn find(&self, component: &str, wasi: Wasi) -> Option<BuiltArtifact> {
        self.embedded(component, wasi).or_else(|| self.cached(component, wasi))
    }

    /// Finds an artifact in a file, if it can be used. Reads the whole file to check its digest.
    fn cached(&self, component: &str, wasi: Wasi) -> Option<BuiltArtifact> {
        let record: Record = self.seal.read(PURPOSE, &self.path(component, wasi, "json"))?;
        let path = self.path(component, wasi, "cwasm");
        if (record.component.as_str(), record.engine.as_str(), record.wasi) != (component, ENGINE_KEY, wasi) {
            return None;
        }
        // The stamp is taken before the bytes are read, so that a change in between is detected later.
        let stamp = Stamp::for_private_file(&path)?;
        if hex(&Sha256::digest(fs::read(&path).ok()?)) != record.digest || Engine::new().ok()?.map(&path).is_err() {
            return None;
        }
        let place = ArtifactLocation::File(path, stamp);
        let artifact = Artifact { place, component: component.to_owned(), interface: record.interface, wasi };
        Some(BuiltArtifact { artifact, manifest: record.manifest })
    }

    /// Finds or builds a component's artifact. If several processes need it, one builds it and the others wait.
    ///
    /// # Errors
    ///
    /// The component doesn't compile, its `describe` fails, or the lock wasn't free in time.
    pub fn ensure(&self, of: &Component, wasi: Wasi, making: BuildOptions) -> Result<BuiltArtifact, FaultKind> {
        let component = of.sha256.as_str();
        if let Some(made) = self.find(component, wasi) {
            return Ok(made);
        }
        let fail = |what: &str, error: &dyn std::fmt::Display| FaultKind::Artifact(format!("{what}: {error}"));
        let lock = FileLock::acquire(&self.path(component, wasi, "lock"), making.deadline);
        let _lock = lock.map_err(|error| fail("another process is still making it", &error))?;
        if let Some(made) = self.find(component, wasi) {
            return Ok(made);
        }
        let bytes = (making.compile)(&of.wasm(making.unpack)?)?;
        let engine = Engine::new()?;
        let code = engine.read(&bytes)?;
        let interface = engine.interface(&code);
        let policy = engine.load(&code, &interface, wasi)?;
        let manifest = with_clock(&engine, || policy.describe(Limits::PREPARE))?;
        self.keep(component, wasi, &bytes, manifest, interface)
    }

    /// Returns the embedded artifact, in a file if it is compressed, so that it is unpacked only once. If the file
    /// can't be written, every call unpacks it.
    fn embedded(&self, component: &str, wasi: Wasi) -> Option<BuiltArtifact> {
        let made = BuiltArtifact::embedded(component, wasi)?;
        let builtin = guard_builtins::find_by_digest(component)?;
        let EmbeddedArtifact::Packed(packed) = &builtin.guest.artifact else { return Some(made) };
        let unpack = || {
            let bytes = packed.unpack()?;
            self.keep(component, wasi, &bytes, made.manifest.clone(), made.artifact.interface.clone()).ok()
        };
        Some(self.cached(component, wasi).or_else(unpack).unwrap_or(made))
    }

    /// Writes an artifact and its record.
    fn keep(
        &self,
        component: &str,
        wasi: Wasi,
        bytes: &[u8],
        manifest: Manifest,
        interface: Interface,
    ) -> Result<BuiltArtifact, FaultKind> {
        let fail = |what: &str, error: &dyn std::fmt::Display| FaultKind::Artifact(format!("{what}: {error}"));
        let path = self.path(component, wasi, "cwasm");
        write_new(&path, bytes, 0o600).map_err(|error| fail("it cannot be written", &error))?;
        let record = Record {
            component: component.to_owned(),
            engine: ENGINE_KEY.to_owned(),
            wasi,
            digest: hex(&Sha256::digest(bytes)),
            manifest,
            interface,
        };
        let written = self.seal.write(PURPOSE, &self.path(component, wasi, "json"), &record);
        written.map_err(|error| fail("its record cannot be written", &error))?;
        let stamp = fs::symlink_metadata(&path).and_then(|data| Stamp::new(&path, &data));
        let stamp = stamp.map_err(|error| fail("it cannot be read", &error))?;
        let (component, interface) = (record.component, record.interface);
        let artifact = Artifact { place: ArtifactLocation::File(path, stamp), component, interface, wasi };
        Ok(BuiltArtifact { artifact, manifest: record.manifest })
    }

    /// Lists every artifact's path, and whether it can be used.
    #[must_use]
    pub fn verify(&self) -> Vec<(PathBuf, bool)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if [embedded::BUNDLE, embedded::SCRIPTS].iter().any(|kind| name.ends_with(&format!(".{kind}"))) {
                found.extend(embedded::is_whole(&path).map(|is_whole| (path, is_whole)));
                continue;
            }
            let Some(stem) = name.strip_suffix(".cwasm") else { continue };
            let of = |wasi| Some((stem.strip_suffix(&key(wasi))?, wasi));
            let artifact = || of(Wasi::Frozen).or_else(|| of(Wasi::Absent));
            let sound = self.snapshot_is_sound(stem);
            let is_found = || artifact().is_some_and(|(component, wasi)| self.cached(component, wasi).is_some());
            found.push((path, sound.unwrap_or_else(is_found)));
        }
        found.sort();
        found
    }

    fn path(&self, component: &str, wasi: Wasi, extension: &str) -> PathBuf {
        self.folder.join(format!("{component}{}.{extension}", key(wasi)))
    }
}

/// Returns the part of an artifact's name after the component's digest.
fn key(wasi: Wasi) -> String {
    match wasi {
        Wasi::Absent => format!("-{ENGINE_KEY}"),
        Wasi::Frozen => format!("-{ENGINE_KEY}-frozen"),
    }
}

/// Returns the policy's name in a record, if its seal is right.
pub(super) fn named(seal: &Seal, record: &Path) -> Option<String> {
    let record: Record = seal.read(PURPOSE, record)?;
    Some(record.manifest.id)
}

/// Removes an artifact that couldn't be mapped, so that the next call rebuilds it. On a machine that can't run guests,
/// the artifact may be fine and isn't removed.
pub fn discard(artifact: &Path) {
    if Engine::new().is_ok() {
        // If it can't be removed, the next call finds the same problem.
        let _ = fs::remove_file(artifact);
    }
}

/// Runs `body` while the clock of the time limits ticks.
pub(super) fn with_clock<T>(engine: &Engine, body: impl FnOnce() -> T) -> T {
    let _clock = guard_engine::clock::Clock::start(engine.clone());
    body()
}
