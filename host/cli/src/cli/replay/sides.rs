//! The configurations or policies that calls are decided by.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cli::subject::{open, refused};
use guard_contract::Wasi;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::exit::Exit;
use guard_contract::rank;
use guard_contract::verdict::Verdict;
use guard_engine::Engine;
use guard_engine::clock::Clock;
use guard_engine::facts::Facts;
use guard_hook::audit::{Again, Decision};
use guard_hook::cache::{self, Prepared, effective};
use guard_hook::chain::{Ask, Chain};
use guard_kit::suite::{Subject, Suite};
use guard_state::Places;
use guard_state::environment::Environment;

/// The most folders whose chains are kept; those of others are opened again.
const CHAINS: usize = 1024;

/// The largest file of a revision, and the most of them.
const REVISION_BYTES: usize = 16 << 20;
const REVISION_FILES: usize = 256;

/// What calls are decided by.
pub(super) struct Side {
    kind: Kind,
    _clock: Option<Clock>,
}

enum Kind {
    Configuration(Box<Configuration>),
    /// One policy, with what keeps its clock going.
    Policy {
        chain: Arc<Chain>,
        _subject: Box<Subject>,
    },
}

/// The chains of a configuration.
struct Configuration {
    places: Places,
    program: PathBuf,
    engine: Engine,
    moved: Option<Moved>,
    /// By the folders of a call.
    kept: Mutex<HashMap<Vec<String>, Arc<Chain>>>,
}

/// A project whose configuration is read from another folder.
#[derive(Clone)]
struct Moved {
    project: String,
    folder: String,
}

impl Side {
    /// What holds here, or what the command line names as the user's configuration.
    pub(super) fn first(places: &Places, environment: &Environment) -> anyhow::Result<Self> {
        match policy_of(places) {
            Some(policy) => Side::policy(policy, places, environment),
            None => Side::configuration(places.clone(), environment, None),
        }
    }

    /// What `--against` names. `scratch` holds the files of a revision.
    pub(super) fn second(
        name: &str,
        places: &Places,
        environment: &Environment,
        project: &str,
        scratch: &Path,
    ) -> anyhow::Result<Self> {
        if is_policy(name) != policy_of(places).is_some() {
            let hint = "give both `--config` and `--against` a policy, or neither";
            return Err(refused(Exit::Usage, "a policy and a configuration cannot be compared", hint));
        }
        if is_policy(name) {
            return Side::policy(name, places, environment);
        }
        let path = Path::new(name);
        if path.is_file() {
            let config = Path::new(&environment.cwd).join(path);
            return Side::configuration(Places { config, ..places.clone() }, environment, None);
        }
        if name.ends_with(".toml") {
            return Err(refused(Exit::NoInput, format!("there is no file `{name}`"), ""));
        }
        revision(name, project, scratch)?;
        let moved = Moved { project: project.to_owned(), folder: scratch.to_string_lossy().into_owned() };
        Side::configuration(places.clone(), environment, Some(moved))
    }

    fn configuration(places: Places, environment: &Environment, moved: Option<Moved>) -> anyhow::Result<Self> {
        let engine = cache::engine_for_many_replies(&places.cache)?;
        let clock = Clock::start(engine.clone());
        let program = environment.program.clone();
        let configuration = Configuration { places, program, engine, moved, kept: Mutex::default() };
        Ok(Side { kind: Kind::Configuration(Box::new(configuration)), _clock: Some(clock) })
    }

    fn policy(name: &str, places: &Places, environment: &Environment) -> anyhow::Result<Self> {
        let name = name.strip_prefix(BUILTIN).unwrap_or(name);
        let told =
            |error: guard_kit::suite::SubjectError| refused(Exit::NoInput, error.to_string(), error.hint.clone());
        let subject = Subject::policy(name, Wasi::Absent, Path::new(&environment.cwd), places).map_err(told)?;
        let mut chain = subject.chain_for_suite(&Suite::default()).map_err(told)?;
        // Two files of one policy have two names, and their rules are the same all the same.
        chain.prepared.members.iter_mut().for_each(|member| "policy".clone_into(&mut member.entry.name));
        Ok(Side { kind: Kind::Policy { chain: Arc::new(chain), _subject: Box::new(subject) }, _clock: None })
    }

    /// The worst verdict of the calls of one event.
    pub(super) fn decide(&self, calls: &[ToolCall], at: &CallContext, facts: &Arc<dyn Facts>) -> Option<Verdict> {
        let chain = self.chain(at);
        let nested = |folders: &[String]| self.nested(folders);
        let ask = Ask { nested: Some(&nested), ..Ask::default() };
        let verdicts = calls.iter().map(|call| chain.decide(call, at, facts, ask).verdict);
        verdicts.reduce(|worst, verdict| if rank(verdict.outcome) > rank(worst.outcome) { verdict } else { worst })
    }

    /// A decision of the log, made again.
    pub(super) fn again(&self, decision: &Decision) -> Again {
        let nested = |folders: &[String]| self.nested(folders);
        decision.again(&self.chain(&decision.at), Ask { nested: Some(&nested), ..Ask::default() })
    }

    fn nested(&self, folders: &[String]) -> Prepared {
        match &self.kind {
            Kind::Configuration(of) => open(&of.places, &of.program, folders),
            Kind::Policy { chain, .. } => Prepared::in_memory(chain.prepared.config.clone(), Vec::new()),
        }
    }

    fn chain(&self, at: &CallContext) -> Arc<Chain> {
        let Configuration { places, program, engine, moved, kept } = match &self.kind {
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
        let mut prepared = open(places, program, &projects);
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

const BUILTIN: &str = "builtin:";

fn is_policy(name: &str) -> bool {
    name.starts_with(BUILTIN) || name.ends_with(".wasm")
}

/// The policy that `--config` names, which is a path for all other commands.
fn policy_of(places: &Places) -> Option<&str> {
    let name = places.config.file_name().and_then(|name| name.to_str()).filter(|name| name.starts_with(BUILTIN));
    name.or_else(|| places.config.to_str()).filter(|name| is_policy(name))
}

/// Puts the folder `.guard` of a revision below `scratch`.
fn revision(name: &str, project: &str, scratch: &Path) -> anyhow::Result<()> {
    let git = |arguments: &[&str]| {
        // No hook, pager or file system monitor of the repository is started for what only reads.
        let mut git = Command::new("git");
        git.args(["-C", project, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]).args(arguments);
        git.output().map_err(|error| refused(Exit::Unavailable, format!("`git` does not run: {error}"), ""))
    };
    let neither = |what: &str| {
        let text = format!("`{name}` is neither a file nor a revision of git that has {what}");
        refused(Exit::NoInput, text, "give a guard.toml, a policy, or a revision such as `HEAD~1` or `origin/main`")
    };
    if name.starts_with('-') {
        return Err(neither("a name"));
    }
    let listed = git(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", name, "--", ".guard"])?;
    let listed = String::from_utf8(listed.stdout).unwrap_or_default();
    let files: Vec<&str> = listed.split('\0').filter(|file| !file.is_empty()).collect();
    if !files.contains(&".guard/guard.toml") {
        return Err(neither("a `.guard/guard.toml`"));
    }
    for file in files.into_iter().take(REVISION_FILES) {
        let bytes = git(&["cat-file", "blob", &format!("{name}:{file}")])?.stdout;
        let path = scratch.join(file);
        if bytes.len() <= REVISION_BYTES && !file.split('/').any(|part| part == "..") {
            fs::create_dir_all(path.parent().unwrap_or(scratch))?;
            fs::write(path, bytes)?;
        }
    }
    Ok(())
}
