//! [`Snapshot`]: a policy's component after `configure`, compiled, in addition to its artifact, if that is worth it.
//!
//! A snapshot's file is `<component's sha256>-<engine key>-s<settings key>.cwasm`, with a sealed `.json` beside it. A
//! `.json` alone gives the reason why there is no snapshot, so that it isn't tried again. Snapshots are optional,
//! because the hook can call `configure` itself. A snapshot contains the policy's settings.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::artifact::{Artifact, Artifacts, BuildOptions, discard, with_clock};
use super::component::Component;
use guard_contract::Manifest;
use guard_contract::policy::Entry;
use guard_contract::{FaultKind, Limits, Wasi};
use guard_engine::{Compile, ENGINE_KEY, Engine};
use guard_state::FileLock;
use guard_state::Seal;
use guard_state::write_new;
use guard_state::{Stamp, hex};

/// Incremented whenever the format of [`Record`] changes.
const PURPOSE: &str = "snapshot 1";

/// The minimum duration of `configure` that is worth a second compilation and file. The built-in policies with their
/// default settings are several times faster.
const WORTH: Duration = Duration::from_micros(100);

/// The number of `configure` calls to measure its duration.
const RUNS: usize = 5;

/// A snapshot that may be mapped as long as its stamp matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The file.
    pub path: PathBuf,
    stamp: Stamp,
}

impl Snapshot {
    /// Creates a placeholder for a snapshot without a file. Its stamp never matches.
    #[must_use]
    pub fn in_memory() -> Self {
        Snapshot { path: PathBuf::new(), stamp: Stamp::default() }
    }

    /// Returns whether the file hasn't changed since it was checked.
    #[must_use]
    pub fn holds(&self) -> bool {
        Stamp::for_private_file(&self.path) == Some(self.stamp)
    }
}

/// The sealed record of a snapshot, or of the reason why it wasn't built.
#[derive(Serialize, Deserialize)]
struct Record {
    component: String,
    engine: String,
    settings: String,
    policy: String,
    /// The snapshot's digest, or the reason.
    digest: Result<String, String>,
}

/// A snapshot's state.
enum Known {
    Taken(Snapshot),
    Refused,
    Nothing,
}

impl Artifacts {
    /// Finds the snapshot of a policy with its entry's settings.
    #[must_use]
    pub fn snapshot(&self, entry: &Entry, artifact: &Artifact) -> Option<Snapshot> {
        match self.state(&artifact.component, &key(entry)) {
            Known::Taken(snapshot) => Some(snapshot),
            Known::Refused | Known::Nothing => None,
        }
    }

    /// Finds the snapshot of a policy with its entry's settings, or takes it if that is worth it.
    #[must_use]
    pub fn take_snapshot(
        &self,
        entry: &Entry,
        artifact: &Artifact,
        manifest: &Manifest,
        making: BuildOptions,
    ) -> Option<Snapshot> {
        // A snapshot would contain handles to the frozen WASI.
        if entry.wasi != Wasi::Absent {
            return None;
        }
        let key = key(entry);
        let known = |known| match known {
            Known::Taken(snapshot) => Some(Some(snapshot)),
            Known::Refused => Some(None),
            Known::Nothing => None,
        };
        if let Some(known) = known(self.state(&artifact.component, &key)) {
            return known;
        }
        let _lock = FileLock::acquire(&self.file(&artifact.component, &key, "lock"), making.deadline).ok()?;
        if let Some(known) = known(self.state(&artifact.component, &key)) {
            return known;
        }
        // The file may have changed, which would give a snapshot of another component.
        let component = Component::from_entry(entry).ok().filter(|component| component.sha256 == artifact.component)?;
        let taken = match component.wasm(making.unpack).and_then(|wasm| take(entry, &wasm, artifact, making.compile)) {
            Ok(taken) => taken,
            // The cause is the machine, so the next attempt may succeed.
            Err(fault) if fault.is_of_machine() => return None,
            Err(fault) => Err(fault.to_string()),
        };
        let path = self.file(&artifact.component, &key, "cwasm");
        let digest = match &taken {
            Ok(bytes) => {
                write_new(&path, bytes, 0o600).ok()?;
                match describes(&path, artifact) {
                    Ok(described) if described == *manifest => Ok(hex(&Sha256::digest(bytes))),
                    described => {
                        discard(&path);
                        if described.is_err_and(|fault| fault.is_of_machine()) {
                            return None;
                        }
                        Err("it describes itself otherwise".to_owned())
                    }
                }
            }
            Err(reason) => Err(reason.clone()),
        };
        let record = Record {
            component: artifact.component.clone(),
            engine: ENGINE_KEY.to_owned(),
            settings: key.clone(),
            policy: manifest.id.clone(),
            digest,
        };
        self.seal.write(PURPOSE, &self.file(&artifact.component, &key, "json"), &record).ok()?;
        self.snapshot(entry, artifact)
    }

