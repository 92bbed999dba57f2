//! [`Copy`]: the copy of what calls destroy, made before they may run.

use std::io::ErrorKind;
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use guard_chain::Trace;
use guard_config::Config;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::policy::SELF_PROTECT;
use guard_contract::verdict::{Attributed, Opinion, Verdict, merge};
use guard_contract::{Layer, Outcome};
use guard_redact::shorten;
use guard_state::environment::Environment;
use guard_state::{AppDirs, FileLock};
use guard_undo::backup::{COMMAND, ChildAnswer, Task, may_lose, plan, record_unkept};
use guard_undo::{BackupCoverage, Loss, Losses, Rehearsal, Store, losses};

use crate::cache::Prepared;
use crate::hook::OpenCall;
use crate::{programs, zsh};

/// The tag of a finding whose only reason is a loss, with whether a copy restores it.
const RECOVERY: (&str, &str) = ("recovery", "recoverable");

/// The time for the child's start and cleanup, in addition to its budget.
const START: Duration = Duration::from_millis(150);

/// The time before the deadline at which the child is given up.
const RESERVE: Duration = Duration::from_millis(300);

/// The maximum number of copies at the same time. With more, the copying processes would delay other hooks.
const SLOTS: u32 = 4;

/// The maximum size of a child's answer in bytes.
const ANSWER_BYTES: u64 = 64 << 10;

/// The maximum size of the reason for a missing copy in a reply, in bytes.
const WHY_BYTES: usize = 160;

/// The copy of files that a call destroys.
#[derive(Debug, Default)]
pub struct Copy {
    /// The child's answer, or `None` if nothing is destroyed.
    answer: Option<ChildAnswer>,
    /// Whether nothing else can be lost.
    is_all: bool,
}

impl Copy {
    /// Starts a child that copies what these calls destroy. `verdict` is the reply if that takes too long.
    pub(crate) fn make(
        call: &OpenCall,
        config: &Config,
        (calls, traces): (&[ToolCall], &[Trace]),
        at: &CallContext,
        dirs: &AppDirs,
        environment: &Environment,
        verdict: &Verdict,
    ) -> Self {
        if !config.undo.enabled {
            return Copy::default();
        }
        let all = losses_of(calls, traces, environment);
        if !all.is_worth_a_copy() {
            return Copy::nothing_to_copy(&all);
        }
        call.set_decided(verdict);
        let begun = Instant::now();
        let left = Duration::from_millis(config.undo.max_ms.into()).min(call.left().saturating_sub(RESERVE));
        let until = begun + (left + START).min(call.left().saturating_sub(RESERVE));
        let is_all = !all.may_be_more;
        let task = |losses, left: Duration| task(losses, left, calls, (config, at, dirs));
        let unkept = |task: &Task, why: String| {
            record_unkept(task, &why);
            Copy { answer: Some(ChildAnswer::without_backup(why)), is_all }
        };
        let slot = match slot(&dirs.state, begun + left) {
            Ok(slot) => slot,
            Err(why) => return unkept(&task(all, left), why),
        };
        let task = task(all, left.saturating_sub(begun.elapsed()));
        let answer = ask(&task, environment, until);
        drop(slot);
        match answer {
            Ok(answer) => Copy { answer: Some(answer), is_all },
            Err(why) => unkept(&task, why),
        }
    }

    /// The copy that the hook would make of a call now, without making it.
    #[must_use]
    pub fn planned(
        call: &ToolCall,
        trace: &Trace,
        (config, at): (&Config, &CallContext),
        dirs: &AppDirs,
        environment: &Environment,
    ) -> Self {
        if !config.undo.enabled || trace.analysis.is_none() {
            return Copy::default();
        }
        let (calls, traces) = (std::slice::from_ref(call), std::slice::from_ref(trace));
        let all = losses_of(calls, traces, environment);
        if !all.is_worth_a_copy() {
            return Copy::nothing_to_copy(&all);
        }
        let is_all = !all.may_be_more;
        let answer = plan(&task(all, REHEARSAL, calls, (config, at, dirs)), Instant::now(), &environment.variables);
        Copy { answer: Some(answer), is_all }
    }

    /// The copy that the hook would make of a call within its limits, on a machine that can't be asked.
    #[must_use]
    pub fn assumed(call: &ToolCall, trace: &Trace, config: &Config) -> Self {
        let Some(mut all) = trace.analysis.as_deref().map(losses).filter(|_| config.undo.enabled) else {
            return Copy::default();
        };
        all.may_be_more |= runs_elsewhere(call);
        if !all.is_worth_a_copy() {
            return Copy::nothing_to_copy(&all);
        }
        let is_unkept = all.list.iter().any(|loss| matches!(loss, Loss::Unkept(_)));
        let kept = if is_unkept { BackupCoverage::Partly } else { BackupCoverage::Whole };
        let answer = ChildAnswer { kept, id: "assumed".to_owned(), why: String::new(), is_needless: false };
        Copy { answer: Some(answer), is_all: !all.may_be_more }
    }

