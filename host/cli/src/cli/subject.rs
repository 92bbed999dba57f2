//! The input of `check` and `explain`: a call, and the chain that decides it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::args::CallArgs;
use super::print;
use guard_config::edit::EditError;
use guard_config::{Config, Fallback};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::exit::Exit;
use guard_contract::paths::lexical;
use guard_contract::shell_word::quoted;
use guard_contract::verdict::{Verdict, merge};
use guard_contract::{Outcome, Wasi, rank};
use guard_engine::clock::Clock;
use guard_facts::Facts;
use guard_facts::real::RealFacts;
use guard_harness::{DetectionConfidence, Event};
use guard_hook::audit::Decision;
use guard_hook::cache::{Prepared, effective, prepare};
use guard_hook::chain::{AskOptions, Chain, Trace};
use guard_hook::confined_run;
use guard_hook::embedded;
use guard_hook::undo::Copy;
use guard_hook::{in_session, nested, watch};
use guard_kit::compile::making;
use guard_kit::suite::{Subject, Suite};
use guard_platform::paths::{judged_text, native};
use guard_redact::plain;
use guard_setup::install::InstallError;
use guard_setup::oversights::remote_file;
use guard_state::environment::Environment;
use guard_state::{AppDirs, io_hint};

/// An error of the user or the environment, with its exit code.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(super) struct Refused {
    pub(super) text: String,
    pub(super) hint: String,
    pub(super) exit: Exit,
}

pub(super) fn exit_error(exit: Exit, text: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    Refused { text: text.into(), hint: hint.into(), exit }.into()
}

/// A prepared chain, with the clock for its time limits.
pub(super) struct Evaluator {
    pub(super) chain: Chain,
    dirs: AppDirs,
    environment: Environment,
    facts: Arc<dyn Facts>,
    /// A single policy or chain that decides alone, regardless of folders below the project.
    alone: Option<Subject>,
    _clock: Option<Clock>,
}

impl Evaluator {
    /// Returns the trace of the strictest of an event's calls. `None` if there is nothing to decide.
    pub(super) fn decide(&self, calls: &[ToolCall], at: &CallContext) -> Option<Trace> {
        let nested = |folders: &[String]| open(&self.dirs, &self.environment.program, folders);
        let nested: Option<&nested::Open<'_>> = if self.alone.is_some() { None } else { Some(&nested) };
        let ask = AskOptions { nested, ..AskOptions::default() };
        let traces = calls.iter().map(|call| self.add_notes(call, self.chain.decide(call, at, &self.facts, ask), at));
        traces.reduce(
            |worst, trace| {
                if rank(trace.verdict.outcome) > rank(worst.verdict.outcome) { trace } else { worst }
            },
        )
    }

    /// Same as [`Evaluator::decide`], with the session's history.
    pub(super) fn decide_in_session(&self, calls: &[ToolCall], at: &CallContext) -> Option<Trace> {
        let [call] = calls else { return self.decide(calls, at) };
        let facts = in_session(self.facts.clone(), &self.dirs.state, &at.session, call);
        let nested = |folders: &[String]| open(&self.dirs, &self.environment.program, folders);
        let ask = AskOptions { nested: Some(&nested), ..AskOptions::default() };
        Some(self.add_notes(call, self.chain.decide(call, at, &facts, ask), at))
    }

    /// Returns the backup that the hook would make for a call now.
    pub(super) fn copy(&self, call: &ToolCall, trace: &Trace, at: &CallContext) -> Copy {
        Copy::planned(call, trace, (&self.chain.prepared.config, at), &self.dirs, &self.environment)
    }

    /// Returns whether `instead-of-ask` in `[undo]` would run this call with a warning instead of a prompt.
    pub(super) fn would_skip_prompt(&self, call: &ToolCall, trace: &Trace, at: &CallContext) -> bool {
        let is_ask = trace.verdict.outcome == Outcome::Ask;
        is_ask && self.copy(call, trace, at).would_skip_prompt(&trace.verdict, &self.chain.prepared)
    }