    /// Returns whether the snapshot with this file stem can be used. `None` if it isn't the name of a snapshot.
    pub(super) fn snapshot_is_sound(&self, stem: &str) -> Option<bool> {
        let (component, key) = stem.split_once(&format!("-{ENGINE_KEY}-s"))?;
        Some(matches!(self.state(component, key), Known::Taken(_)))
    }

    fn state(&self, component: &str, key: &str) -> Known {
        let record: Option<Record> = self.seal.read(PURPOSE, &self.file(component, key, "json"));
        let is_its_own = |record: &Record| {
            (record.component.as_str(), record.engine.as_str(), record.settings.as_str())
                == (component, ENGINE_KEY, key)
        };
        let Some(record) = record.filter(is_its_own) else { return Known::Nothing };
        let Ok(digest) = record.digest else { return Known::Refused };
        let path = self.file(component, key, "cwasm");
        let usable = || {
            // The stamp is taken before the bytes are read, so that a change in between is detected later.
            let stamp = Stamp::for_private_file(&path)?;
            let sound = hex(&Sha256::digest(fs::read(&path).ok()?)) == digest && Engine::new().ok()?.map(&path).is_ok();
            sound.then_some(stamp)
        };
        match usable() {
            Some(stamp) => Known::Taken(Snapshot { path, stamp }),
            None => Known::Nothing,
        }
    }

    fn file(&self, component: &str, key: &str, extension: &str) -> PathBuf {
        self.folder.join(format!("{component}-{ENGINE_KEY}-s{key}.{extension}"))
    }
}

/// Returns the policy's name in a snapshot's record, if its seal is right.
pub(super) fn named(seal: &Seal, record: &Path) -> Option<String> {
    seal.read::<Record>(PURPOSE, record).map(|record| record.policy)
}

/// Returns whether this is the file stem of a snapshot for this engine.
pub(super) fn is_snapshot(stem: &str) -> bool {
    stem.contains(&format!("-{ENGINE_KEY}-s"))
}

/// Returns the part of a snapshot's name for its settings and limits.
fn key(entry: &Entry) -> String {
    let mut key = Sha256::new();
    key.update(format!("{} {}\0", entry.limits.time_ms, entry.limits.memory_mib));
    key.update(&entry.settings);
    let mut key = hex(&key.finalize());
    key.truncate(32);
    key
}

/// Takes and compiles a snapshot. Returns its bytes, or the reason why it isn't worth it.
///
/// # Errors
///
/// The reason why there can be no snapshot.
fn take(
    entry: &Entry,
    wasm: &[u8],
    artifact: &Artifact,
    compile: Compile,
) -> Result<Result<Vec<u8>, String>, FaultKind> {
    let engine = Engine::new()?;
    let policy = artifact.policy(&engine)?;
    with_clock(&engine, || {
        let cost = policy.measure_configure(entry.limits, &entry.settings, RUNS)?;
        if cost < WORTH {
            return Ok(Err(format!("`configure` takes {} us", cost.as_micros())));
        }
        compile(&engine.snapshot(wasm, entry.limits, &entry.settings, compile)?).map(Ok)
    })
}

/// Reads the manifest from a snapshot.
fn describes(snapshot: &Path, artifact: &Artifact) -> Result<Manifest, FaultKind> {
    let engine = Engine::new()?;
    let policy = engine.load(&engine.map(snapshot)?, &artifact.interface, artifact.wasi)?;
    with_clock(&engine, || policy.describe(Limits::PREPARE))
}
