//! [`Prepared`]: a chain with nothing left to parse, compile or validate, sealed in one file for each state of the
//! configuration.
//!
//! The file lists every file that it depends on, including this program, with its stamp. If one of them has changed,
//! the chain is prepared again.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::artifact::{Artifact, ArtifactLocation, Artifacts, BuildOptions, BuiltArtifact, discard, with_clock};
use super::component::Component;
use super::folders;
use super::prune;
use super::salvage;
use super::snapshot::Snapshot;
use crate::{embedded, examples};
use guard_config::{Config, Overrides};
use guard_contract::call::{COMMON_TOOLS, OTHER_TOOLS};
use guard_contract::paths::PATH_BYTES;
use guard_contract::policy::{Entry, SettingsSource, Source, covers};
use guard_contract::{FaultKind, Manifest, Problem, Wasi};
use guard_engine::{ENGINE_KEY, Engine};
use guard_state::AppDirs;
use guard_state::Seal;
use guard_state::make_private;
use guard_state::{FileState, hex};

/// Incremented whenever the format of [`Prepared`] changes.
const PURPOSE: &str = "prepared chain 19";

/// The maximum number of times that the configuration is read again until it names the same files.
const LOADS: usize = 4;

/// The number of bytes of a configuration's digest in a line of the log.
const POLICIES_BYTES: usize = 8;

/// A chain that is ready to be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prepared {
    /// The configuration. Its entries are in `members`.
    pub config: Config,
    /// The policies, in the order of the chain.
    pub members: Vec<Member>,
    inputs: Vec<(PathBuf, FileState)>,
}

/// One policy of a prepared chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// The policy's entry in the configuration.
    pub entry: Entry,
    /// Whether it can be asked.
    pub readiness: Readiness,
}

/// Whether a policy can be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "nearly all are ready, and a chain holds a dozen at most")]
pub enum Readiness {
    /// It can be asked.
    Ready {
        /// The artifact to map.
        artifact: Artifact,
        /// The snapshot to map instead of the artifact, so that `configure` needn't be called.
        snapshot: Option<Snapshot>,
        /// The policy's manifest.
        manifest: Manifest,
    },
    /// It can't be asked, for this reason.
    Broken(FaultKind),
}

impl Member {
    fn snapshot(&self) -> Option<&Snapshot> {
        match &self.readiness {
            Readiness::Ready { snapshot, .. } => snapshot.as_ref(),
            Readiness::Broken(_) => None,
        }
    }
}

impl Prepared {
    /// Opens the chain that was prepared for these projects, without the texts of its manifests, if nothing that it
    /// depends on has changed.
    #[must_use]
    pub fn open(dirs: &AppDirs, program: &Path, projects: &[String]) -> Option<Self> {
        Self::open_with(dirs, program, projects, &Overrides::default())
    }

    /// Like [`Prepared::open`], for a hook with overrides on its command line.
    #[must_use]
    pub fn open_with(dirs: &AppDirs, program: &Path, projects: &[String], overrides: &Overrides) -> Option<Self> {
        let projects = effective(projects);
        let seal = Seal::open(&dirs.state).ok()?;
        let prepared = Prepared::read(&seal, &file(dirs, program, &projects, overrides))?;
        prepared.is_current(dirs).then_some(prepared)
    }

    /// Returns whether nothing that the chain depends on has changed.
    #[must_use]
    pub fn is_current(&self, dirs: &AppDirs) -> bool {
        folders::private_artifacts(&dirs.cache).is_ok() && self.holds()
    }

    /// Creates a chain whose policies are in memory, for tests of policies. It is never saved.
    #[must_use]
    pub fn in_memory(config: Config, members: Vec<Member>) -> Self {
        Prepared { config, members, inputs: Vec::new() }
    }

    /// Returns a chain of one policy, which needn't be in this chain.
    #[must_use]
    pub fn only(&self, member: Member) -> Self {
        Prepared { members: vec![member], ..self.clone() }
    }