    fn add_notes(&self, call: &ToolCall, trace: Trace, at: &CallContext) -> Trace {
        complete_trace(trace, &self.chain.prepared, |trace| self.copy(call, trace, at))
    }

    /// Returns the trace of a decision in the log, with only the recorded facts.
    pub(super) fn repeat(&self, decision: &Decision) -> Trace {
        let nested = |folders: &[String]| open(&self.dirs, &self.environment.program, folders);
        decision.repeat(&self.chain, AskOptions { nested: Some(&nested), ..AskOptions::default() }).trace
    }

    /// Returns the facts about the machine.
    pub(super) fn facts(&self) -> &dyn Facts {
        &*self.facts
    }

    /// Opens the chain for these projects.
    pub(super) fn open(dirs: &AppDirs, environment: &Environment, projects: &[String]) -> anyhow::Result<Self> {
        let prepared = open(dirs, &environment.program, projects);
        let engine = embedded::engine_for_many_replies(dirs)?;
        let clock = Clock::start(engine.clone());
        let facts = Arc::new(RealFacts::new(environment.variables.clone()));
        let (dirs, environment) = (dirs.clone(), environment.clone());
        Ok(Evaluator {
            chain: Chain::new(engine, prepared),
            dirs,
            environment,
            facts,
            alone: None,
            _clock: Some(clock),
        })
    }

    /// Opens the chain of a single policy, or the chain for these projects.
    pub(super) fn open_policy(
        policy: Option<&str>,
        dirs: &AppDirs,
        environment: &Environment,
        projects: &[String],
    ) -> anyhow::Result<Self> {
        let Some(policy) = policy else { return Evaluator::open(dirs, environment, projects) };
        let cwd = &*native(&environment.cwd);
        let file = cwd.join(policy);
        let (name, settings) = match find_engine(&file) {
            Some(engine) => {
                let settings = guard_config::read_settings(&file)
                    .map_err(|problem| exit_error(Exit::Data, problem.to_string(), problem.hint.clone()))?;
                (engine, settings)
            }
            None => (policy, Map::new()),
        };
        let subject =
            Subject::policy(name, Wasi::Absent, cwd, dirs).map_err(|error| super::test::subject_error(&error, None))?;
        let suite = Suite { settings, ..Suite::default() };
        let chain = subject.chain_for_suite(&suite).map_err(|error| super::test::subject_error(&error, None))?;
        Ok(Evaluator {
            chain,
            dirs: dirs.clone(),
            environment: environment.clone(),
            facts: Arc::new(RealFacts::new(environment.variables.clone())),
            alone: Some(subject),
            _clock: None,
        })
    }
}

/// Splits the command line into a policy that decides alone, if there is one, and the input. A command doesn't need
/// quotes.
pub(super) fn policy_and_input(words: &[String]) -> (Option<&str>, String) {
    let [first, rest @ ..] = words else { return (None, String::new()) };
    let is_path = || first.contains(['/', '.']) && Path::new(first).exists();
    let is_policy = guard_builtins::find(first).is_some() || first.ends_with(".wasm") || is_path();
    match rest {
        [] => (None, first.clone()),
        rest if is_policy => (Some(first), join_words(rest)),
        _ => (None, join_words(words)),
    }
}

/// Joins words to one command line. A single word already is one.
fn join_words(words: &[String]) -> String {
    match words {
        [line] => line.clone(),
        words => {
            let is_plain =
                |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./:=@%+,~".contains(c));
            let spell = |word: &String| if is_plain(word) { word.clone() } else { quoted(word) };
            words.iter().map(spell).collect::<Vec<_>>().join(" ")
        }
    }
}

/// Returns the built-in for the rules in a file or folder, by the file's extension.
fn find_engine(file: &Path) -> Option<&'static str> {
    match file.extension().and_then(|ending| ending.to_str()) {
        _ if file.is_dir() => Some("rego"),
        Some("rego") => Some("rego"),
        Some("toml" | "json" | "cel") => Some("cel"),
        _ => None,
    }
}

