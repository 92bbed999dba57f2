//! The subject of `check` and `explain`: a call, and the chain that decides it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::args::CallArgs;
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

/// An error of the user or of the outside world, with the exit code it asks for.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(super) struct Refused {
    pub(super) text: String,
    pub(super) hint: String,
    pub(super) exit: Exit,
}

pub(super) fn refused(exit: Exit, text: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    Refused { text: text.into(), hint: hint.into(), exit }.into()
}

/// A chain that is ready, with the clock that its limits need.
pub(super) struct Evaluator {
    pub(super) chain: Chain,
    dirs: AppDirs,
    environment: Environment,
    facts: Arc<dyn Facts>,
    /// The policy or chain that decides alone, regardless of the folders below the project.
    alone: Option<Subject>,
    _clock: Option<Clock>,
}

impl Evaluator {
    /// The trace of the worst of several calls that are one event; `None` if there is nothing to decide.
    pub(super) fn decide(&self, calls: &[ToolCall], at: &CallContext) -> Option<Trace> {
        let nested = |folders: &[String]| open(&self.dirs, &self.environment.program, folders);
        let nested: Option<&nested::Open<'_>> = if self.alone.is_some() { None } else { Some(&nested) };
        let ask = AskOptions { nested, ..AskOptions::default() };
        let traces = calls.iter().map(|call| self.noted(call, self.chain.decide(call, at, &self.facts, ask), at));
        traces.reduce(
            |worst, trace| {
                if rank(trace.verdict.outcome) > rank(worst.verdict.outcome) { trace } else { worst }
            },
        )
    }

    /// The same, with the history of the session in which it happens.
    pub(super) fn in_session(&self, calls: &[ToolCall], at: &CallContext) -> Option<Trace> {
        let [call] = calls else { return self.decide(calls, at) };
        let facts = in_session(self.facts.clone(), &self.dirs.state, &at.session, call);
        let nested = |folders: &[String]| open(&self.dirs, &self.environment.program, folders);
        let ask = AskOptions { nested: Some(&nested), ..AskOptions::default() };
        Some(self.noted(call, self.chain.decide(call, at, &facts, ask), at))
    }

    /// The copy that the hook would make of a call now.
    pub(super) fn copy(&self, call: &ToolCall, trace: &Trace, at: &CallContext) -> Copy {
        Copy::planned(call, trace, (&self.chain.prepared.config, at), &self.dirs, &self.environment)
    }

    /// With `instead-of-ask` in `[undo]`, this call would run with a warning in the place of its prompt.
    pub(super) fn would_skip_prompt(&self, call: &ToolCall, trace: &Trace, at: &CallContext) -> bool {
        let is_ask = trace.verdict.outcome == Outcome::Ask;
        is_ask && self.copy(call, trace, at).would_skip_prompt(&trace.verdict, &self.chain.prepared)
    }

    fn noted(&self, call: &ToolCall, trace: Trace, at: &CallContext) -> Trace {
        noted(trace, &self.chain.prepared, |trace| self.copy(call, trace, at))
    }

    /// The trace of a decision of the log, with what was learned then and nothing else.
    pub(super) fn repeat(&self, decision: &Decision) -> Trace {
        let nested = |folders: &[String]| open(&self.dirs, &self.environment.program, folders);
        decision.repeat(&self.chain, AskOptions { nested: Some(&nested), ..AskOptions::default() }).trace
    }

    /// The machine.
    pub(super) fn facts(&self) -> &dyn Facts {
        &*self.facts
    }

    /// The chain that holds for these projects.
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

