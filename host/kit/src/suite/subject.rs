//! [`Subject`]: the policy or chain under test, compiled once.
//!
//! If the cache can't be written, components are compiled in memory.

use std::fs;
use std::path::Path;

use super::Suite;
use crate::compile::{FEATURE, compile, making};
use guard_config::Config;
use guard_contract::Layer;
use guard_contract::grants::GrantSpec;
use guard_contract::policy::{Entry, Source};
use guard_contract::{FaultKind, Interface, Limits, Wasi};
use guard_contract::{Manifest, Problem};
use guard_engine::clock::Clock;
use guard_engine::{Analyzer, Engine, Policy};
use guard_hook::cache::{Artifact, Artifacts, BuiltArtifact, Component, Member, Prepared, Readiness, Snapshot};
use guard_hook::chain::Chain;
use guard_hook::{embedded, examples};
use guard_state::AppDirs;
use guard_state::Seal;

/// The policy or chain under test.
#[derive(Debug)]
pub struct Subject {
    engine: Engine,
    config: Config,
    members: Vec<Member>,
    policies: Vec<Policy>,
    analyzer: Analyzer,
    /// Whether it is the whole chain, whose settings come from the configuration.
    is_chain: bool,
    _clock: Clock,
}

/// The error if nothing can be tested.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct SubjectError {
    /// The error.
    pub text: String,
    /// The fix. Empty if none is known.
    pub hint: String,
    /// The kind of error.
    pub kind: SubjectErrorKind,
}

/// The cause of the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectErrorKind {
    /// No such file or built-in policy.
    Missing,
    /// Not a valid policy.
    Policy,
    /// The chain's configuration is invalid.
    Config,
    /// This program or machine can't run the test.
    Machine,
}

impl SubjectError {
    pub(crate) fn new(kind: SubjectErrorKind, text: impl Into<String>, hint: impl Into<String>) -> Self {
        SubjectError { text: text.into(), hint: hint.into(), kind }
    }

    pub(crate) fn from_machine_fault(fault: &FaultKind) -> Self {
        SubjectError::new(SubjectErrorKind::Machine, fault.to_string(), fault.remedy().unwrap_or_default())
    }
}

impl Subject {
    /// Loads one policy, for all tools in its manifest: a built-in, or a component file.
    ///
    /// # Errors
    ///
    /// There is no such policy, or it isn't valid.
    pub fn policy(name: &str, wasi: Wasi, cwd: &Path, dirs: &AppDirs) -> Result<Self, SubjectError> {
        let entry = find_entry(name, wasi, cwd)?;
        Subject::load(Config::bare(dirs), vec![entry], false, dirs)
    }

    /// Loads the chain for these projects.
    ///
    /// # Errors
    ///
    /// The configuration or one of the policies isn't valid.
    pub fn chain(dirs: &AppDirs, program: &Path, projects: &[String]) -> Result<Self, SubjectError> {
        let mut config = guard_config::load(dirs, projects);
        if let Some(problem) = config.problems.first() {
            return Err(SubjectError::new(SubjectErrorKind::Config, problem.to_string(), problem.hint.clone()));
        }
        config.tell_places(dirs, program);
        let mut entries = std::mem::take(&mut config.entries);
        // Each case's world has its own project, to which the files belong.
        entries.iter_mut().for_each(|entry| entry.project.clear());
        Subject::load(config, entries, true, dirs)
    }

    fn load(config: Config, entries: Vec<Entry>, is_chain: bool, dirs: &AppDirs) -> Result<Self, SubjectError> {
        let workshop = ComponentLoader::open(dirs).map_err(|fault| SubjectError::from_machine_fault(&fault))?;
        let engine = workshop.engine.clone();
        let clock = Clock::start(engine.clone());
        let analyzer = workshop.analyzer().map_err(|fault| SubjectError::from_machine_fault(&fault))?;
        let (mut members, mut policies) = (Vec::new(), Vec::new());
        for entry in entries {
            let made = workshop.policy(&entry).and_then(|(policy, artifact, manifest)| {
                examples::check(&policy, &manifest, &Ok(analyzer.clone()))?;
                Ok((policy, artifact, manifest))
            });
            let (policy, artifact, manifest) = made.map_err(|fault| unusable(&entry, &fault))?;
            let grants = if is_chain { entry.grants } else { GrantSpec::from_wishes(&manifest.grants) };
            let entry = Entry { grants, ..entry };
            members.push(Member { entry, readiness: Readiness::Ready { artifact, snapshot: None, manifest } });
            policies.push(policy);
        }
        Ok(Subject { engine, config, members, policies, analyzer, is_chain, _clock: clock })
    }