/// Completes the trace as the hook does: a warning replaces asks that a backup makes unnecessary, and a note lists
/// watched policies.
pub(super) fn complete_trace(mut trace: Trace, prepared: &Prepared, copy: impl FnOnce(&Trace) -> Copy) -> Trace {
    if trace.verdict.outcome == Outcome::Ask && prepared.config.undo.instead_of_ask {
        trace.verdict = copy(&trace).in_place_of_asks(trace.verdict, prepared);
    }
    match watch::note(&trace.verdict, None) {
        Some(note) => Trace { verdict: Verdict::all([trace.verdict, merge([note])]), ..trace },
        None => trace,
    }
}

/// The evaluators of several folders, each opened when it is first needed. Folders without their own configuration
/// share one.
pub(super) struct Evaluators<'a> {
    dirs: &'a AppDirs,
    environment: &'a Environment,
    open: HashMap<Vec<String>, Evaluator>,
}

impl<'a> Evaluators<'a> {
    pub(super) fn new(dirs: &'a AppDirs, environment: &'a Environment) -> Self {
        Evaluators { dirs, environment, open: HashMap::new() }
    }

    /// Returns the trace of the calls in their context. `None` if there is nothing to decide.
    pub(super) fn decide(&mut self, calls: &[ToolCall], at: &CallContext) -> anyhow::Result<Option<Trace>> {
        Ok(self.evaluator_at(at)?.decide(calls, at))
    }

    /// Returns the evaluator of a folder.
    pub(super) fn evaluator_at(&mut self, at: &CallContext) -> anyhow::Result<&Evaluator> {
        Ok(match self.open.entry(effective(&at.projects())) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let evaluator = Evaluator::open(self.dirs, self.environment, entry.key())?;
                entry.insert(evaluator)
            }
        })
    }
}

/// Opens the prepared chain of these projects, or prepares it.
pub(super) fn open(dirs: &AppDirs, program: &Path, projects: &[String]) -> Prepared {
    Prepared::open(dirs, program, projects).unwrap_or_else(|| prepare(dirs, program, projects, Some(making())))
}

/// Returns the folders whose configuration applies in the working directory: the project, and nested folders with their
/// own configuration on the way to it.
pub(super) fn folders(at: &CallContext) -> Vec<String> {
    let projects = at.projects();
    let nested = nested::of_paths([at.cwd.as_str()], &projects);
    projects.into_iter().chain(nested).collect()
}

/// Returns the folders whose configurations a check covers, the project first, and the folders in the project that may
/// have a misplaced one.
pub(super) fn checked_folders(at: &CallContext) -> (Vec<String>, Vec<String>) {
    let mut checked = folders(at);
    if at.project_root == at.home || at.project_root.is_empty() {
        return (checked, Vec::new());
    }
    let nested = folders_below(&at.project_root);
    let nested: Vec<String> = nested.into_iter().filter(|folder| !checked.contains(folder)).collect();
    checked.extend(nested);
    (checked, nested::unconfigured_below(&at.project_root))
}

/// Returns the folders below a project's root that have their own configuration, and warns if there may be more.
pub(super) fn folders_below(root: &str) -> Vec<String> {
    let (folders, is_all) = nested::below(root);
    if !is_all {
        print::note("warning: the project has too many folders; some with a `.guard` may have been left out");
    }
    folders
}

/// Returns the path of a file on the command line.
pub(super) fn file(word: &str, environment: &Environment) -> PathBuf {
    native(&lexical(&judged_text(word), &environment.cwd, &environment.home)).into_owned()
}

/// Returns the context of a call from the command line.
pub(super) fn call_context(environment: &Environment, cwd: Option<&str>) -> CallContext {
    let facts = RealFacts::new(environment.variables.clone());
    let absolute = |cwd: &str| lexical(&judged_text(cwd), &environment.cwd, &environment.home);
    let cwd = cwd.map_or_else(|| environment.cwd.clone(), absolute);
    confined_run::context(environment, cwd, &facts)
}

