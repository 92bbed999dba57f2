//! Reads a session's history for a call, and adds the call to it.
//!
//! Effects are recorded, not texts. A call's effects are recorded before its reply, so that later calls are judged with
//! them. Denials and outcomes are recorded after the reply.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use guard_chain::Trace;
use guard_contract::call::ToolCall;
use guard_contract::syntax::{Analysis, Command, Effect};
use guard_contract::verdict::{Attributed, Opinion, Verdict};
use guard_contract::{Event, FactFault, Outcome, worse};
use guard_facts::{Disk, Entry, Facts, GitAsked};
use guard_redact::{plain, redact, shorten};
use guard_sdk::addresses::{host, is_here};
use guard_state::hex;
use guard_state::history::{History, HistoryError, PastEvents};
use guard_state::session::stamp;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

/// The maximum wait for the history's lock, which is usually held for microseconds.
const PATIENCE: Duration = Duration::from_millis(500);

/// The maximum number of events of one call. Further written files are recorded as one write to any file.
const EVENTS: usize = 128;

/// The maximum length of a target in bytes, the maximum length of a path.
const TARGET_BYTES: usize = 4096;

/// The maximum length of a tag in bytes.
const TAG_BYTES: usize = 400;

/// The tag with which a policy adds an event: the event's kind, a space, and its target.
const NOTE: &str = "history";

/// The kind of a denial.
const DENIED: &str = "denied";

/// The tag of a denial that identifies the call.
const CALL: &str = "call";

/// The rule of `session-guard` that denies a repeated attempt.
pub(crate) const RETRY: &str = "retry-after-deny";

/// The tag of its finding with an effect that was denied before.
const REPEATS: &str = "repeats";

/// The number of denials by one rule after which the person is notified.
const DENIALS: usize = 3;

/// The machine's facts with a session's history.
#[derive(Debug)]
pub(crate) struct SessionFacts {
    facts: Arc<dyn Facts>,
    history: History,
    /// The digest that identifies the call.
    call: String,
    past: OnceLock<Result<PastEvents, FactFault>>,
}

impl SessionFacts {
    /// Creates the facts for this call of the session.
    pub(crate) fn new(facts: Arc<dyn Facts>, history: History, call: &ToolCall) -> Self {
        SessionFacts { facts, history, call: digest(call), past: OnceLock::new() }
    }
}

/// Returns the facts for a call in the session with this id, or only the machine's facts without an id.
#[must_use]
pub fn in_session(facts: Arc<dyn Facts>, state: &Path, session: &str, call: &ToolCall) -> Arc<dyn Facts> {
    match History::open(state, session) {
        Some(history) => Arc::new(SessionFacts::new(facts, history, call)),
        None => facts,
    }
}

impl Disk for SessionFacts {
    fn entry(&self, path: &str) -> Entry {
        self.facts.entry(path)
    }

    fn read_head(&self, path: &str, cap: usize) -> Option<String> {
        self.facts.read_head(path, cap)
    }

    fn judged<'a>(&self, path: &'a str) -> Cow<'a, str> {
        self.facts.judged(path)
    }

    fn spelled(&self, path: String) -> String {
        self.facts.spelled(path)
    }

    fn runs_own_program(&self, command: &str) -> bool {
        self.facts.runs_own_program(command)
    }
}

impl Facts for SessionFacts {
    fn read_granted(&self, root: &str, path: &str, cap: usize) -> Result<String, FactFault> {
        self.facts.read_granted(root, path, cap)
    }

    fn read_source(&self, path: &str, cap: usize) -> Result<String, FactFault> {
        self.facts.read_source(path, cap)
    }

    fn env(&self, name: &str) -> Option<String> {
        self.facts.env(name)
    }

    fn history(&self, kind: &str) -> Result<Vec<Event>, FactFault> {
        let past = self.past.get_or_init(|| self.history.read().map_err(|_| FactFault::Failed));
        let mut events = past.as_ref().map_err(|fault| *fault)?.events(kind).map_err(|_| FactFault::Failed)?;
        // The same call again isn't an attempt in another way. The policy that denied it denies it again.
        events.retain(|event| event.kind != DENIED || tag(&event.tags, CALL) != Some(self.call.as_str()));
        Ok(events)
    }

    fn is_small(&self, path: &str) -> bool {
        self.facts.is_small(path)
    }

    fn held(&self, pattern: &str) -> Option<Vec<String>> {
        self.facts.held(pattern)
    }