    /// Returns the digest of everything that decides calls: this program's version, the policies and their settings,
    /// and the configuration.
    fn digest(&self) -> String {
        let manifests = self.members.iter().map(|member| match &member.readiness {
            Readiness::Ready { artifact, manifest, .. } => {
                let file = artifact.path().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
                (manifest.id.clone(), manifest.version.clone(), file.unwrap_or_default())
            }
            Readiness::Broken(_) => Default::default(),
        });
        let manifests: Vec<(String, String, String)> = manifests.collect();
        let entries: Vec<&Entry> = self.members.iter().map(|member| &member.entry).collect();
        // The digest is the same in every project without its own file.
        let config =
            Config { inputs: Vec::new(), projects: Vec::new(), ineffective: Vec::new(), ..self.config.clone() };
        let whole = (env!("CARGO_PKG_VERSION"), config, entries, manifests);
        let bytes = postcard::to_stdvec(&whole).unwrap_or_default();
        hex(Sha256::digest(bytes).get(..POLICIES_BYTES).unwrap_or_default())
    }

    /// Reads a sealed chain. It isn't in JSON, because every call reads it and this format takes a third of the bytes.
    pub(super) fn read(seal: &Seal, path: &Path) -> Option<Self> {
        postcard::from_bytes(&seal.read_bytes(&purpose(path), path)?).ok()
    }

    fn holds(&self) -> bool {
        self.inputs.iter().all(|(path, stamp)| FileState::read(path) == *stamp)
            && self.artifacts().all(Artifact::holds)
            && self.snapshots().all(Snapshot::holds)
    }

    fn save(&self, dirs: &AppDirs, path: &Path, seal: &Seal) {
        // Without the file, the next call prepares the chain again. There is no way to report the error.
        if path.parent().is_none_or(|folder| make_private(folder).is_err()) {
            return;
        }
        if let Ok(bytes) = postcard::to_stdvec(&self.slim()) {
            let _ = seal.write_bytes(&purpose(path), path, &bytes);
        }
        prune::all(dirs, seal, self.config.cache_bytes);
    }

    fn artifacts(&self) -> impl Iterator<Item = &Artifact> {
        self.members.iter().filter_map(|member| match &member.readiness {
            Readiness::Ready { artifact, .. } => Some(artifact),
            Readiness::Broken(_) => None,
        })
    }

    fn snapshots(&self) -> impl Iterator<Item = &Snapshot> {
        self.members.iter().filter_map(Member::snapshot)
    }

    /// Returns the files that are mapped.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let artifacts = self.artifacts().filter_map(Artifact::path).map(Path::to_path_buf);
        artifacts.chain(self.snapshots().map(|snapshot| snapshot.path.clone()))
    }

    /// Returns the chain without texts that calls don't need, which would otherwise be read and parsed at each call.
    fn slim(&self) -> Self {
        let mut slim = self.clone();
        for member in &mut slim.members {
            if let Readiness::Ready { manifest, .. } = &mut member.readiness {
                manifest.summary.clear();
                manifest.grants.clear();
                manifest.examples.clear();
                manifest.rules.iter_mut().for_each(|rule| rule.summary.clear());
            }
        }
        slim
    }

    /// Returns whether a policy isn't compiled yet.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.members.iter().any(|member| matches!(member.readiness, Readiness::Broken(FaultKind::NotReady)))
    }

    /// Returns whether the chain can be saved: each policy is ready, or broken in a way that depends neither on time
    /// nor on other processes. Any other chain is prepared again for each call.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let is_settled = |member: &Member| match &member.readiness {
            Readiness::Broken(fault) => !fault.is_of_machine() && *fault != FaultKind::NotReady,
            _ => true,
        };
        self.members.iter().all(is_settled)
    }
}

/// Loads the configuration, and finds or builds everything that its chain needs. A policy that can't be built becomes a
/// broken member.
///
/// Without `making`, nothing is compiled, and a third-party policy that isn't compiled yet is [`FaultKind::NotReady`].
/// Uses existing snapshots, but doesn't take new ones, unlike [`warm`].
#[must_use]
pub fn prepare(dirs: &AppDirs, program: &Path, projects: &[String], making: Option<BuildOptions>) -> Prepared {
    prepare_for(dirs, program, projects, &Overrides::default(), making)
}