    /// Returns the chain for a suite: the policy with the suite's settings, or the whole chain.
    ///
    /// # Errors
    ///
    /// The policy rejects its settings, or the suite has settings for a whole chain.
    pub fn chain_for_suite(&self, suite: &Suite) -> Result<Chain, SubjectError> {
        let fail = |text: String, hint: &str| Err(SubjectError::new(SubjectErrorKind::Policy, text, hint));
        if self.is_chain && !suite.settings.is_empty() {
            return fail(
                "`settings` are those of one policy, and `chain` has its own".to_owned(),
                "name the policy instead of `chain`, or put the settings into guard.toml",
            );
        }
        let mut members = self.members.clone();
        for (member, policy) in members.iter_mut().zip(&self.policies) {
            let entry = &mut member.entry;
            if !self.is_chain {
                entry.settings = serde_json::Value::Object(suite.settings.clone()).to_string();
            }
            if let Err(fault) = policy.configure(entry.limits, &entry.settings) {
                return match fault {
                    fault if fault.is_of_machine() => Err(unusable(entry, &fault)),
                    FaultKind::Refused { text, .. } if self.is_chain => {
                        let Problem { place, text, hint, .. } = guard_config::refused_settings(entry, &text);
                        fail(format!("{place}: policy `{}`: {text}", entry.name), &hint)
                    }
                    FaultKind::Refused { text, .. } => {
                        fail(format!("`{}` refuses its settings: {text}", entry.name), "correct `settings`")
                    }
                    fault => fail(
                        format!("`{}` fails over its settings: {}", entry.name, fault.under(entry.limits)),
                        "a policy refuses settings that it cannot use with an error; its `configure` does not end",
                    ),
                };
            }
        }
        let prepared = Prepared::in_memory(self.config.clone(), members);
        Ok(Chain::loaded(self.engine.clone(), prepared, self.policies.clone()))
    }

    /// Returns the chain for a suite like [`Subject::chain_for_suite`], with every policy as a snapshot.
    ///
    /// # Errors
    ///
    /// Errors of [`Subject::chain_for_suite`], or no snapshot can be taken of a policy.
    pub fn chain_of_snapshots(&self, suite: &Suite) -> Result<Chain, SubjectError> {
        let mut prepared = self.chain_for_suite(suite)?.prepared;
        let mut policies = Vec::with_capacity(prepared.members.len());
        for Member { entry, readiness } in &mut prepared.members {
            let captured = Component::from_entry(entry)
                .and_then(|component| {
                    self.engine.snapshot(
                        &component.wasm(guard_builtins::component)?,
                        entry.limits,
                        &entry.settings,
                        compile,
                    )
                })
                .and_then(|captured| load(&self.engine, &compile(&captured)?, entry.wasi));
            let (policy, _) = captured.map_err(|fault| unusable(entry, &fault))?;
            policies.push(policy);
            if let Readiness::Ready { snapshot, .. } = readiness {
                *snapshot = Some(Snapshot::in_memory());
            }
        }
        Ok(Chain::loaded(self.engine.clone(), prepared, policies))
    }

    /// Returns the chains' analyzer.
    #[must_use]
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// Returns the manifests, each with its policy's name in the chain.
    pub fn manifests(&self) -> impl Iterator<Item = (&str, &Manifest)> {
        self.members.iter().filter_map(|member| match &member.readiness {
            Readiness::Ready { manifest, .. } => Some((member.entry.name.as_str(), manifest)),
            Readiness::Broken(_) => None,
        })
    }
}

/// Returns the entry of a built-in or component file, for all tools in its manifest.
///
/// # Errors
///
/// There is no such built-in and no such file.
pub(crate) fn find_entry(name: &str, wasi: Wasi, cwd: &Path) -> Result<Entry, SubjectError> {
    let entry = match guard_builtins::find(name) {
        Some(builtin) => guard_config::builtin_entry(builtin, Layer::User),
        None => read_settings(name, &cwd.join(name))?,
    };
    Ok(Entry { tools: None, wasi, ..entry })
}

