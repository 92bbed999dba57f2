//! The configurations or policies that decide the calls.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Against;
use super::revision::{is_of_project, read_settings, revision};
use crate::cli::subject::{call_context, complete_trace, exit_error, open};
use guard_config::trust::{self, TrustError};
use guard_config::{Trust, candidate, load};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::exit::Exit;
use guard_contract::verdict::Verdict;
use guard_contract::{Outcome, Wasi, rank};
use guard_engine::Engine;
use guard_engine::clock::Clock;
use guard_facts::Facts;
use guard_hook::audit::{Decision, RepeatedDecision};
use guard_hook::cache::{Prepared, effective};
use guard_hook::chain::{AskOptions, Chain, Trace};
use guard_hook::embedded;
use guard_hook::undo::Copy;
use guard_kit::suite::{Subject, Suite};
use guard_platform::paths::native;
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// The description of a policy as a side.
pub(super) const POLICY: &str = "a policy";

/// The maximum number of folders whose chains are cached.
const CHAINS: usize = 1024;

/// A policy or configuration that decides calls.
pub(super) struct Side {
    kind: Kind,
    /// How the argument of `--against` was interpreted. Empty for the configuration here.
    pub(super) read_as: &'static str,
    _clock: Option<Clock>,
}

enum Kind {
    Configuration(Box<Configuration>),
    /// A single policy. The subject keeps its clock running.
    Policy {
        chain: Arc<Chain>,
        _subject: Box<Subject>,
    },
}

/// The chains of a configuration.
struct Configuration {
    dirs: AppDirs,
    program: PathBuf,
    engine: Engine,
    moved: Option<RelocatedProject>,
    /// The chains, by the folders of a call.
    kept: Mutex<HashMap<Vec<String>, Arc<Chain>>>,
}

/// A project whose configuration is read from another folder.
#[derive(Clone)]
struct RelocatedProject {
    project: String,
    folder: String,
    /// Whether the files are from a revision, which is an earlier state.
    is_revision: bool,
}