    /// The chain of one policy alone, or the one that holds for these projects.
    pub(super) fn open_policy(
        policy: Option<&str>,
        dirs: &AppDirs,
        environment: &Environment,
        projects: &[String],
    ) -> anyhow::Result<Self> {
        let Some(policy) = policy else { return Evaluator::open(dirs, environment, projects) };
        let cwd = &*native(&environment.cwd);
        let file = cwd.join(policy);
        let (name, settings) = match engine_of(&file) {
            Some(engine) => {
                let settings = guard_config::read_settings(&file)
                    .map_err(|problem| refused(Exit::Data, problem.to_string(), problem.hint.clone()))?;
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

/// The policy of the command line that is to judge alone, and the input. A command need not be quoted.
pub(super) fn policy_and_input(words: &[String]) -> (Option<&str>, String) {
    let [first, rest @ ..] = words else { return (None, String::new()) };
    let is_path = || first.contains(['/', '.']) && Path::new(first).exists();
    let is_policy = guard_builtins::find(first).is_some() || first.ends_with(".wasm") || is_path();
    match rest {
        [] => (None, first.clone()),
        rest if is_policy => (Some(first), joined(rest)),
        _ => (None, joined(words)),
    }
}

/// The words as one command line. One word alone is the command line itself.
fn joined(words: &[String]) -> String {
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

/// The built-in that runs the rules of a file, by its name's ending, or those of a folder.
fn engine_of(file: &Path) -> Option<&'static str> {
    match file.extension().and_then(|ending| ending.to_str()) {
        _ if file.is_dir() => Some("rego"),
        Some("rego") => Some("rego"),
        Some("toml" | "json" | "cel") => Some("cel"),
        _ => None,
    }
}

/// The trace as the hook would end it: with a warning in the place of asks that a copy answers, and with the note about
/// policies that are only watched.
pub(super) fn noted(mut trace: Trace, prepared: &Prepared, copy: impl FnOnce(&Trace) -> Copy) -> Trace {
    if trace.verdict.outcome == Outcome::Ask && prepared.config.undo.instead_of_ask {
        trace.verdict = copy(&trace).in_place_of_asks(trace.verdict, prepared);
    }
    match watch::note(&trace.verdict, None) {
        Some(note) => Trace { verdict: Verdict::all([trace.verdict, merge([note])]), ..trace },
        None => trace,
    }
}

/// The evaluators of several folders, each opened when it is first needed. Folders without a configuration of their own
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

    /// The trace of the calls where they happen; `None` if there is nothing to decide.
    pub(super) fn decide(&mut self, calls: &[ToolCall], at: &CallContext) -> anyhow::Result<Option<Trace>> {
        Ok(self.at(at)?.decide(calls, at))
    }

    /// The evaluator of a folder.
    pub(super) fn at(&mut self, at: &CallContext) -> anyhow::Result<&Evaluator> {
        Ok(match self.open.entry(effective(&at.projects())) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let evaluator = Evaluator::open(self.dirs, self.environment, entry.key())?;
                entry.insert(evaluator)
            }
        })
    }
}

/// The prepared chain of these projects, which is made if there is none.
pub(super) fn open(dirs: &AppDirs, program: &Path, projects: &[String]) -> Prepared {
    Prepared::open(dirs, program, projects).unwrap_or_else(|| prepare(dirs, program, projects, Some(making())))
}

/// The folders whose configuration counts for what is done in the working directory: the project, and the folders on the
/// way to it that have one of their own.
pub(super) fn folders(at: &CallContext) -> Vec<String> {
    let projects = at.projects();
    let nested = nested::of_paths([at.cwd.as_str()], &projects);
    projects.into_iter().chain(nested).collect()
}

/// The file that a word of the command line names.
pub(super) fn file(word: &str, environment: &Environment) -> PathBuf {
    native(&lexical(&judged_text(word), &environment.cwd, &environment.home)).into_owned()
}

/// Where a call from the command line happens.
pub(super) fn call_context(environment: &Environment, cwd: Option<&str>) -> CallContext {
    let facts = RealFacts::new(environment.variables.clone());
    let absolute = |cwd: &str| lexical(&judged_text(cwd), &environment.cwd, &environment.home);
    let cwd = cwd.map_or_else(|| environment.cwd.clone(), absolute);
    let project_root = guard_facts::git_root(&facts, &cwd, &environment.home).unwrap_or_else(|| cwd.clone());
    CallContext {
        cwd,
        project_root,
        home: environment.home.clone(),
        account_home: environment.account_home.clone(),
        harness: "command-line".to_owned(),
        ..CallContext::default()
    }
}

/// The calls that the arguments name.
pub(super) fn calls(args: &CallArgs, input: &str) -> anyhow::Result<Vec<ToolCall>> {
    let object = serde_json::from_str::<Map<String, Value>>(input).ok();
    match (&args.tool, object) {
        // No shell command looks like that.
        (None, Some(payload)) if payload.contains_key("tool_input") => payload_calls(&payload).map(|(calls, _)| calls),
        (Some(tool), Some(object)) => tool_calls(tool, Value::Object(object)),
        (tool, _) => tool_calls(tool.as_deref().unwrap_or("Bash"), Value::String(input.to_owned())),
    }
}

/// The calls that an input of `tool` amounts to, by the same rules as in a hook.
///
/// A text is the command of a shell; of another tool it is the JSON of the input.
pub(super) fn tool_calls(tool: &str, input: Value) -> anyhow::Result<Vec<ToolCall>> {
    let input = match input {
        Value::Object(object) => Value::Object(object),
        Value::String(command) if takes_command(tool) => json!({ "command": command }),
        Value::String(text) => serde_json::from_str(&text).map(Value::Object).map_err(|error| {
            refused(
                Exit::Data,
                format!("the input of `{tool}` isn't a JSON object: {error}"),
                "give an object, such as '{\"file_path\": \"a.txt\"}'",
            )
        })?,
        _ => return Err(refused(Exit::Data, format!("`input` of `{tool}` is neither an object nor a string"), "")),
    };
    let payload =
        Map::from_iter([("tool_name".to_owned(), Value::String(tool.to_owned())), ("tool_input".to_owned(), input)]);
    payload_calls(&payload).map(|(calls, _)| calls)
}

fn takes_command(tool: &str) -> bool {
    matches!(tool, "Bash" | "PowerShell" | "Monitor")
}

/// The calls of a hook's payload, and its working directory.
pub(super) fn payload_calls(object: &Map<String, Value>) -> anyhow::Result<(Vec<ToolCall>, String)> {
    let harness = guard_harness::detect(object, guard_harness::default());
    if harness.confidence_in(object) == DetectionConfidence::None {
        return Err(refused(Exit::Data, "the line has neither `tool` and `input` nor a hook's `tool_input`", ""));
    }
    let payload = harness.decode(object).map_err(|error| refused(Exit::Data, error.to_string(), ""))?;
    let calls = match payload.event {
        Event::Calls(calls) => calls,
        Event::CallsEnded(..) | Event::SessionStart | Event::SessionEnd | Event::SettingsChange(_) | Event::Other => {
            Vec::new()
        }
    };
    let cwd = folder(payload.directory, payload.cwd);
    Ok((calls, cwd))
}

/// Where a call happens of which a payload tells a directory of its own, or none, and the session's.
pub(super) fn folder(directory: String, session: String) -> String {
    match directory.as_str() {
        "" => session,
        own if own.starts_with('/') || session.is_empty() => directory,
        own => format!("{session}/{own}"),
    }
}

/// That a server decides calls in place of this machine's policies, and how to change that.
pub(super) fn decider(config: &Config, dirs: &AppDirs) -> Option<(String, String)> {
    let url = plain(&config.remote.as_ref()?.url);
    let file = remote_file(dirs).display();
    let hint = format!("change the server's configuration, or remove `[remote]` from {file}");
    Some((format!("the server {url} decides the calls of this machine"), hint))
}

/// Nothing of this machine decides while the server gives no answer.
pub(super) fn is_sole_decider(config: &Config) -> bool {
    config.remote.as_ref().is_some_and(|remote| remote.fallback != Fallback::Local)
}

/// The error of an edit that a `guard.toml` cannot take.
pub(super) fn told(error: EditError) -> anyhow::Error {
    refused(error.exit(), error.to_string(), error.hint())
}

/// The error of a file that cannot be edited.
pub(super) fn not_edited(error: InstallError) -> anyhow::Error {
    refused(error.exit(), error.to_string(), error.hint())
}

/// The error of a file that cannot be written.
pub(super) fn not_written(path: &Path, error: &std::io::Error) -> anyhow::Error {
    refused(Exit::Unavailable, format!("`{}` cannot be written: {error}", path.display()), io_hint(error))
}