/// Like [`prepare`], for a hook with overrides on its command line.
#[must_use]
pub fn prepare_for(
    dirs: &AppDirs,
    program: &Path,
    projects: &[String],
    overrides: &Overrides,
    making: Option<BuildOptions>,
) -> Prepared {
    let find =
        |artifacts: &Artifacts, entry: &Entry, artifact: &Artifact, _: &Manifest| artifacts.snapshot(entry, artifact);
    prepare_with(dirs, program, projects, overrides, making, find)
}

/// Like [`prepare`], but also takes worthwhile snapshots and unpacks the script analyzer. For commands, which have more
/// time than a hook.
#[must_use]
pub fn warm(dirs: &AppDirs, program: &Path, projects: &[String], making: BuildOptions) -> Prepared {
    embedded::keep(dirs);
    let take = |artifacts: &Artifacts, entry: &Entry, artifact: &Artifact, manifest: &Manifest| {
        artifacts.take_snapshot(entry, artifact, manifest, making)
    };
    prepare_with(dirs, program, projects, &Overrides::default(), Some(making), take)
}

/// Deletes cached files with the settings of a policy's entry that was changed or removed: chains with it, and
/// snapshots that no chain needs. `now` is the new chain.
pub fn forget(dirs: &AppDirs, name: &str, now: &Prepared) {
    let Ok(seal) = Seal::open(&dirs.state) else { return };
    let mut kept: BTreeSet<PathBuf> = now.files().collect();
    let folder = folders::chains(&dirs.cache);
    for file in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let Some(chain) = Prepared::read(&seal, &file.path()) else { continue };
        let is_of_it = |member: &Member| member.entry.name == name;
        if chain.holds() {
            kept.extend(chain.files());
            continue;
        }
        // Other projects keep the snapshots of their other policies.
        let others = chain.members.iter().filter(|member| !is_of_it(member));
        kept.extend(others.filter_map(Member::snapshot).map(|snapshot| snapshot.path.clone()));
        if chain.members.iter().any(is_of_it) {
            discard(&file.path());
        }
    }
    prune::snapshots(&folders::artifacts(&dirs.cache), &kept);
}

fn prepare_with(
    dirs: &AppDirs,
    program: &Path,
    projects: &[String],
    overrides: &Overrides,
    making: Option<BuildOptions>,
    snapshot_of: impl Fn(&Artifacts, &Entry, &Artifact, &Manifest) -> Option<Snapshot>,
) -> Prepared {
    let projects = effective(projects);
    let (mut config, inputs) = stamped(|| {
        let mut config = guard_config::load_with(dirs, &projects, overrides);
        config.tell_places(dirs, program);
        config.inputs.push(program.to_path_buf());
        config
    });
    let entries = std::mem::take(&mut config.entries);
    let opened = Seal::open(&dirs.state)
        .map_err(|error| error.to_string())
        .and_then(|seal| Ok((Artifacts::open(&dirs.cache, seal.clone()).map_err(|error| error.to_string())?, seal)));
    let opened = opened.map_err(FaultKind::Artifact);
    let artifacts = opened.as_ref().map(|(artifacts, _)| artifacts);
    let made = make_all(artifacts, &entries, making);
    let members = entries.into_iter().zip(made).map(|(entry, made)| Member { entry, readiness: made.into() }).collect();
    let mut prepared = Prepared { config, members, inputs };
    prepared.config.audit.policies = prepared.digest();
    prepared.members.iter_mut().for_each(break_unasked);
    for member in &mut prepared.members {
        let Readiness::Ready { artifact, snapshot, manifest } = &mut member.readiness else { continue };
        match run_examples(artifact, manifest) {
            Ok(()) => {
                salvage::usual_settings(&mut member.entry, artifact);
                *snapshot = artifacts.ok().and_then(|found| snapshot_of(found, &member.entry, artifact, manifest));
            }
            Err(fault) => member.readiness = Readiness::Broken(fault),
        }
    }
    if let Ok((_, seal)) = &opened
        && prepared.is_settled()
    {
        prepared.save(dirs, &file(dirs, program, &projects, overrides), seal);
    }
    prepared
}