    /// Returns the answer if there is nothing to copy, which includes whether the call certainly loses nothing.
    fn nothing_to_copy(losses: &Losses) -> Self {
        let is_all = losses.list.is_empty() && !losses.may_be_more;
        let needless =
            ChildAnswer { kept: BackupCoverage::Whole, id: String::new(), why: String::new(), is_needless: true };
        Copy { answer: is_all.then_some(needless), is_all }
    }

    /// Returns the copy's id, or an empty text without a copy.
    pub(crate) fn id(&self) -> &str {
        let answer = self.answer.as_ref().filter(|answer| answer.kept != BackupCoverage::Nothing);
        answer.map(|answer| answer.id.as_str()).unwrap_or_default()
    }

    /// Replaces the verdict's asks with a warning, if the only reason for each is a loss that the copy restores
    /// completely, and the configuration says so.
    #[must_use]
    pub fn in_place_of_asks(&self, mut verdict: Verdict, prepared: &Prepared) -> Verdict {
        let Some(answer) = self.answer_for_asks(&verdict, prepared).filter(|_| prepared.config.undo.instead_of_ask)
        else {
            return verdict;
        };
        let is_ask = |found: &Attributed| found.finding.outcome == Outcome::Ask;
        let (lifted, others): (Vec<_>, Vec<_>) = verdict.findings.into_iter().partition(is_ask);
        let text = match answer.is_needless {
            true => "nothing is lost: it doesn't exist, git has it, or this call makes it",
            false => "what this destroys is kept: guard-host undo",
        };
        let own = merge([Opinion::from_host("undo", "kept", Outcome::Warn, text.to_owned(), String::new())]);
        verdict = Verdict { findings: others, lifted: verdict.lifted, input: verdict.input, ..own.clone() };
        verdict.findings.extend(own.findings);
        verdict.lifted.extend(lifted);
        verdict
    }

    /// With `instead-of-ask` in `[undo]`, a call with this verdict would run with a warning in the place of its prompt.
    #[must_use]
    pub fn would_skip_prompt(&self, verdict: &Verdict, prepared: &Prepared) -> bool {
        self.answer_for_asks(verdict, prepared).is_some()
    }

    /// How much is kept of what the call destroys, and why there is not more; `None` if the call destroys nothing.
    #[must_use]
    pub fn coverage(&self) -> Option<(BackupCoverage, &str)> {
        let answer = self.answer.as_ref().filter(|answer| !answer.is_needless)?;
        let is_partly = answer.kept == BackupCoverage::Whole && !self.is_all;
        Some((if is_partly { BackupCoverage::Partly } else { answer.kept }, &answer.why))
    }

    /// Returns the child's answer if the copy restores everything that these asks are about.
    fn answer_for_asks(&self, verdict: &Verdict, prepared: &Prepared) -> Option<&ChildAnswer> {
        let config = &prepared.config;
        let may_lift = |asked: &Attributed| {
            let entry = prepared.members.iter().map(|member| &member.entry).find(|entry| entry.name == asked.policy);
            let is_tagged = |(name, value): &(String, String)| (name.as_str(), value.as_str()) == RECOVERY;
            let is_loss = asked.finding.tags.iter().any(is_tagged) && asked.policy != SELF_PROTECT && !asked.of_host;
            is_loss && entry.is_some_and(|entry| config.may_loosen(Layer::User, entry))
        };
        let is_whole = |answer: &&ChildAnswer| {
            answer.kept == BackupCoverage::Whole && (answer.is_needless || !answer.id.is_empty())
        };
        let answer = self.answer.as_ref().filter(|_| self.is_all).filter(is_whole)?;
        (verdict.outcome == Outcome::Ask && verdict.asks().all(may_lift)).then_some(answer)
    }

    /// Adds to an ask whether a copy is kept. A denied call destroys nothing, so it gets no such line.
    pub(crate) fn tell(&self, verdict: &mut Verdict, is_refused: bool) {
        let Some((kept, why)) = self.coverage() else { return };
        if verdict.outcome != Outcome::Ask || is_refused {
            return;
        }
        let line = match kept {
            BackupCoverage::Whole => "A copy is saved: guard-host undo".to_owned(),
            BackupCoverage::Partly => "A partial copy is saved: guard-host undo".to_owned(),
            BackupCoverage::Nothing => format!("No copy: {}", shorten(why, WHY_BYTES)),
        };
        verdict.closing = match verdict.closing.as_str() {
            "" => line,
            closing => format!("{line}\n{closing}"),
        };
    }
}

/// How long a rehearsal or a plan may take, which no call waits for.
const REHEARSAL: Duration = Duration::from_secs(5);