impl Side {
    /// Returns the side of this machine's configuration, or of the user's configuration given on the command line.
    pub(super) fn local(dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Self> {
        match selected_policy(dirs) {
            Some(policy) => Side::policy(policy, dirs, environment),
            None => {
                let project = call_context(environment, None).project_root;
                Side::configuration(dirs.clone(), environment, &project, None)
            }
        }
    }

    /// Returns the side given with `--against`. `scratch` is the folder for the files of a revision.
    pub(super) fn second(
        Against { name, is_managed }: Against<'_>,
        dirs: &AppDirs,
        environment: &Environment,
        project: &str,
        scratch: &Path,
    ) -> anyhow::Result<Self> {
        if is_policy(name) != selected_policy(dirs).is_some() {
            let hint = "give both `--config` and `--against` a policy, or neither";
            return Err(exit_error(Exit::Usage, "a policy and a configuration cannot be compared", hint));
        }
        if is_policy(name) {
            return Side::policy(name, dirs, environment);
        }
        let path = Path::new(name);
        if is_managed {
            let managed = native(&environment.cwd).join(path);
            if !managed.is_file() {
                return Err(exit_error(Exit::NoInput, format!("there is no file `{name}`"), ""));
            }
            let dirs = AppDirs { managed, ..dirs.clone() };
            let side = Side::configuration(dirs, environment, project, None)?;
            return Ok(Side { read_as: "the managed file", ..side });
        }
        let folder = scratch.join("project");
        let is_revision = !path.is_file();
        if path.is_file() {
            let config = native(&environment.cwd).join(path);
            if !is_of_project(&config) {
                let dirs = AppDirs { config, ..dirs.clone() };
                let side = Side::configuration(dirs, environment, project, None)?;
                return Ok(Side { read_as: "your own guard.toml", ..side });
            }
            read_settings(&config, &folder)?;
        } else if name.ends_with(".toml") {
            return Err(exit_error(Exit::NoInput, format!("there is no file `{name}`"), ""));
        } else {
            revision(name, project, &folder)?;
        }
        let folder = folder.to_string_lossy().into_owned();
        let side = Side::relocated(
            RelocatedProject { project: project.to_owned(), folder, is_revision },
            dirs,
            environment,
            scratch,
        )?;
        let read_as = if is_revision { "a revision of this project" } else { "this project's guard.toml" };
        Ok(Side { read_as, ..side })
    }

    /// Returns the side of the project's configuration in another folder.
    fn relocated(
        moved: RelocatedProject,
        dirs: &AppDirs,
        environment: &Environment,
        scratch: &Path,
    ) -> anyhow::Result<Self> {
        let project = moved.project.as_str();
        let file = AppDirs::project_file(project);
        let is_held = |(path, trust): &(PathBuf, Trust)| *path == file && *trust == Trust::Held;
        if !load(dirs, &[project.to_owned()]).projects.iter().any(is_held) {
            let project = project.to_owned();
            return Side::configuration(dirs.clone(), environment, &project, Some(moved));
        }
        // The current configuration is trusted, so the other one is compared as if it were. It never decides an agent's
        // calls.
        let failed = |error: TrustError| exit_error(Exit::Config, format!("the other revision: {error}"), "");
        let folder = scratch.join("trust");
        trust::copy(dirs, &folder).map_err(failed)?;
        let dirs = AppDirs { trust: folder, ..dirs.clone() };
        let candidate = candidate(&dirs, &moved.folder).map_err(failed)?;
        trust::trust(&dirs, &moved.folder, &candidate.pins).map_err(failed)?;
        let project = project.to_owned();
        Side::configuration(dirs, environment, &project, Some(moved))
    }

    /// Returns the folder with the files of its revision, if it is one.
    pub(super) fn revision(&self) -> Option<PathBuf> {
        match &self.kind {
            Kind::Configuration(of) => {
                let moved = of.moved.as_ref().filter(|moved| moved.is_revision);
                moved.map(|moved| PathBuf::from(&moved.folder))
            }
            Kind::Policy { .. } => None,
        }
    }

    fn configuration(
        dirs: AppDirs,
        environment: &Environment,
        project: &str,
        moved: Option<RelocatedProject>,
    ) -> anyhow::Result<Self> {
        // Otherwise, each verdict would be an ask because of the problem.
        let project = moved.as_ref().map_or(project, |moved| &moved.folder).to_owned();
        if let Some(problem) = load(&dirs, &[project]).problems.first() {
            return Err(exit_error(Exit::Config, problem.to_string(), problem.hint.clone()));
        }
        let engine = embedded::engine_for_many_replies(&dirs)?;
        let clock = Clock::start(engine.clone());
        let program = environment.program.clone();
        let configuration = Configuration { dirs, program, engine, moved, kept: Mutex::default() };
        Ok(Side { kind: Kind::Configuration(Box::new(configuration)), read_as: "", _clock: Some(clock) })
    }

    fn policy(name: &str, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Self> {
        let name = name.strip_prefix(BUILTIN).unwrap_or(name);
        let to_error =
            |error: guard_kit::suite::SubjectError| exit_error(Exit::NoInput, error.to_string(), error.hint.clone());
        let subject = Subject::policy(name, Wasi::Absent, &native(&environment.cwd), dirs).map_err(to_error)?;
        let mut chain = subject.chain_for_suite(&Suite::default()).map_err(to_error)?;
        // Two files of one policy have different names, but their rules must be comparable.
        chain.prepared.members.iter_mut().for_each(|member| "policy".clone_into(&mut member.entry.name));
        let kind = Kind::Policy { chain: Arc::new(chain), _subject: Box::new(subject) };
        Ok(Side { kind, read_as: POLICY, _clock: None })
    }

    /// Returns the strictest verdict of an event's calls.
    ///
    /// Also returns whether `instead-of-ask` would avoid the prompt. `None` if there is no prompt.
    pub(super) fn decide(
        &self,
        calls: &[ToolCall],
        at: &CallContext,
        facts: &Arc<dyn Facts>,
    ) -> (Option<Verdict>, Option<bool>) {
        let chain = self.chain(at);
        let nested = |folders: &[String]| self.prepare_nested(folders);
        let ask = AskOptions { nested: Some(&nested), ..AskOptions::default() };
        let mut is_spared = true;
        let mut verdict: Option<Verdict> = None;
        for call in calls {
            let trace = chain.decide(call, at, facts, ask);
            is_spared &= trace.verdict.outcome != Outcome::Ask || would_skip_prompt(call, &trace, &chain.prepared);
            let one =
                complete_trace(trace, &chain.prepared, |trace| assumed_backup(call, trace, &chain.prepared)).verdict;
            if verdict.as_ref().is_none_or(|worst| rank(one.outcome) > rank(worst.outcome)) {
                verdict = Some(one);
            }
        }
        let is_ask = verdict.as_ref().is_some_and(|verdict| verdict.outcome == Outcome::Ask);
        (verdict, is_ask.then_some(is_spared))
    }

    /// Returns the hook's verdict for a trace, with the notes that the hook adds.
    pub(super) fn verdict_with_notes(&self, call: &ToolCall, trace: Trace, at: &CallContext) -> Verdict {
        let chain = self.chain(at);
        complete_trace(trace, &chain.prepared, |trace| assumed_backup(call, trace, &chain.prepared)).verdict
    }

    /// Returns whether `instead-of-ask` would avoid the prompt for a trace. `None` if there is no prompt.
    pub(super) fn skips_prompt(&self, call: &ToolCall, trace: &Trace, at: &CallContext) -> Option<bool> {
        let prepared = &self.chain(at).prepared;
        let is_spared = would_skip_prompt(call, trace, prepared);
        // If it is already set, a call that it covers has no prompt.
        let is_ask = trace.verdict.outcome == Outcome::Ask && !(is_spared && prepared.config.undo.instead_of_ask);
        is_ask.then_some(is_spared)
    }

    /// Decides a decision of the log again.
    pub(super) fn repeat(&self, decision: &Decision) -> RepeatedDecision {
        let nested = |folders: &[String]| self.prepare_nested(folders);
        decision.repeat(&self.chain(&decision.at), AskOptions { nested: Some(&nested), ..AskOptions::default() })
    }

    fn prepare_nested(&self, folders: &[String]) -> Prepared {
        match &self.kind {
            Kind::Configuration(of) => open(&of.dirs, &of.program, folders),
            Kind::Policy { chain, .. } => Prepared::in_memory(chain.prepared.config.clone(), Vec::new()),
        }
    }

    fn chain(&self, at: &CallContext) -> Arc<Chain> {
        let Configuration { dirs, program, engine, moved, kept } = match &self.kind {
            Kind::Policy { chain, .. } => return chain.clone(),
            Kind::Configuration(of) => &**of,
        };
        let named = at.projects();
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chain) = kept.get(&named) {
            return chain.clone();
        }
        let mut projects = named.clone();
        if let Some(moved) = moved {
            let own = projects.iter_mut().filter(|project| **project == moved.project);
            own.for_each(|project| project.clone_from(&moved.folder));
        }
        let projects = effective(&projects);
        if kept.len() >= CHAINS {
            kept.clear();
        }
        if let Some(chain) = kept.get(&projects).cloned() {
            kept.insert(named, chain.clone());
            return chain;
        }
        let mut prepared = open(dirs, program, &projects);
        if let Some(moved) = moved {
            let entries = prepared.members.iter_mut().map(|member| &mut member.entry);
            let own = entries.filter(|entry| entry.project == moved.folder);
            own.for_each(|entry| entry.project.clone_from(&moved.project));
        }
        let chain = Arc::new(Chain::new(engine.clone(), prepared));
        kept.insert(named, chain.clone());
        kept.insert(projects, chain.clone());
        chain
    }
}

pub(super) const BUILTIN: &str = "builtin:";

fn is_policy(name: &str) -> bool {
    name.starts_with(BUILTIN) || name.ends_with(".wasm")
}

/// Returns the policy in `--config`, which other commands treat as a path.
pub(super) fn selected_policy(dirs: &AppDirs) -> Option<&str> {
    let name = dirs.config.file_name().and_then(|name| name.to_str()).filter(|name| name.starts_with(BUILTIN));
    name.or_else(|| dirs.config.to_str()).filter(|name| is_policy(name))
}

/// Returns the backup of a call that ran elsewhere or in the past.
fn assumed_backup(call: &ToolCall, trace: &Trace, prepared: &Prepared) -> Copy {
    Copy::assumed(call, trace, &prepared.config)
}

/// Returns whether `instead-of-ask` in `[undo]` would run such a call with a warning instead of a prompt.
fn would_skip_prompt(call: &ToolCall, trace: &Trace, prepared: &Prepared) -> bool {
    assumed_backup(call, trace, prepared).would_skip_prompt(&trace.verdict, prepared)
}