/// Loads a configuration with the stamps of its files from before they were read, so that the next call detects files
/// that change meanwhile. The list of files is only known after reading them, so they are read twice.
fn stamped(mut load: impl FnMut() -> Config) -> (Config, Vec<(PathBuf, FileState)>) {
    let mut known = load();
    for _ in 0..LOADS {
        let inputs = known.inputs.iter().map(|path| (path.clone(), FileState::read(path))).collect();
        let mut config = load();
        if config.inputs == known.inputs {
            config.inputs.clear();
            return (config, inputs);
        }
        known = config;
    }
    // The list of files keeps changing. An impossible stamp makes the next call load them again.
    let inputs = known.inputs.drain(..).map(|path| (path, FileState::Unreadable(0))).collect();
    (known, inputs)
}

impl From<Result<BuiltArtifact, FaultKind>> for Readiness {
    fn from(made: Result<BuiltArtifact, FaultKind>) -> Self {
        match made {
            Ok(BuiltArtifact { artifact, manifest }) => Readiness::Ready { artifact, snapshot: None, manifest },
            Err(fault) => Readiness::Broken(fault),
        }
    }
}

/// Finds or builds the artifacts of entries, in parallel if some must be built.
fn make_all(
    artifacts: Result<&Artifacts, &FaultKind>,
    entries: &[Entry],
    making: Option<BuildOptions>,
) -> Vec<Result<BuiltArtifact, FaultKind>> {
    let make = |entry: &Entry| made(artifacts, &Component::from_entry(entry)?, entry.wasi, making);
    let is_carried = |entry: &Entry| matches!(entry.source, Source::Builtin(_));
    if making.is_none() || entries.iter().all(is_carried) {
        return entries.iter().map(make).collect();
    }
    let died = || Err(FaultKind::Artifact("the compiler failed".to_owned()));
    thread::scope(|scope| {
        let make = &make;
        let started: Vec<_> = entries
            .iter()
            .map(|entry| (entry, thread::Builder::new().spawn_scoped(scope, move || make(entry)).ok()))
            .collect();
        let join = |(entry, thread): (&Entry, Option<ScopedJoinHandle<'_, _>>)| match thread {
            Some(thread) => thread.join().unwrap_or_else(|_| died()),
            // No thread can be started, so this one does it.
            None => make(entry),
        };
        started.into_iter().map(join).collect()
    })
}

/// Embedded policies need no folder, so that they also work in a read-only home.
fn made(
    artifacts: Result<&Artifacts, &FaultKind>,
    component: &Component,
    wasi: Wasi,
    making: Option<BuildOptions>,
) -> Result<BuiltArtifact, FaultKind> {
    match (artifacts, making) {
        (Err(fault), _) => BuiltArtifact::embedded(&component.sha256, wasi).ok_or_else(|| fault.clone()),
        (Ok(artifacts), Some(making)) => artifacts.ensure(component, wasi, making),
        (Ok(artifacts), None) => artifacts.find(&component.sha256, wasi).ok_or(FaultKind::NotReady),
    }
}

/// Runs the examples of a policy.
///
/// # Errors
///
/// The first example that fails.
pub fn run_examples(artifact: &Artifact, manifest: &Manifest) -> Result<(), FaultKind> {
    // The built-in policies' examples are run by their tests.
    if manifest.examples.is_empty() || artifact.place == ArtifactLocation::Carried {
        return Ok(());
    }
    let engine = Engine::new()?;
    let policy = artifact.policy(&engine)?;
    let analyzer = embedded::analyzer(&engine);
    with_clock(&engine, || examples::check(&policy, manifest, &analyzer))
}