    fn git(&self, asked: GitAsked<'_>, wait: Duration) -> Option<String> {
        self.facts.git(asked, wait)
    }
}

/// Records the effects of calls that aren't denied. Returns an opinion if that fails.
pub(crate) fn note_calls(history: &History, calls: &[ToolCall], traces: &[Trace], outcome: Outcome) -> Option<Opinion> {
    let mut events = Vec::new();
    for (call, trace) in calls.iter().zip(traces) {
        events.extend(call_events(call, trace));
        if outcome == Outcome::Ask {
            let asks = trace.verdict.asks().map(|asked| event("asked", call, asked.rule()));
            events.extend(asks);
        }
    }
    for event in &mut events {
        event.certain &= outcome != Outcome::Ask;
    }
    let is_decisive = events.iter().any(|event| matches!(event.kind.as_str(), "secret-read" | "download"));
    let error = history.append(bounded(events), PATIENCE).err()?;
    let text = format!("can't record this call in the history of the session: {error}");
    let remedy = match error {
        HistoryError::Damaged(_) => "ask the user to run `guard-host session clear --session ID`",
        HistoryError::Io(_) | HistoryError::Seal(_) => "run `guard-host doctor` to check the state folder",
    };
    let outcome = if is_decisive { Outcome::Ask } else { Outcome::Warn };
    Some(Opinion::from_host("session", "not-noted", outcome, text, remedy.to_owned()))
}

/// Records that calls were denied, with the rules and the effects for which `is_denied` returns true.
pub(crate) fn note_denials(
    history: &History,
    calls: &[ToolCall],
    traces: &[Trace],
    is_denied: impl Fn(&ToolCall, &Trace, &Effect) -> bool,
) {
    let mut events = Vec::new();
    for (call, trace) in calls.iter().zip(traces) {
        let denials = trace.verdict.findings.iter().filter(|found| found.finding.outcome == Outcome::Deny);
        let mut rules: Vec<String> = Vec::new();
        for found in denials.filter(|found| !found.of_host) {
            let rule = found.rule();
            // A denial of a repeated attempt isn't recorded again.
            if rules.contains(&rule) || found.finding.rule == RETRY {
                continue;
            }
            let mut denied = event(DENIED, call, rule.clone());
            denied.tags.push((CALL.to_owned(), digest(call)));
            denied.tags.push(("message".to_owned(), text(&found.finding.message)));
            let effects = trace.analysis.iter().flat_map(|analysis| &analysis.effects);
            for effect in effects.filter(|effect| is_lasting(effect)).take(EFFECTS) {
                if is_denied(call, trace, effect) {
                    denied.tags.push(("effect".to_owned(), named(effect)));
                }
            }
            rules.push(rule);
            events.push(denied);
        }
    }
    // A repeated call would fill the history without new information.
    let known = history.read().unwrap_or_default().events(DENIED).unwrap_or_default();
    events.retain(|denied| known.iter().filter(|other| is_same(other, denied)).count() < DENIALS);
    // The reply is out, and the rule will deny the next attempt as well.
    let _ = history.append(bounded(events), PATIENCE);
}

/// Returns whether two denials have the same effects and rule.
fn is_same(one: &Event, other: &Event) -> bool {
    let effects = |event: &Event| -> Vec<String> {
        let of = event.tags.iter().filter(|(name, _)| name == "effect");
        of.map(|(_, effect)| effect.clone()).collect()
    };
    one.target == other.target && effects(one) == effects(other)
}

/// The maximum number of effects of a denied call that are examined.
const EFFECTS: usize = 64;

/// Returns a notice for the person if a rule has denied often enough.
pub(crate) fn repeated(history: &History, verdict: &Verdict) -> Option<Opinion> {
    let rule = verdict.deciding().filter(|found| verdict.outcome == Outcome::Deny && !found.of_host)?.rule();
    let known = history.read().ok()?.events(DENIED).ok()?;
    let before = known.iter().filter(|event| event.target == rule).count();
    let text = format!("this is the third call of this session that `{rule}` denies");
    let remedy =
        "stop, and ask the user what to do; the user can review the session with `guard-host session show`".to_owned();
    (before + 1 == DENIALS).then(|| Opinion::from_host("session", "repeated-denials", Outcome::Warn, text, remedy))
}

