//! The hook: always answers one payload with one reply, within a deadline.
//!
//! ```text
//! watchdog -> stdin -> decode -> prepared chain -> decide -> history -> reply -> journal and audit
//! ```

mod call_context;
mod confine;
mod consent;
mod remote_decision;
mod greeting;
mod open_call;
mod judge;
mod responder;
mod journal;
mod notes;
mod outcome;
mod record;
mod records;
mod settings_change;

use std::io::Read;
use std::path::PathBuf;
use std::process::{self, Command, Stdio};
use std::sync::Arc;

use crate::cache::{Prepared, prepare_for};
use crate::chain::Chain;
use crate::embedded;
use crate::remote::Child;
use call_context::call_context;
pub use consent::has_settings;
pub use guard_chain::bypass;
use guard_config::{Config, OnMalformed, Overrides};
use guard_contract::Outcome;
use guard_contract::call::CallContext;
use guard_contract::verdict::{Opinion, Verdict, merge};
use guard_engine::Engine;
use guard_facts::Facts;
use guard_facts::real::RealFacts;
use guard_harness::capabilities::{Capabilities, Fail};
pub use guard_harness::payload::{PAYLOAD_BYTES, Refusal, parse};
use guard_harness::{Harness, Payload};
use guard_platform::paths::native;
use guard_redact::redact;
use guard_state::environment::Environment;
use guard_state::{AppDirs, FileLock};
pub use judge::{Chains, Judge, Judgement, PayloadAnswer};
pub use open_call::{OpenCall, Unlogged};
pub use records::Records;
pub use remote_decision::is_asked_locally;
use responder::Responder;
pub use responder::report;
use serde_json::{Map, Value};

/// A size that most payloads don't exceed, in bytes.
const USUAL_BYTES: usize = 4 << 10;

/// The options of the hook's command line.
#[derive(Debug, Clone, Default)]
pub struct HookOptions {
    /// The harness, or `None` to detect it from the payload.
    pub harness: Option<String>,
    /// The overrides: the policies to ask, and settings.
    pub overrides: Overrides,
    /// The folder in which payloads are recorded as fixtures, if any.
    pub record: Option<PathBuf>,
    /// The paths of the program's files, if they aren't the defaults.
    pub dirs: Option<AppDirs>,
}

/// Answers the payload on standard input. Returns the exit code.
///
/// An error in the command line is answered like a fault, because a harness may take any other exit for consent.
pub fn run(options: Result<HookOptions, String>, environment: &Environment) -> u8 {
    let (options, complaint) = match options {
        Ok(options) => (options, None),
        Err(complaint) => (HookOptions::default(), Some(complaint)),
    };
    let named = options.harness.as_deref().map(guard_harness::find_harness);
    let complaint = match named {
        Some(None) => Some(format!("there is no harness `{}`", options.harness.unwrap_or_default())),
        _ => complaint,
    };
    let harness = named.flatten().unwrap_or_else(guard_harness::default);
    let dirs = options.dirs.unwrap_or_else(|| AppDirs::under_home(&environment.home));
    let responder = Responder::start(harness, environment, dirs.managed.exists());
    if let Some(complaint) = complaint {
        let remedy = "correct the hook's registration; `guard-host hook --help` shows the arguments".to_owned();
        responder.call.set_reply_form(harness, harness.capabilities().usual_surface());
        return responder.reply(&merge([Opinion::from_host("hook", "bad-arguments", Outcome::Ask, complaint, remedy)]));
    }
    let facts: Arc<dyn Facts> = Arc::new(RealFacts::new(environment.variables.clone()));
    let chains = OneReply { dirs: &dirs, environment, overrides: &options.overrides, responder: &responder };
    let variable = |name: &str| environment.variables.get(name).cloned();
    let judge = Judge {
        dirs: &dirs,
        environment,
        facts: &facts,
        overrides: &options.overrides,
        variable: &variable,
        chains: &chains,
        asker: &Child { environment },
    };
    let object = read();
    let harness = plain_protocol(&options.overrides, object.as_ref().ok()).unwrap_or(harness);
    let mut judged = judge.judge(&responder.call, harness, object.as_ref());
    let exit = match &judged.answer {
        PayloadAnswer::Verdict(verdict) => responder.reply(verdict),
        PayloadAnswer::Report(text) => responder.report(text),
    };
    judged.records.write(&responder.call, &dirs, &*facts);
    if let (Some(folder), Ok(object)) = (&options.record, &object) {
        let harness = guard_harness::detect(object, harness);
        let at = call_context(harness, &Payload::nowhere(), environment, &*facts);
        record::keep(&environment.cwd, folder, harness.name(), object, &at);
    }
    // The process ends here. Freeing its memory first would only delay the harness.
    std::mem::forget(judged);
    exit
}

/// The keys of a payload from a program that isn't a harness.
const PLAIN: [&str; 3] = ["tool_name", "tool_input", "cwd"];