/// Returns the entry of a component file that isn't in a configuration.
fn read_settings(name: &str, path: &Path) -> Result<Entry, SubjectError> {
    if let Err(error) = fs::metadata(path) {
        let names: Vec<&str> = guard_builtins::all().iter().map(|builtin| builtin.name).collect();
        return Err(SubjectError::new(
            SubjectErrorKind::Missing,
            format!("`{name}` is neither a built-in policy nor a readable file: {error}"),
            format!("give a component file, or one of {}; `test` also takes `chain`", names.join(", ")),
        ));
    }
    let stem = path.file_stem().map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned());
    Ok(guard_config::unconfigured(stem, Source::File(path.to_path_buf()), Layer::User))
}

/// Creates the error for a policy that can't be used, with a hint for its author.
fn unusable(entry: &Entry, fault: &FaultKind) -> SubjectError {
    let hint = match fault {
        FaultKind::Contract(text) if text.ends_with("but a core module") => {
            "build it for wasm32-wasip2, or make a component of it with `wasm-tools component new`"
        }
        FaultKind::Contract(text) if text.starts_with(FEATURE) => "",
        FaultKind::Contract(_) => "rebuild it against this contract; `guard-host policy wit DIR` writes the WIT files",
        FaultKind::Example(_) => "the host refuses a policy that fails its own examples: correct one of the two",
        _ => "",
    };
    let name = match &entry.source {
        Source::Builtin(_) => entry.name.clone(),
        Source::File(path) => path.display().to_string(),
    };
    let text = format!("`{name}` cannot be used: {}", fault.under(Limits::PREPARE));
    let kind = if fault.is_of_machine() { SubjectErrorKind::Machine } else { SubjectErrorKind::Policy };
    SubjectError::new(kind, text, fault.remedy().unwrap_or_else(|| hint.to_owned()))
}

/// Opens the user's artifacts, if there is a folder for them.
fn artifacts(dirs: &AppDirs) -> Option<Artifacts> {
    Artifacts::open(&dirs.cache, Seal::open(&dirs.state).ok()?).ok()
}

/// Loads components from the user's artifacts, or compiles them in memory.
pub(crate) struct ComponentLoader {
    /// The engine that runs the components.
    pub(crate) engine: Engine,
    artifacts: Option<Artifacts>,
}

impl ComponentLoader {
    /// # Errors
    ///
    /// This machine can't compile components.
    pub(crate) fn open(dirs: &AppDirs) -> Result<Self, FaultKind> {
        let engine = embedded::engine_for_many_replies(dirs)?;
        Ok(ComponentLoader { engine, artifacts: artifacts(dirs) })
    }

    fn policy(&self, entry: &Entry) -> Result<(Policy, Artifact, Manifest), FaultKind> {
        let component = Component::from_entry(entry)?;
        if let Some(BuiltArtifact { artifact, manifest }) = self.cached(&component, entry.wasi)? {
            let policy = artifact.policy(&self.engine)?;
            return Ok((policy, artifact, manifest));
        }
        let (policy, interface) = self.compile(&component.wasm(guard_builtins::component)?, entry.wasi)?;
        let manifest = policy.describe(Limits::PREPARE)?;
        Ok((policy, Artifact::in_memory(component.sha256, interface, entry.wasi), manifest))
    }

    /// Loads the analyzer.
    ///
    /// # Errors
    ///
    /// The analyzer is missing or can't be used.
    pub(crate) fn analyzer(&self) -> Result<Analyzer, FaultKind> {
        embedded::analyzer(&self.engine)
    }

    /// Compiles and links a policy in memory.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Contract`] if `wasm` isn't a valid component or policy.
    pub(crate) fn compile(&self, wasm: &[u8], wasi: Wasi) -> Result<(Policy, Interface), FaultKind> {
        load(&self.engine, &compile(wasm)?, wasi)
    }

    /// Returns the embedded artifact, or the one in the user's cache. `None` if there is no such cache, or it can't be
    /// used now.
    fn cached(&self, component: &Component, wasi: Wasi) -> Result<Option<BuiltArtifact>, FaultKind> {
        if let Some(made) = BuiltArtifact::embedded(&component.sha256, wasi) {
            return Ok(Some(made));
        }
        let Some(artifacts) = &self.artifacts else { return Ok(None) };
        match artifacts.ensure(component, wasi, making()) {
            Ok(made) => Ok(Some(made)),
            Err(fault) if fault.is_of_machine() => Ok(None),
            Err(fault) => Err(fault),
        }
    }
}

/// Links a compiled artifact.
fn load(engine: &Engine, artifact: &[u8], wasi: Wasi) -> Result<(Policy, Interface), FaultKind> {
    let code = engine.read(artifact)?;
    let interface = engine.interface(&code);
    Ok((engine.load(&code, &interface, wasi)?, interface))
}
