//! The hook: one payload in, one reply out, within a deadline, whatever happens.
//!
//! ```text
//! watchdog -> stdin -> decode -> prepared chain -> decide -> reply -> journal and audit
//! ```

mod consent;
mod responder;
mod journal;
mod outcome;
mod payload;
mod record;

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::cache::{self, Prepared, prepare_for};
use crate::chain::{Ask, Chain, Trace};
use guard_config::{Audit, Brought, BypassAsk, Config, OnMalformed};
use guard_contract::Outcome;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::paths::lexical;
use guard_contract::verdict::{Opinion, Verdict, merge};
use guard_engine::Engine;
use guard_engine::facts::real::RealFacts;
use guard_engine::facts::{self, Facts};
use guard_harness::capabilities::{Ask as Asking, Capabilities, Fail, Surface};
use guard_harness::{Event, Harness, Payload};
use guard_redact::redact;
use guard_state::environment::Environment;
use guard_state::{FileLock, Places};
pub use payload::{Refusal, parse};
use responder::Responder;
pub use responder::report;

/// What the hook's command line says.
#[derive(Debug, Clone, Default)]
pub struct HookOptions {
    /// The harness; none: the payload tells.
    pub harness: Option<String>,
    /// The policies that it asks, and the settings that it brings.
    pub brought: Brought,
    /// The folder in which payloads are kept as fixtures; none: they are not.
    pub record: Option<PathBuf>,
    /// Where the program's files lie.
    pub places: Option<Places>,
}

/// Answers the payload on standard input. Gives the exit code.
///
/// An error is one of the command line; it is answered like a fault, because a harness may take any other exit for
/// consent.
pub fn run(options: Result<HookOptions, String>, environment: &Environment) -> u8 {
    let (options, complaint) = match options {
        Ok(options) => (options, None),
        Err(complaint) => (HookOptions::default(), Some(complaint)),
    };
    let named = options.harness.as_deref().map(guard_harness::named);
    let complaint = match named {
        Some(None) => Some(format!("there is no harness `{}`", options.harness.unwrap_or_default())),
        _ => complaint,
    };
    let harness = named.flatten().unwrap_or_else(guard_harness::default);
    let places = options.places.unwrap_or_else(|| Places::below(&environment.home));
    let responder = Responder::start(harness, environment);
    if let Some(complaint) = complaint {
        let remedy = "correct the hook's registration; `guard-host hook --help` shows the arguments".to_owned();
        return responder.reply(&merge([Opinion::of_host("hook", "bad-arguments", Outcome::Ask, complaint, remedy)]));
    }
    let facts: Arc<dyn Facts> = Arc::new(RealFacts::new(environment.variables.clone()));
    let object = match payload::read() {
        Ok(object) => object,
        Err(refusal) => return refuse(&responder, harness, &refusal, &places, environment, &*facts),
    };
    let harness = guard_harness::detect(&object, harness);
    let surface = harness.surface_in(&object, &|variable| environment.variables.contains_key(variable));
    responder.speak(harness, surface);
    let exit = decide(&responder, (harness, surface), &object, &options.brought, &places, environment, &facts);
    if let Some(folder) = &options.record {
        let at = circumstances(harness, &Payload::nowhere(), environment, &*facts);
        record::keep(&environment.cwd, folder, harness.name(), &object, &at);
    }
    exit
}

