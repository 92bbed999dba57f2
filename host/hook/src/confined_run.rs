//! `guard-host run` in the form of a rewritten call: `run [--confirmed] -- COMMAND`.
//!
//! The hook's own program decides and runs the command, because starting the second program takes longer than both. It
//! prints nothing: a call that needs a message or a prompt is left to the second program, which decides it again.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use guard_config::Overrides;
use guard_confine::{CommandDirs, ConfineError, Job, Lists, derive, secrets};
use guard_contract::Outcome;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::exit::Exit;
use guard_contract::shell_word::word;
use guard_engine::Engine;
use guard_engine::clock::Clock;
use guard_facts::Facts;
use guard_facts::real::RealFacts;
use guard_platform::account;
use guard_platform::paths::native;
use guard_state::AppDirs;
use guard_state::environment::Environment;
use serde_json::{Map, Value};

use crate::cache::{Prepared, prepare_for};
use crate::chain::{AskOptions, Chain, Trace};
use crate::command_line::dirs;
use crate::embedded;
use crate::programs::THREADS;

/// The policy with the list of guarded files.
const GUARDS_FILES: &str = "protected-files";

/// Runs the command of such a command line. Returns its exit code, or `None` if the second program must handle the
/// call. In that case, nothing was run.
pub(crate) fn run(arguments: &[OsString], environment: &Environment) -> Option<u8> {
    let (is_confirmed, command) = read(arguments)?;
    let dirs = dirs([&None, &None, &None], environment);
    // The second program removes the variable, and warns about the home.
    if environment.variables.contains_key(THREADS) || account::user_of_home(&native(&dirs.home)).is_some() {
        return None;
    }
    let facts: Arc<dyn Facts> = Arc::new(RealFacts::new(environment.variables.clone()));
    let at = context(environment, environment.cwd.clone(), &*facts);
    let engine = Engine::for_one_reply();
    embedded::load_from_cache(&engine, &dirs);
    let prepared = Prepared::open(&dirs, &environment.program, &at.projects()).filter(|chain| !chain.is_waiting())?;
    let chain = Chain::new(engine.clone(), prepared);
    let variable = |name: &str| environment.variables.get(name).cloned();
    let places = command_dirs(&at, &variable);
    let lists = guarded_lists(&chain.prepared);
    let (trace, hidden) = thread::scope(|scope| {
        // The search reads folders while the policies decide.
        let search = thread::Builder::new().spawn_scoped(scope, || hidden_paths(&places, &lists, &dirs));
        let _clock = Clock::start(engine);
        let trace = decide(&chain, &call(command), (&at, &facts), &dirs, environment);
        let found = search.ok().and_then(|search| search.join().ok());
        (trace, found.unwrap_or_else(|| hidden_paths(&places, &lists, &dirs)))
    });
    let trace = trace.filter(|trace| match trace.verdict.outcome {
        Outcome::Deny => false,
        Outcome::Ask => is_confirmed,
        Outcome::Abstain | Outcome::Allow | Outcome::Warn => true,
    })?;
    let profile = derive(trace.analysis.as_deref()?, &places, &lists);
    let job = Job { command, places: &places, profile: &profile, hidden: &hidden, learn: false };
    let exit = match guard_confine::run(&job) {
        Ok(ended) => Some(ended.code),
        // The command may have run, so it must not run again.
        Err(error @ ConfineError::Wait(_)) => {
            eprintln!("error: {error}");
            Some(Exit::Unavailable.code())
        }
        Err(_) => None,
    };
    // The process ends here, or becomes the second program. Freeing its memory first would only delay that.
    std::mem::forget((chain, trace));
    exit
}

/// Returns whether the command is confirmed, and the command. `None` if the command line has another form.
fn read(arguments: &[OsString]) -> Option<(bool, &[OsString])> {
    let [_, name, rest @ ..] = arguments else { return None };
    let (is_confirmed, command) = match rest {
        [option, end, command @ ..] if option == "--confirmed" && end == "--" => (true, command),
        [end, command @ ..] if end == "--" => (false, command),
        _ => return None,
    };
    (name == "run" && !command.is_empty()).then_some((is_confirmed, command))
}