/// Removes denials of repeated attempts from a verdict if another policy denies the call as well.
pub(crate) fn without_retries(mut verdict: Verdict) -> Verdict {
    let is_retry = |found: &Attributed| found.finding.rule == RETRY;
    let denies = |found: &Attributed| found.finding.outcome == Outcome::Deny && !is_retry(found);
    if verdict.findings.iter().any(denies) {
        verdict.findings.retain(|found| !is_retry(found));
    }
    verdict
}

/// Removes the denial of a repeated attempt from a trace if no rule stops one of the repeated effects by itself: after
/// `cat .env` was denied, listing its names is fine.
pub(crate) fn without_harmless_retries(mut trace: Trace, is_stopped: impl Fn(&Trace, &Effect) -> bool) -> Trace {
    let is_harmless = |found: &Attributed| {
        let repeated: Vec<&str> =
            found.finding.tags.iter().filter(|(name, _)| name == REPEATS).map(|(_, of)| of.as_str()).collect();
        let effects = || trace.analysis.iter().flat_map(|analysis| &analysis.effects).take(EFFECTS);
        let repeats = |effect: &&Effect| repeated.contains(&named(effect).as_str());
        found.finding.rule == RETRY
            && !repeated.is_empty()
            && !effects().filter(repeats).any(|effect| is_stopped(&trace, effect))
    };
    let harmless: Vec<bool> = trace.verdict.findings.iter().map(is_harmless).collect();
    if harmless.contains(&true) {
        let mut rest = harmless.into_iter();
        trace.verdict.findings.retain(|_| !rest.next().unwrap_or_default());
        let outcomes = trace.verdict.findings.iter().map(|found| found.finding.outcome);
        trace.verdict.outcome = outcomes.fold(Outcome::Abstain, worse);
    }
    trace
}

/// Records the outcomes of calls.
pub(crate) fn note_end(history: &History, kind: &str, calls: &[ToolCall], analyses: &[Option<Analysis>]) {
    let mut events = Vec::new();
    for (call, analysis) in calls.iter().zip(analyses) {
        match analysis {
            Some(analysis) if kind != "refused" => events.extend(programs(call, analysis).map(|(program, certain)| {
                let certain = certain && kind == "ran";
                Event { certain, ..event(kind, call, program) }
            })),
            _ => events.push(event(kind, call, String::new())),
        }
    }
    // The harness doesn't wait for this.
    let _ = history.append(bounded(events), PATIENCE);
}

/// Returns a call's programs with their verbs, such as `cargo test`, and whether the program certainly succeeded if the
/// call did.
fn programs(call: &ToolCall, analysis: &Analysis) -> impl Iterator<Item = (String, bool)> {
    let top = |command: &&Command| command.parent == 0 && command.via.is_empty() && !command.argv.is_empty();
    let is_joined = |command: &Command| {
        let position = &command.position;
        matches!(position.operator.as_str(), "" | "&&") && !position.background && position.within.is_empty()
    };
    let all_joined = analysis.commands.iter().filter(top).all(is_joined) && call.command().is_some();
    analysis.commands.iter().filter(top).map(move |command| {
        let is_last = command.position.index + 1 == command.position.length;
        let is_plain = |text: &str| {
            text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(&byte))
        };
        let mut words = command.argv.iter().map(|word| word.text.as_str());
        let program = words.next().unwrap_or_default();
        let program = redact(program.rsplit('/').next().unwrap_or_default());
        let rest = words.take_while(|word| is_plain(word)).take(2);
        let words: Vec<&str> = std::iter::once(program.as_str()).chain(rest).collect();
        (words.join(" "), all_joined && is_last && command.certain)
    })
}

