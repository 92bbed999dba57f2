//! [`Artifacts`]: compiled components, each made once.
//!
//! `<component's sha256>-<engine key>.cwasm` is what is mapped, with `-frozen` at the end of the name for a guest that is
//! given a frozen WASI: what it says of itself can be another. The sealed `.json` beside it holds the artifact's own digest
//! and what the policy says of itself.

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

/// Raised whenever the shape of [`Record`] changes.
const PURPOSE: &str = "artifact 3";

/// Where an artifact is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArtifactLocation {
    /// In this program.
    Carried,
    /// In a file, with the stamp that it had when its digest was checked.
    File(PathBuf, Stamp),
    /// Nowhere: it was loaded already.
    Loaded,
}

/// An artifact that may be used as long as it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Where it is.
    pub place: ArtifactLocation,
    /// The digest of the component that it was made of.
    pub component: String,
    /// The component's imports and exports.
    pub interface: Interface,
    /// The answer to the component's calls of WASI.
    pub wasi: Wasi,
}

impl Artifact {
    /// A placeholder for an artifact that is loaded already. Its stamp never matches.
    #[must_use]
    pub fn in_memory(component: String, interface: Interface, wasi: Wasi) -> Self {
        Artifact { place: ArtifactLocation::Loaded, component, interface, wasi }
    }

    /// It is still the one that was checked.
    #[must_use]
    pub fn holds(&self) -> bool {
        match &self.place {
            ArtifactLocation::Carried => guard_builtins::by_digest(&self.component).is_some(),
            ArtifactLocation::File(path, stamp) => Stamp::for_private_file(path) == Some(*stamp),
            ArtifactLocation::Loaded => false,
        }
    }

    /// Its file, if it has one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            ArtifactLocation::File(path, _) => Some(path),
            ArtifactLocation::Carried | ArtifactLocation::Loaded => None,
        }
    }

    /// The policy, linked. A file that cannot be used is removed, so that it is made anew.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Artifact`]: this machine cannot use it.
    pub fn policy(&self, engine: &Engine) -> Result<Policy, FaultKind> {
        let damaged = || FaultKind::Artifact("this program is damaged".to_owned());
        let code = match &self.place {
            ArtifactLocation::Carried => match guard_builtins::by_digest(&self.component) {
                Some(builtin) => match &builtin.guest.artifact {
                    EmbeddedArtifact::Bundled => return Ok(bundle(engine)?.policy(builtin.name)),
                    EmbeddedArtifact::Packed(packed) => engine.read(&packed.unpacked().ok_or_else(damaged)?),
                },
                None => Err(FaultKind::Artifact("this program does not hold it".to_owned())),
            },
            ArtifactLocation::File(path, _) => engine.map(path).inspect_err(|_| discard(path)),
            ArtifactLocation::Loaded => Err(FaultKind::Artifact("it was not loaded".to_owned())),
        };
        engine.load(&code?, &self.interface, self.wasi)
    }
}

/// An artifact and what is known of its component.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltArtifact {
    /// The artifact.
    pub artifact: Artifact,
    /// The policy's manifest.
    pub manifest: Manifest,
}

/// How an artifact that is missing is made, and how long another process that makes it is waited for.
#[derive(Debug, Clone, Copy)]
pub struct BuildOptions {
    /// Compiles.
    pub compile: Compile,
    /// Unpacks a component that this program carries.
    pub unpack: Unpack,
    /// Bounds the wait for another process; compiling itself is not interrupted.
    pub deadline: Instant,
}

/// The output of `guard-compiler describe` for a policy.
#[derive(Deserialize)]
struct Description {
    interface: Interface,
    manifest: Manifest,
}

impl BuiltArtifact {
    /// The artifact of a policy that this program contains.
    #[must_use]
    pub fn embedded(component: &str, wasi: Wasi) -> Option<Self> {
        let guest = &guard_builtins::by_digest(component)?.guest;
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
    /// The artifacts of a cache folder, which is made if it is missing.
    ///
    /// # Errors
    ///
    /// The folder cannot be used.
    pub fn open(cache: &Path, seal: Seal) -> Result<Self, FolderError> {
        Ok(Artifacts { folder: folders::private_artifacts(cache)?, seal })
    }

    /// The artifact of a component if there is one that can be used: what this program carries, or a file.
    #[must_use]
    pub fn find(&self, component: &str, wasi: Wasi) -> Option<BuiltArtifact> {
        self.embedded(component, wasi).or_else(|| self.cached(component, wasi))
    }

    /// The artifact in a file, if it can be used. The file is read whole, to check its digest, and mapped.
    fn cached(&self, component: &str, wasi: Wasi) -> Option<BuiltArtifact> {
        let record: Record = self.seal.read(PURPOSE, &self.path(component, wasi, "json"))?;
        let path = self.path(component, wasi, "cwasm");
        if (record.component.as_str(), record.engine.as_str(), record.wasi) != (component, ENGINE_KEY, wasi) {
            return None;
        }
        // The stamp is taken before the bytes are read: a change in between shows as another stamp later.
        let stamp = Stamp::for_private_file(&path)?;
        if hex(&Sha256::digest(fs::read(&path).ok()?)) != record.digest || Engine::new().ok()?.map(&path).is_err() {
            return None;
        }
        let place = ArtifactLocation::File(path, stamp);
        let artifact = Artifact { place, component: component.to_owned(), interface: record.interface, wasi };
        Some(BuiltArtifact { artifact, manifest: record.manifest })
    }

    /// The artifact of a component; makes it if there is none. Of several processes one makes it, the others wait.
    ///
    /// # Errors
    ///
    /// The component does not compile or describe itself, or the lock was not free in time.
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

    /// The artifact that this program carries, in a file if it lies packed in the program, so that it is unpacked once.
    /// Where no file can be written it is unpacked at each call.
    fn embedded(&self, component: &str, wasi: Wasi) -> Option<BuiltArtifact> {
        let made = BuiltArtifact::embedded(component, wasi)?;
        let builtin = guard_builtins::by_digest(component)?;
        let EmbeddedArtifact::Packed(packed) = &builtin.guest.artifact else { return Some(made) };
        let unpack = || {
            let bytes = packed.unpacked()?;
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

    /// Every artifact's path and whether it can be used.
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

/// The part of an artifact's name after the component's digest.
fn key(wasi: Wasi) -> String {
    match wasi {
        Wasi::Absent => format!("-{ENGINE_KEY}"),
        Wasi::Frozen => format!("-{ENGINE_KEY}-frozen"),
    }
}

/// The name of the policy that a record is of, if the key vouches for it.
pub(super) fn named(seal: &Seal, record: &Path) -> Option<String> {
    let record: Record = seal.read(PURPOSE, record)?;
    Some(record.manifest.id)
}

/// Removes an artifact that could not be mapped, so that the next call makes it anew. On a machine that runs no guests
/// nothing is said of the file, and it stays.
pub fn discard(artifact: &Path) {
    if Engine::new().is_ok() {
        // What cannot be removed is found wanting again by the next call.
        let _ = fs::remove_file(artifact);
    }
}

/// Runs `body` with the clock of time limits ticking.
pub(super) fn with_clock<T>(engine: &Engine, body: impl FnOnce() -> T) -> T {
    let _clock = guard_engine::clock::Clock::start(engine.clone());
    body()
}