/// Returns the call that runs the command.
fn call(command: &[OsString]) -> ToolCall {
    let line = command.iter().map(|text| word(&text.to_string_lossy())).collect::<Vec<_>>().join(" ");
    ToolCall::new("Bash", Map::from_iter([("command".to_owned(), Value::String(line))]))
}

/// Returns the trace of the call. `None` if a folder's policies still have to be compiled.
fn decide(
    chain: &Chain,
    call: &ToolCall,
    (at, facts): (&CallContext, &Arc<dyn Facts>),
    dirs: &AppDirs,
    environment: &Environment,
) -> Option<Trace> {
    let is_prepared = Cell::new(true);
    let nested = |folders: &[String]| {
        let open = Prepared::open(dirs, &environment.program, folders).filter(|chain| !chain.is_waiting());
        open.unwrap_or_else(|| {
            is_prepared.set(false);
            prepare_for(dirs, &environment.program, folders, &Overrides::default(), None)
        })
    };
    let trace = chain.decide(call, at, facts, AskOptions { nested: Some(&nested), ..AskOptions::default() });
    is_prepared.get().then_some(trace)
}

/// Returns the context of a call from the command line.
#[must_use]
pub fn context(environment: &Environment, cwd: String, facts: &dyn Facts) -> CallContext {
    let project_root = guard_facts::git_root(facts, &cwd, &environment.home).unwrap_or_else(|| cwd.clone());
    CallContext {
        cwd,
        project_root,
        home: environment.home.clone(),
        account_home: environment.account_home.clone(),
        harness: "command-line".to_owned(),
        ..CallContext::default()
    }
}

/// Returns the folders of a confined command.
#[must_use]
pub fn command_dirs<'a>(at: &CallContext, variable: &'a (dyn Fn(&str) -> Option<String> + Sync)) -> CommandDirs<'a> {
    let real = |path: &str| Path::new(path).canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    CommandDirs { cwd: real(&at.cwd), project: real(&at.project_root), home: real(&at.home), variable }
}

/// Returns the guarded files in the settings of the chain's policy.
#[must_use]
pub fn guarded_lists(prepared: &Prepared) -> Lists {
    let member = prepared.members.iter().find(|member| member.entry.name == GUARDS_FILES);
    let settings: Option<Value> = member.and_then(|member| serde_json::from_str(&member.entry.settings).ok());
    let list = |key: &str| Some((key.to_owned(), settings.as_ref()?.get(key)?.clone()));
    let lists: Map<String, Value> = ["blocked", "exempt"].into_iter().filter_map(list).collect();
    serde_json::from_value(Value::Object(lists)).unwrap_or_default()
}

/// Returns the paths that a confined command can't read: the guarded ones, and the state of guard-host.
#[must_use]
pub fn hidden_paths(places: &CommandDirs<'_>, lists: &Lists, dirs: &AppDirs) -> Vec<PathBuf> {
    let mut hidden = secrets::find(places, lists);
    hidden.push(dirs.state.canonicalize().unwrap_or_else(|_| dirs.state.clone()));
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_words(words: &[&str]) -> Option<(bool, usize)> {
        let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        read(&arguments).map(|(is_confirmed, command)| (is_confirmed, command.len()))
    }

    #[test]
    fn only_the_form_of_a_rewritten_call_is_read() {
        assert_eq!(read_words(&["guard-host", "run", "--", "bash", "-c", "x"]), Some((false, 3)));
        assert_eq!(read_words(&["guard-host", "run", "--confirmed", "--", "x"]), Some((true, 1)));
        for words in [
            &["guard-host", "run"][..],
            &["guard-host", "run", "--"],
            &["guard-host", "run", "x"],
            &["guard-host", "run", "--net", "--", "x"],
            &["guard-host", "run", "--confirmed", "--learn", "--", "x"],
            &["guard-host", "--state", "run", "--", "x"],
            &["guard-host", "check", "--", "x"],
        ] {
            assert_eq!(read_words(words), None, "{words:?}");
        }
    }
}