/// Returns the events of a call for the history.
fn call_events(call: &ToolCall, trace: &Trace) -> Vec<Event> {
    let findings = trace.verdict.findings.iter().flat_map(|found| &found.finding.tags);
    let noted = findings.filter(|(name, _)| name == NOTE).filter_map(|(_, value)| value.split_once(' '));
    let mut events: Vec<Event> = noted.map(|(kind, target)| event(kind, call, target.to_owned())).collect();
    let Some(analysis) = &trace.analysis else { return events };
    let subject = |event: &Event| (event.kind.clone(), event.target.clone(), event.certain, event.tags.clone());
    let mut known: BTreeSet<_> = events.iter().map(subject).collect();
    let fetching = fetches(analysis);
    for effect in &analysis.effects {
        let path = || Some(effect.path.canonical.clone()).filter(|path| !path.is_empty() && !path.starts_with("/dev/"));
        let (kind, target) = match (effect.kind.as_str(), effect.operation.as_str()) {
            ("write", _) if tag(&effect.tags, "directory").is_none() => ("write", path()),
            ("delete", _) => ("delete", path()),
            (_, "network.request" | "network.connect") => ("request", Some(host(&effect.target))),
            (_, "network.upload" | "network.send" | "secret.send") => ("send", Some(host(&effect.target))),
            (_, "package.install") => ("install", Some(effect.target.clone())),
            (_, "git.remote") => ("remote", Some(effect.target.clone())),
            _ => continue,
        };
        let Some(target) = target else { continue };
        let from = fetching.get(&effect.command_id).filter(|_| kind == "write");
        let mut event = Event { certain: effect.certain, ..event(from.map_or(kind, |_| "download"), call, target) };
        let kept = effect.tags.iter().filter(|(name, _)| matches!(name.as_str(), "tree" | "archive" | "manager"));
        event.tags.extend(kept.cloned());
        event.tags.extend(from.map(|from| ("from".to_owned(), text(from))));
        if let Some(content) =
            call.input.get("content").and_then(|content| content.as_str()).filter(|_| kind == "write")
        {
            event.tags.push(("sha256".to_owned(), hex(&Sha256::digest(content))));
        }
        if known.insert(subject(&event)) {
            events.push(event);
        }
    }
    events
}

/// Returns the commands whose pipeline downloads something, with its source.
fn fetches(analysis: &Analysis) -> BTreeMap<u32, String> {
    let pipeline = |id: u32| analysis.commands.iter().find(|command| command.id == id).map(|it| it.position.pipeline);
    let requests = analysis.effects.iter().filter(|effect| effect.operation == "network.request");
    let from: Vec<(u32, String)> = requests
        .filter_map(|effect| Some((pipeline(effect.command_id)?, host(&effect.target))))
        .filter(|(_, host)| !is_here(host))
        .collect();
    let found = analysis.commands.iter().filter_map(|command| {
        let (_, host) = from.iter().find(|(pipeline, _)| *pipeline == command.position.pipeline)?;
        Some((command.id, host.clone()))
    });
    found.collect()
}

/// Returns whether a call may be denied because of an effect: it has a target and isn't a dry run.
fn is_lasting(effect: &Effect) -> bool {
    let has_target = !effect.path.canonical.is_empty() || !effect.target.is_empty();
    has_target && tag(&effect.tags, "dry-run").is_none()
}

/// Formats an effect: its operation and its target.
fn named(effect: &Effect) -> String {
    let is_path = !effect.path.canonical.is_empty();
    let (operation, target) = match is_path {
        true => (&effect.kind, &effect.path.canonical),
        false => (&effect.operation, &effect.target),
    };
    format!("{operation} {target}")
}

fn event(kind: &str, call: &ToolCall, target: String) -> Event {
    Event {
        number: 0,
        time: stamp(Timestamp::now()),
        kind: shorten(&plain(kind), TAG_BYTES),
        tool: shorten(&plain(&call.tool), TAG_BYTES),
        target: shorten(&target, TARGET_BYTES),
        certain: true,
        tags: Vec::new(),
    }
}

fn text(text: &str) -> String {
    shorten(&plain(&redact(text)), TAG_BYTES)
}

/// Limits the events to those that fit in a line of the history. Dropped writes are recorded as a write to any file.
fn bounded(mut events: Vec<Event>) -> Vec<Event> {
    let size = |event: &Event| {
        let tags: usize = event.tags.iter().map(|(name, value)| name.len() + value.len() + 16).sum();
        event.target.len() + tags + 256
    };
    let mut room = 48 << 10;
    let fits = |event: &Event| {
        room -= i64::try_from(size(event)).unwrap_or(i64::MAX).min(room);
        room > 0
    };
    let kept = events.iter().take(EVENTS).map(fits).take_while(|fits| *fits).count();
    let rest = events.split_off(kept);
    if let Some(first) = rest.into_iter().next() {
        let kind = if first.kind == "download" { "download" } else { "write" };
        events.push(Event { kind: kind.to_owned(), target: "/".to_owned(), certain: false, tags: Vec::new(), ..first });
    }
    events
}

/// Returns the digest that identifies a call.
fn digest(call: &ToolCall) -> String {
    let input = serde_json::to_string(&call.input).unwrap_or_default();
    let digest = hex(&Sha256::digest(format!("{}\0{input}", call.tool)));
    digest.get(..16).unwrap_or_default().to_owned()
}

fn tag<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