fn decide(
    responder: &Arc<Responder>,
    (harness, surface): (&'static dyn Harness, &'static Surface),
    object: &Map<String, Value>,
    brought: &Brought,
    places: &Places,
    environment: &Environment,
    facts: &Arc<dyn Facts>,
) -> u8 {
    let payload = match harness.decode(object) {
        Ok(payload) => payload,
        Err(unreadable) => return refuse(responder, harness, &unreadable.into(), places, environment, &**facts),
    };
    let calls = match &payload.event {
        Event::Calls(calls) if !calls.is_empty() => calls,
        // Nothing is said, so nothing has to wait.
        Event::After(fate, calls) => {
            let exit = responder.reply(&merge([]));
            outcome::tell(places, harness.name(), &payload, *fate, calls);
            return exit;
        }
        Event::SessionEnd => {
            let exit = responder.reply(&merge([]));
            consent::end(places, &payload.session);
            return exit;
        }
        _ => return responder.reply(&merge([])),
    };
    let at = circumstances(harness, &payload, environment, &**facts);
    let engine = Engine::for_one_reply();
    if let Ok(engine) = &engine {
        responder.set_engine(engine.clone());
        cache::read_scripts(engine, &places.cache);
    }
    let prepared = prepared(places, environment, &at.projects(), &at.cwd, brought);
    let nested = |folders: &[String]| {
        let inner = folders.last().map_or("/", String::as_str);
        self::prepared(places, environment, folders, inner, &Brought::default())
    };
    responder.set_deadline(Duration::from_millis(prepared.config.deadline_ms.into()));
    note(responder, &prepared.config.audit, calls, &at);
    let Ok(engine) = engine else {
        let text = "the sandbox cannot start on this machine".to_owned();
        let remedy = "run `guard-host cache verify`".to_owned();
        return responder.reply(&merge([Opinion::of_host("hook", "no-sandbox", Outcome::Ask, text, remedy)]));
    };
    let chain = Chain::new(engine, prepared);
    let config = &chain.prepared.config;
    let mut traces: Vec<Trace> = Vec::with_capacity(calls.len());
    let mut worst = None;
    for call in calls {
        responder.set_record(&config.audit, call, &at);
        let watch = |opinion: &Opinion| responder.record_opinion(opinion);
        let ask = Ask { only: brought.only.as_deref(), watch: Some(&watch), nested: Some(&nested), ..Ask::default() };
        let trace = chain.decide(call, &at, facts, ask);
        let rank = guard_contract::rank(trace.verdict.outcome);
        if worst.is_none_or(|(highest, _)| rank > highest) {
            worst = Some((rank, call));
        }
        traces.push(trace);
    }
    if let Some((_, call)) = worst {
        responder.set_record(&config.audit, call, &at);
    }
    let verdict = Verdict::all(traces.iter().map(|trace| trace.verdict.clone()));
    let asks_itself = asks_itself(harness, surface, &at);
    let (verdict, question) = consent::answer(verdict, calls, &traces, &at, config, places, asks_itself);
    let verdict = if harness.skips_prompts(&at.permission_mode) { bypass(verdict, config.bypass_ask) } else { verdict };
    let exit = responder.reply(&verdict);
    journal::write(&chain.prepared, &at, &**facts, calls, &traces);
    if let Some(question) = question {
        let prompted = surface.ask == Asking::Person && harness.prompts(&at.permission_mode);
        question.note(verdict.outcome, prompted, outcome::key(&payload, calls));
    }
    // The process ends here; taking its memory apart first would only keep the harness waiting.
    std::mem::forget(chain);
    exit
}

/// The harness puts an ask to a person in this mode, so that nobody needs another way to confirm.
fn asks_itself(harness: &dyn Harness, surface: &Surface, at: &CallContext) -> bool {
    let mode = &at.permission_mode;
    let knows_no_modes = mode.is_empty() && harness.capabilities().modes.is_empty();
    surface.ask == Asking::Person && (knows_no_modes || harness.prompts(mode))
}

/// What becomes of an ask in a mode that skips prompts. To skip one says that a policy's question may go unanswered; that
/// a policy is broken is no such question.
pub fn bypass(mut verdict: Verdict, setting: BypassAsk) -> Verdict {
    if verdict.outcome != Outcome::Ask {
        return verdict;
    }
    let (outcome, spared) = match setting {
        BypassAsk::Ask => return verdict,
        BypassAsk::Deny => (Outcome::Deny, false),
        BypassAsk::Skip => {
            // Nothing waits for a confirmation.
            verdict.closing.clear();
            (Outcome::Warn, true)
        }
    };
    let mut asks: Vec<_> = verdict.findings.iter_mut().filter(|found| found.finding.outcome == Outcome::Ask).collect();
    if !asks.iter().any(|ask| spared && ask.of_host) {
        verdict.outcome = outcome;
    }
    for ask in asks.iter_mut().filter(|ask| !(spared && ask.of_host)) {
        ask.finding.outcome = outcome;
        if outcome == Outcome::Deny {
            ask.finding.message = guard_harness::text::refused(&ask.finding.message);
        }
    }
    verdict
}

