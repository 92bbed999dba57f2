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
use guard_contract::paths::below;
use guard_contract::verdict::Verdict;
use guard_contract::{Outcome, Wasi, rank};
use guard_engine::Engine;
use guard_engine::clock::Clock;
use guard_facts::Facts;
use guard_hook::audit::{Decision, RepeatedDecision};
use guard_hook::cache::{Prepared, effective};
use guard_hook::chain::{AskOptions, Chain, Trace};
use guard_hook::embedded;
use guard_hook::nested::{self, FolderFiles};
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

/// A project whose configuration is read from another folder. With a revision, those of its folders are too.
struct RelocatedProject {
    project: String,
    folder: String,
    /// Whether the files are from a revision, which is an earlier state.
    is_revision: bool,
    /// The project's folders that have a configuration at the revision.
    folders: Vec<String>,
}

impl RelocatedProject {
    fn new(project: &str, folder: String, is_revision: bool) -> Self {
        let (found, _) = if is_revision { nested::below(&folder) } else { Default::default() };
        let folders = found.iter().filter_map(|found| Some(format!("{project}{}", found.strip_prefix(&folder)?)));
        RelocatedProject { project: project.to_owned(), folders: folders.collect(), folder, is_revision }
    }

    /// Returns where the configuration of a project or of one of its folders is read. `None` if that isn't another
    /// folder, as for a repository in the project, whose files aren't in the revision.
    fn relocate(&self, root: &str) -> Option<String> {
        if root == self.project {
            return Some(self.folder.clone());
        }
        let rest = below(root, &self.project).filter(|_| self.is_revision)?;
        let mut above = Path::new(root).ancestors().take_while(|above| *above != Path::new(&self.project));
        (!above.any(|above| above.join(".git").exists())).then(|| format!("{}/{rest}", self.folder))
    }

    /// Returns the project or folder whose configuration is read there.
    fn original(&self, root: &str) -> Option<String> {
        let rest = root.strip_prefix(&self.folder).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
        Some(format!("{}{rest}", self.project))
    }
}

impl FolderFiles for Configuration {
    fn open(&self, folders: &[String]) -> Prepared {
        self.prepare(folders)
    }

    fn has(&self, folder: &str) -> bool {
        let relocated = self.moved.as_ref().and_then(|moved| moved.relocate(folder));
        nested::has_configuration(relocated.as_deref().unwrap_or(folder))
    }

    fn known(&self) -> &[String] {
        self.moved.as_ref().map_or(&[], |moved| &moved.folders)
    }
}

impl Configuration {
    /// Returns the projects and folders whose configurations are read.
    fn relocate(&self, roots: &[String]) -> Vec<String> {
        let relocated = |root: &String| self.moved.as_ref()?.relocate(root);
        effective(&roots.iter().map(|root| relocated(root).unwrap_or_else(|| root.clone())).collect::<Vec<_>>())
    }

    /// Prepares the chain of these projects and folders.
    fn prepare(&self, roots: &[String]) -> Prepared {
        let mut prepared = open(&self.dirs, &self.program, &self.relocate(roots));
        for entry in prepared.members.iter_mut().map(|member| &mut member.entry) {
            if let Some(original) = self.moved.as_ref().and_then(|moved| moved.original(&entry.project)) {
                entry.project = original;
            }
        }
        prepared
    }
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
        let nested = if is_revision { None } else { nested_root(&native(&environment.cwd).join(path), project) };
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
        let read_as = match &nested {
            Some(_) => "its folder's guard.toml",
            None if is_revision => "a revision of this project",
            None => "this project's guard.toml",
        };
        let root = nested.unwrap_or_else(|| project.to_owned());
        let moved = RelocatedProject::new(&root, folder, is_revision);
        let side = Side::relocated(moved, dirs, environment, scratch)?;
        Ok(Side { read_as, ..side })
    }

    /// Returns the side of the project's configuration in another folder.
    fn relocated(
        moved: RelocatedProject,
        dirs: &AppDirs,
        environment: &Environment,
        scratch: &Path,
    ) -> anyhow::Result<Self> {
        let is_trusted = |root: &String| {
            let file = AppDirs::project_file(root);
            let is_held = |(path, trust): &(PathBuf, Trust)| *path == file && *trust == Trust::Held;
            load(dirs, std::slice::from_ref(root)).projects.iter().any(is_held)
        };
        // A person can't trust a file that is gone.
        let is_gone = |root: &String| moved.is_revision && !AppDirs::project_file(root).exists();
        let roots = std::iter::once(&moved.project).chain(&moved.folders);
        let trusted: Vec<String> = roots.filter(|root| is_trusted(root) || is_gone(root)).cloned().collect();
        let project = moved.project.clone();
        if trusted.is_empty() {
            return Side::configuration(dirs.clone(), environment, &project, Some(moved));
        }
        // The current configuration is trusted, so the other one is compared as if it were. It never decides an agent's
        // calls.
        let failed = |error: TrustError| exit_error(Exit::Config, format!("the other revision: {error}"), "");
        let folder = scratch.join("trust");
        trust::copy(dirs, &folder).map_err(failed)?;
        let dirs = AppDirs { trust: folder, ..dirs.clone() };
        for root in trusted {
            let Some(folder) = moved.relocate(&root) else { continue };
            match candidate(&dirs, &folder) {
                Ok(candidate) => trust::trust(&dirs, &folder, &candidate.pins).map_err(failed)?,
                // Each call that concerns a folder with an invalid file is an ask.
                Err(TrustError::NoFile(_)) => {}
                Err(_) if root != project => {}
                Err(error) => return Err(failed(error)),
            }
        }
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
        let ask = AskOptions { nested: self.folder_files(), ..AskOptions::default() };
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
        let ask = AskOptions { nested: self.folder_files(), ..AskOptions::default() };
        decision.repeat(&self.chain(&decision.at), ask)
    }

    /// Returns the configurations of folders. `None` for a single policy.
    fn folder_files(&self) -> Option<&nested::Open<'_>> {
        match &self.kind {
            Kind::Configuration(of) => Some(&**of),
            Kind::Policy { .. } => None,
        }
    }

    fn chain(&self, at: &CallContext) -> Arc<Chain> {
        let configuration = match &self.kind {
            Kind::Policy { chain, .. } => return chain.clone(),
            Kind::Configuration(of) => &**of,
        };
        let named = at.projects();
        let mut kept = configuration.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chain) = kept.get(&named) {
            return chain.clone();
        }
        let projects = configuration.relocate(&named);
        if kept.len() >= CHAINS {
            kept.clear();
        }
        if let Some(chain) = kept.get(&projects).cloned() {
            kept.insert(named, chain.clone());
            return chain;
        }
        let chain = Arc::new(Chain::new(configuration.engine.clone(), configuration.prepare(&named)));
        kept.insert(named, chain.clone());
        kept.insert(projects, chain.clone());
        chain
    }
}

/// Returns the folder of the project that a configuration in its `.guard` is for. `None` for the project itself.
fn nested_root(file: &Path, project: &str) -> Option<String> {
    let root = file.parent()?.parent()?.canonicalize().ok()?.to_string_lossy().into_owned();
    below(&root, project).is_some_and(|rest| rest != ".").then_some(root)
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