/// Returns the protocol of the script that this program replaces, if the payload has that script's form.
fn plain_protocol(overrides: &Overrides, object: Option<&Map<String, Value>>) -> Option<&'static dyn Harness> {
    let [name] = overrides.only.as_deref()? else { return None };
    let is_plain = |object: &Map<String, Value>| object.keys().all(|key| PLAIN.contains(&key.as_str()));
    object.filter(|object| object.contains_key("tool_name") && is_plain(object))?;
    let builtin = guard_builtins::find(name)?;
    let started = std::env::args_os().next().map(PathBuf::from)?;
    let is_script = started.file_name().and_then(|name| name.to_str()) == builtin.called;
    guard_harness::find_harness(builtin.plain_answers.filter(|_| is_script)?)
}

/// The chains of a process that ends after its reply.
struct OneReply<'a> {
    dirs: &'a AppDirs,
    environment: &'a Environment,
    overrides: &'a Overrides,
    responder: &'a Responder,
}

impl Chains for OneReply<'_> {
    fn chain(&self, at: &CallContext) -> Arc<Chain> {
        let engine = Engine::for_one_reply();
        self.responder.set_engine(engine.clone());
        embedded::load_from_cache(&engine, self.dirs);
        Arc::new(Chain::new(engine, self.prepared(&at.projects(), &at.cwd, self.overrides)))
    }

    fn nested(&self, folders: &[String]) -> Prepared {
        let inner = folders.last().map_or("/", String::as_str);
        self.prepared(folders, inner, &Overrides::default())
    }
}

impl OneReply<'_> {
    fn prepared(&self, projects: &[String], cwd: &str, overrides: &Overrides) -> Prepared {
        // The compiling process isn't waited for, because this process ends first.
        open_chain(self.dirs, self.environment, projects, cwd, overrides).0
    }
}

/// Reads the payload from standard input.
fn read() -> Result<Map<String, Value>, Refusal> {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    // The standard library's handle would have an additional buffer.
    let read = guard_platform::process::input().and_then(|input| input.take(PAYLOAD_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| Refusal::Malformed(format!("cannot read standard input: {error}")))?;
    parse(bytes)
}

/// Opens the prepared chain of these projects, and prepares it again if something that it depends on has changed.
/// Compiles nothing itself, but starts a process for that and returns it. A long-running process has to wait for it.
pub fn open_chain(
    dirs: &AppDirs,
    environment: &Environment,
    projects: &[String],
    cwd: &str,
    overrides: &Overrides,
) -> (Prepared, Option<process::Child>) {
    let open = Prepared::open_with(dirs, &environment.program, projects, overrides);
    let prepared = open.unwrap_or_else(|| prepare_for(dirs, &environment.program, projects, overrides, None));
    let compiling = prepared.is_waiting().then(|| compile_beside(dirs, environment, cwd)).flatten();
    (prepared, compiling)
}

/// Starts a process that compiles missing artifacts, unless one is running.
fn compile_beside(dirs: &AppDirs, environment: &Environment, cwd: &str) -> Option<process::Child> {
    FileLock::acquire(&warm_lock(dirs), environment.started).ok()?;
    let mut warm = Command::new(&environment.program);
    for (flag, path) in dirs.arguments() {
        warm.arg(flag).arg(path);
    }
    warm.args(["cache", "warm"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let cwd = native(cwd);
    if cwd.is_dir() {
        warm.current_dir(cwd);
    }
    // In its own process group, because the harness may end this one's.
    guard_platform::process::own_group(&mut warm).spawn().ok()
}

/// Returns the lock that is held while policies are compiled.
#[must_use]
pub fn warm_lock(dirs: &AppDirs) -> PathBuf {
    dirs.cache.join("warm.lock")
}

/// Returns the verdict for an unreadable payload, or `None` to report it with exit code 1. That is the default in
/// harnesses where exit code 1 blocks the call.
pub fn refused(refusal: &Refusal, config: &Config, capabilities: &Capabilities) -> Option<Verdict> {
    let usual = match capabilities.on_exit_one {
        Fail::Closed | Fail::Switch(_) => OnMalformed::Report,
        Fail::Open | Fail::Unknown => OnMalformed::Ask,
    };
    let outcome = match (refusal, config.on_malformed.unwrap_or(usual)) {
        (_, OnMalformed::Deny) => Outcome::Deny,
        (Refusal::Limit(_) | Refusal::Unclear(_), _) | (Refusal::Malformed(_), OnMalformed::Ask) => Outcome::Ask,
        (Refusal::Malformed(_), OnMalformed::Report) if config.problems.is_empty() => return None,
        (Refusal::Malformed(_), OnMalformed::Report | OnMalformed::Allow) => Outcome::Abstain,
    };
    let (rule, text) = match refusal {
        Refusal::Malformed(text) => ("malformed-payload", text),
        Refusal::Limit(text) => ("payload-limit", text),
        Refusal::Unclear(text) => ("unclear-call", text),
    };
    let text = format!("the payload from the harness can't be read: {}", redact(text));
    let remedy = match refusal {
        Refusal::Malformed(_) => "ask the user to run `guard-host doctor`",
        Refusal::Limit(_) => "make the call smaller, or ask the user to run it",
        Refusal::Unclear(_) => "ask the user to run it; `guard-host hook --help` lists the supported harnesses",
    };
    let own = Opinion::from_host("hook", rule, outcome, text, remedy.to_owned());
    Some(merge(config.problems.iter().map(Opinion::from_problem).chain([own])))
}