/// The number of attempts. The fastest one counts, because the machine may be briefly busy.
const ATTEMPTS: usize = 3;

/// The result of a rehearsal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RehearsalResult {
    /// The duration of the fastest copy, including the start of its process.
    pub took: Duration,
    /// Whether copies share their extents with files in this folder.
    pub shares_extents: bool,
}

/// Copies files in a temporary folder as for a call, and restores them. `project` is the folder in which calls run.
///
/// # Errors
///
/// The reason why no copy was made, or why the restored files differ.
pub fn rehearse(
    config: &Config,
    project: &Path,
    dirs: &AppDirs,
    environment: &Environment,
) -> Result<RehearsalResult, String> {
    let mut best: Option<RehearsalResult> = None;
    for _ in 0..ATTEMPTS {
        let rehearsal = Rehearsal::begin(&dirs.state).map_err(|error| error.to_string())?;
        let left_ms = u64::try_from(REHEARSAL.as_millis()).unwrap_or(u64::MAX);
        let started = Instant::now();
        let answer = ask(&rehearsal.task(left_ms, config.undo.max_bytes), environment, started + REHEARSAL)?;
        let took = started.elapsed();
        let shares_extents = rehearsal.shares_extents(project);
        rehearsal.restore(&answer, &environment.variables)?;
        if best.is_none_or(|best| took < best.took) {
            best = Some(RehearsalResult { took, shares_extents });
        }
    }
    best.ok_or_else(|| "no copy was tried".to_owned())
}

/// Returns the maximum time that a call waits for its copy: the budget, and the start of a process.
#[must_use]
pub fn patience(config: &Config) -> Duration {
    Duration::from_millis(config.undo.max_ms.into()) + START
}

/// Everything that these calls destroy.
fn losses_of(calls: &[ToolCall], traces: &[Trace], environment: &Environment) -> Losses {
    let mut all = Losses::default();
    for trace in traces {
        match trace.analysis.as_deref() {
            Some(analysis) => all.extend(losses(analysis)),
            None => all.may_be_more = true,
        }
    }
    all.may_be_more |= calls.iter().any(runs_elsewhere);
    let may_differ = |call: &ToolCall| call.command().is_some_and(|(text, _)| zsh::may_differ(text));
    all.may_be_more |= zsh::is_used(&environment.variables) && calls.iter().any(may_differ);
    all.list.retain(|loss| !matches!(loss, Loss::Git(git) if !may_lose(git, &environment.variables)));
    all
}

fn task(
    losses: Losses,
    left: Duration,
    calls: &[ToolCall],
    (config, at, dirs): (&Config, &CallContext, &AppDirs),
) -> Task {
    Task {
        state: dirs.state.clone(),
        left_ms: u64::try_from(left.as_millis()).unwrap_or_default(),
        max_bytes: config.undo.max_bytes,
        exclude: config.undo.exclude.clone(),
        tool: calls.first().map(|call| call.tool.clone()).unwrap_or_default(),
        call: calls.iter().map(text).collect::<Vec<_>>().join("\n"),
        session: at.session.clone(),
        project: at.project_root.clone(),
        losses,
    }
}

/// Returns whether the tool is only understood by its arguments' names, like those of MCP servers, so that its files
/// may be elsewhere.
fn runs_elsewhere(call: &ToolCall) -> bool {
    call.command().is_none() && call.paths().next().is_none()
}

/// Describes the call.
fn text(call: &ToolCall) -> String {
    match call.command() {
        Some((command, _)) => command.to_owned(),
        None => call.paths().collect::<Vec<_>>().join(" "),
    }
}

/// Waits for one of the slots for copying. `None` if the state folder can't be used, which the copying process will
/// report in detail.
fn slot(state: &Path, until: Instant) -> Result<Option<FileLock>, String> {
    // A server handles all calls in one process.
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = process::id().wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % SLOTS;
    match FileLock::acquire(&Store::in_state(state).folder().join(format!("slot-{number}")), until) {
        Ok(lock) => Ok(Some(lock)),
        Err(error) if error.kind() == ErrorKind::TimedOut => Err("too many calls are copied at once".to_owned()),
        Err(_) => Ok(None),
    }
}

fn ask(task: &Task, environment: &Environment, until: Instant) -> Result<ChildAnswer, String> {
    let unwritten = |_| "the call cannot be written".to_owned();
    let task = postcard::to_stdvec(task).map_err(unwritten)?;
    let left = || until.saturating_duration_since(Instant::now());
    let printed = programs::ask_tools(environment, COMMAND, task, ANSWER_BYTES, left)
        .map_err(|why| if why.contains("in time") { "copying takes too long".to_owned() } else { why })?;
    postcard::from_bytes(&printed).map_err(|_| "the process that copies ended without an answer".to_owned())
}