/// Where the call happens: the harness's word first, then the machine's.
fn circumstances(
    harness: &dyn Harness,
    payload: &Payload,
    environment: &Environment,
    facts: &dyn Facts,
) -> CallContext {
    let variables = harness.capabilities().project_variables.iter().filter_map(|name| environment.variables.get(*name));
    let named = variables.into_iter().find(|root| root.starts_with('/')).map(|root| lexical(root, "/", ""));
    let session = match &named {
        _ if payload.cwd.starts_with('/') => payload.cwd.clone(),
        Some(root) if !harness.capabilities().runs_in_cwd => root.clone(),
        _ => environment.cwd.clone(),
    };
    let root = |cwd: &str| facts::git_root(facts, cwd, &environment.home).unwrap_or_else(|| cwd.to_owned());
    let (cwd, named) = match payload.directory.as_str() {
        "" => (session, named),
        // Where one call happens is not where the project is.
        directory => (lexical(directory, &session, &environment.home), named.or_else(|| Some(root(&session)))),
    };
    let own = root(&cwd);
    let repository = if named.as_ref().is_some_and(|named| *named != own) { own.clone() } else { String::new() };
    CallContext {
        cwd,
        project_root: named.unwrap_or(own),
        repository,
        home: environment.home.clone(),
        account_home: environment.account_home.clone(),
        session: payload.session.clone(),
        harness: harness.name().to_owned(),
        permission_mode: payload.permission_mode.clone(),
    }
}

/// The prepared chain; prepares it when something that it depends on has changed. Compiles nothing: another process does.
fn prepared(places: &Places, environment: &Environment, projects: &[String], cwd: &str, brought: &Brought) -> Prepared {
    let program = &environment.program;
    let open = Prepared::open_with(places, program, projects, brought);
    let prepared = open.unwrap_or_else(|| prepare_for(places, program, projects, brought, None));
    if prepared.is_waiting() {
        compile_beside(places, environment, cwd);
    }
    prepared
}

/// Starts a process that compiles what is not compiled yet, unless one is at it.
fn compile_beside(places: &Places, environment: &Environment, cwd: &str) {
    if FileLock::acquire(&warm_lock(places), environment.started).is_err() {
        return;
    }
    let mut warm = Command::new(&environment.program);
    for (flag, path) in places.arguments() {
        warm.arg(flag).arg(path);
    }
    warm.args(["cache", "warm"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if Path::new(cwd).is_dir() {
        warm.current_dir(cwd);
    }
    // Of a group of its own, for the harness may end this one's.
    let _ = warm.process_group(0).spawn();
}

/// The lock that is held while policies are compiled for all.
#[must_use]
pub fn warm_lock(places: &Places) -> PathBuf {
    places.cache.join("warm.lock")
}

/// Until the chain is asked, the first call stands for all in the log.
fn note(responder: &Responder, audit: &Audit, calls: &[ToolCall], at: &CallContext) {
    if let Some(call) = calls.first() {
        responder.set_record(audit, call, at);
    }
}

/// Answers what cannot be decided: malformed as the configuration says, unclear or beyond a limit with ask at least.
fn refuse(
    responder: &Responder,
    harness: &dyn Harness,
    refusal: &Refusal,
    places: &Places,
    environment: &Environment,
    facts: &dyn Facts,
) -> u8 {
    let at = circumstances(harness, &Payload::nowhere(), environment, facts);
    // Only the settings are needed, so nothing is made for them.
    let config = guard_config::load(places, &at.projects());
    responder.set_record(&config.audit, &ToolCall::new("", Map::new()), &at);
    match refused(refusal, &config, harness.capabilities()) {
        Some(verdict) => responder.reply(&verdict),
        None => responder.report(refusal.text()),
    }
}

/// Verdict for an unreadable payload; `None`: report it with exit code 1. Without a setting that is what is done where a
/// harness or its registration makes a block of it.
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
    let text = format!("the harness sent what cannot be read: {}", redact(text));
    let remedy = match refusal {
        Refusal::Malformed(_) | Refusal::Limit(_) => "make the call smaller, or run it yourself",
        Refusal::Unclear(_) => "run it yourself; `guard-host hook --help` says which harnesses are known",
    };
    let own = Opinion::of_host("hook", rule, outcome, text, remedy.to_owned());
    Some(merge(config.problems.iter().map(Opinion::of_problem).chain([own])))
}