/// Returns the calls in the arguments.
pub(super) fn calls(args: &CallArgs, input: &str) -> anyhow::Result<Vec<ToolCall>> {
    let object = serde_json::from_str::<Map<String, Value>>(input).ok();
    match (&args.tool, object) {
        // No shell command has this form.
        (None, Some(payload)) if payload.contains_key("tool_input") => payload_calls(&payload).map(|(calls, _)| calls),
        (Some(tool), Some(object)) => tool_calls(tool, Value::Object(object)),
        (tool, _) => tool_calls(tool.as_deref().unwrap_or("Bash"), Value::String(input.to_owned())),
    }
}

/// Returns the calls for an input of `tool`, by the same rules as in a hook.
///
/// A text is a shell command. For other tools, it is the input as JSON.
pub(super) fn tool_calls(tool: &str, input: Value) -> anyhow::Result<Vec<ToolCall>> {
    let input = match input {
        Value::Object(object) => Value::Object(object),
        Value::String(command) if has_command_input(tool) => json!({ "command": command }),
        Value::String(text) => serde_json::from_str(&text).map(Value::Object).map_err(|error| {
            exit_error(
                Exit::Data,
                format!("the input of `{tool}` isn't a JSON object: {error}"),
                "give an object, such as '{\"file_path\": \"a.txt\"}'",
            )
        })?,
        _ => return Err(exit_error(Exit::Data, format!("`input` of `{tool}` is neither an object nor a string"), "")),
    };
    let payload =
        Map::from_iter([("tool_name".to_owned(), Value::String(tool.to_owned())), ("tool_input".to_owned(), input)]);
    payload_calls(&payload).map(|(calls, _)| calls)
}

fn has_command_input(tool: &str) -> bool {
    matches!(tool, "Bash" | "PowerShell" | "Monitor")
}

/// Returns the calls of a hook's payload, and its working directory.
pub(super) fn payload_calls(object: &Map<String, Value>) -> anyhow::Result<(Vec<ToolCall>, String)> {
    let harness = guard_harness::detect(object, guard_harness::default());
    if harness.confidence_in(object) == DetectionConfidence::None {
        return Err(exit_error(Exit::Data, "the line has neither `tool` and `input` nor a hook's `tool_input`", ""));
    }
    let payload = harness.decode(object).map_err(|error| exit_error(Exit::Data, error.to_string(), ""))?;
    let calls = match payload.event {
        Event::Calls(calls) => calls,
        Event::CallsEnded(..) | Event::SessionStart | Event::SessionEnd | Event::SettingsChange(_) | Event::Other => {
            Vec::new()
        }
    };
    let cwd = folder(payload.directory, payload.cwd);
    Ok((calls, cwd))
}

/// Returns the directory of a call: the call's own, or else the session's.
pub(super) fn folder(directory: String, session: String) -> String {
    match directory.as_str() {
        "" => session,
        own if own.starts_with('/') || session.is_empty() => directory,
        own => format!("{session}/{own}"),
    }
}

/// Returns a note that a server decides instead of this machine's policies, and how to change that.
pub(super) fn decider(config: &Config, dirs: &AppDirs) -> Option<(String, String)> {
    let url = plain(&config.remote.as_ref()?.url);
    let file = remote_file(dirs).display();
    let hint = format!("change the server's configuration, or remove `[remote]` from {file}");
    Some((format!("the server {url} decides the calls of this machine"), hint))
}

/// Returns whether nothing on this machine decides if the server doesn't answer.
pub(super) fn is_sole_decider(config: &Config) -> bool {
    config.remote.as_ref().is_some_and(|remote| remote.fallback != Fallback::Local)
}

/// Converts the error of an edit of `guard.toml`.
pub(super) fn edit_error(error: EditError) -> anyhow::Error {
    exit_error(error.exit(), error.to_string(), error.hint())
}

/// Converts the error of a file that can't be edited.
pub(super) fn install_error(error: InstallError) -> anyhow::Error {
    exit_error(error.exit(), error.to_string(), error.hint())
}

/// Creates the error of a file that can't be written.
pub(super) fn write_error(path: &Path, error: &std::io::Error) -> anyhow::Error {
    exit_error(Exit::Unavailable, format!("`{}` cannot be written: {error}", path.display()), io_hint(error))
}