/// Marks a policy as broken if it handles none of the tools in its entry, so that it would never be asked. Being
/// broken, it is asked about all tools that it handles.
fn break_unasked(member: &mut Member) {
    let Readiness::Ready { manifest, .. } = &member.readiness else { return };
    let Some(tools) = member.entry.tools.as_deref() else { return };
    let named = COMMON_TOOLS.iter().chain(&OTHER_TOOLS).copied();
    let mut all = named.chain(tools.iter().chain(&manifest.tools).map(String::as_str));
    if !all.any(|tool| covers(manifest, Some(tools), tool)) {
        let handled = manifest.tools.join(", ");
        let source = member.entry.settings_source.clone();
        let text = format!("`tools` names none of those that it handles, which are {handled}");
        let problem = Problem {
            hint: "name one of these, or leave `tools` out".to_owned(),
            ..guard_config::refused_settings(&member.entry, &text)
        };
        member.entry.tools = None;
        member.entry.settings_source = SettingsSource { problem: Some(problem), is_usual: false, ..source };
    }
}

/// Returns the projects that a chain depends on: those with their own file. All others share one chain.
#[must_use]
pub fn effective(projects: &[String]) -> Vec<String> {
    let has_file = |root: &&String| {
        let is_missing = || FileState::read(&AppDirs::project_file(root)) == FileState::Missing;
        !root.is_empty() && root.len() <= PATH_BYTES && !is_missing()
    };
    projects.iter().filter(has_file).cloned().collect()
}

/// Returns the file for a state of the configuration. Its name depends on everything that can differ without a file
/// changing.
fn file(dirs: &AppDirs, program: &Path, projects: &[String], overrides: &Overrides) -> PathBuf {
    let mut key = Sha256::new();
    let paths = [&dirs.managed, &dirs.config, &dirs.state, program];
    let paths = paths.iter().map(|path| path.to_string_lossy());
    let names = [ENGINE_KEY, &dirs.home].into_iter().chain(projects.iter().map(String::as_str));
    let settings = overrides.settings.iter().map(|folder| folder.to_string_lossy());
    // An empty part separates lists, so that different lists give different names.
    let between = || std::iter::once(Cow::Borrowed(""));
    let overrides = between().chain(overrides.builtins().map(Cow::Borrowed)).chain(between()).chain(settings);
    for part in paths.chain(names.map(Cow::Borrowed)).chain(overrides) {
        key.update(part.as_bytes());
        key.update(b"\0");
    }
    folders::chains(&dirs.cache).join(format!("{}.chain", hex(&key.finalize())))
}

/// Returns the purpose of a chain's seal. It includes the file's name, so that one chain can't replace another.
fn purpose(path: &Path) -> String {
    format!("{PURPOSE} {}", path.file_name().unwrap_or_default().display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_while_it_is_read_is_no_stamp_of_what_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("guard.toml");
        let write = |text: String| fs::write(&file, text).unwrap();
        write("text 0".to_owned());
        for changes in [0, 1, 2, 3, 100] {
            let mut loads = 0;
            let (config, inputs) = stamped(|| {
                let read = fs::read_to_string(&file).unwrap();
                loads += 1;
                if loads <= changes {
                    write(format!("text {changes}, after {loads} loads"));
                }
                Config {
                    locked: vec![read],
                    inputs: vec![file.clone()],
                    ..Config::bare(&AppDirs::under_home("/home/u"))
                }
            });
            let is_current = inputs.iter().all(|(path, stamp)| FileState::read(path) == *stamp);
            let is_newest = config.locked == [fs::read_to_string(&file).unwrap()];
            assert!(is_newest || !is_current, "{changes} changes: {config:?}");
            // Files that don't change aren't read again at each call.
            assert!(is_current || changes > 0);
        }
    }

    #[test]
    fn what_names_other_files_each_time_is_looked_at_again() {
        let mut loads = 0;
        let (_, inputs) = stamped(|| {
            loads += 1;
            let file = PathBuf::from(format!("/nowhere/{loads}"));
            Config { inputs: vec![file], ..Config::bare(&AppDirs::under_home("/home/u")) }
        });
        assert!(loads <= 5 && inputs.iter().all(|(path, stamp)| FileState::read(path) != *stamp));
    }
}
