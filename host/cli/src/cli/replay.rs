//! `guard-host replay`: decides recorded calls again, with the configuration here or with two configurations.
//!
//! One thread reads, and all processors decide. No calls are run, and nothing is written except the cache of compiled
//! policies.

mod formats;
pub(super) mod page;
mod replayed;
mod revision;
mod sides;
mod sources;
mod tally;

use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::args::{FailOn, ReplayArgs, ReplayFormat};
use super::print;
use super::subject::{call_context, exit_error};
use guard_contract::exit::Exit;
use guard_facts::Facts;
use guard_facts::real::RealFacts;
use guard_facts::recorded::{Record, Recording};
use guard_hook::audit::{Decision, RepeatedDecision};
use guard_redact::plain;
use guard_state::AppDirs;
use guard_state::environment::Environment;
pub(super) use replayed::Replayed;
pub(super) use revision::{CALLS, CONFIGURATION, copy_files, files_at, is_configuration, is_ignored, revision};
use sides::Side;
use sources::{CallSource, Job, Sources, closed_error};
use tally::{Change, ReplayedCall, SideDecision, Tally};

/// The number of calls in a batch for a thread, and the number of batches that may wait.
const LOT: usize = 64;
const WAITING: usize = 8;

/// The stack size of a thread that runs guests: for the guest and the host.
const STACK_BYTES: usize = 8 << 20;

/// The interval between updates of the progress.
const PROGRESS: Duration = Duration::from_millis(200);

pub(super) fn run(args: &ReplayArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let against = args.against.as_deref().map(|name| Against { name, is_managed: args.managed });
    let replayed = replay_against(against, dirs, environment, |sources, _, each| {
        let unreadable =
            |path: &Path, error| exit_error(Exit::NoInput, format!("`{}` cannot be read: {error}", path.display()), "");
        args.sources.iter().try_for_each(|path| sources.read(path, each).map_err(|error| unreadable(path, error)))
    })?;
    match args.format {
        ReplayFormat::Human => replayed.print()?,
        ReplayFormat::Json => print::json(&replayed.json())?,
        ReplayFormat::Html => print::line(&page::html(&replayed))?,
    }
    if replayed.sum.calls == 0 {
        print::note("warning: no call was read");
        return Ok(Exit::Data);
    }
    let is_wanted = |(change, _): (Change, _)| match args.fail_on {
        None => false,
        Some(FailOn::Any) => true,
        Some(FailOn::Loosened) => change == Change::Loosened,
        Some(FailOn::Tightened) => change == Change::Tightened,
    };
    Ok(if replayed.differences().any(is_wanted) { Exit::Failures } else { Exit::Success })
}

/// Returns whether `--config` selects a policy instead of a configuration file.
pub(super) fn selects_policy(dirs: &AppDirs) -> bool {
    sides::selected_policy(dirs).is_some()
}

/// Receives jobs. Fails if no thread decides them any more.
pub(super) type Take<'a> = dyn FnMut(Job) -> io::Result<()> + 'a;

/// The version to compare with.
#[derive(Clone, Copy)]
struct Against<'a> {
    name: &'a str,
    /// Whether it is a file in the place of the managed one.
    is_managed: bool,
}

/// Decides the jobs from `read` with the configuration here and the one in `against`. If `against` is a revision,
/// `read` gets the folder with its `.guard` files.
pub(super) fn replay<'a>(
    against: Option<&str>,
    dirs: &AppDirs,
    environment: &'a Environment,
    read: impl FnOnce(&mut Sources<'a>, Option<&Path>, &mut Take<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Replayed<'a>> {
    replay_against(against.map(|name| Against { name, is_managed: false }), dirs, environment, read)
}

fn replay_against<'a>(
    against: Option<Against<'_>>,
    dirs: &AppDirs,
    environment: &'a Environment,
    read: impl FnOnce(&mut Sources<'a>, Option<&Path>, &mut Take<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Replayed<'a>> {
    let project = call_context(environment, None).project_root;
    let scratch = tempfile::tempdir()?;
    let here = Side::local(dirs, environment)?;
    let other =
        against.map(|against| Side::second(against, dirs, environment, &project, scratch.path())).transpose()?;
    // A revision is an earlier state. A file or policy is a possible later state.
    let revision = other.as_ref().and_then(Side::revision);
    let is_here_second = revision.is_some();
    let read_as = other.as_ref().map_or("", |side| side.read_as);
    let (first, second) = match other {
        Some(before) if is_here_second => (before, Some(here)),
        other => (here, other),
    };
    let decider =
        Decider { first, second, is_here_second, facts: Arc::new(RealFacts::new(environment.variables.clone())) };
    let tally = Mutex::new(Tally::default());
    let mut sources = Sources::new(environment);
    let done = decide_all(|take| read(&mut sources, revision.as_deref(), take), &decider, &tally);
    if print::shows_progress() {
        let _ = write!(io::stderr().lock(), "\r\u{1b}[2K");
    }
    done?;
    let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Replayed {
        sum: tally.sum(&sources.times),
        tally,
        sources,
        against: against.map(|against| plain(against.name)),
        read_as,
    })
}

/// Decides every job from `read`.
fn decide_all(
    read: impl FnOnce(&mut Take<'_>) -> anyhow::Result<()>,
    decider: &Decider,
    tally: &Mutex<Tally>,
) -> anyhow::Result<()> {
    let (send, receive) = sync_channel::<Vec<Job>>(WAITING);
    let receive = Mutex::new(receive);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let work = || decider.work(&receive, tally);
        let spawn = |_| thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).is_ok();
        if (0..threads).filter(|number| spawn(*number)).count() == 0 {
            return Err(exit_error(Exit::Software, "there is no room for a thread", ""));
        }
        let mut lots = JobBatches { send, lot: Vec::with_capacity(LOT), shown: Instant::now(), sent: 0, tally };
        read(&mut |job| lots.push(job))?;
        lots.flush()?;
        Ok(())
    })
}

/// Sends calls in batches, so that the threads rarely wait for each other.
struct JobBatches<'a> {
    send: SyncSender<Vec<Job>>,
    lot: Vec<Job>,
    shown: Instant,
    sent: u64,
    tally: &'a Mutex<Tally>,
}

impl JobBatches<'_> {
    fn push(&mut self, job: Job) -> io::Result<()> {
        self.lot.push(job);
        if self.lot.len() >= LOT { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sent += self.lot.len() as u64;
        let lot = std::mem::replace(&mut self.lot, Vec::with_capacity(LOT));
        self.send.send(lot).map_err(|_| closed_error())?;
        if self.shown.elapsed() >= PROGRESS && print::shows_progress() {
            self.shown = Instant::now();
            let done = self.tally.lock().unwrap_or_else(PoisonError::into_inner).done;
            let _ = write!(io::stderr().lock(), "\r\u{1b}[2K{done} calls decided, {} read", self.sent);
        }
        Ok(())
    }
}

/// The two sides that decide the calls, and the facts.
struct Decider {
    first: Side,
    second: Option<Side>,
    /// Whether the second side is the configuration here, instead of the first one.
    is_here_second: bool,
    facts: Arc<dyn Facts>,
}

impl Decider {
    fn work(&self, lots: &Mutex<Receiver<Vec<Job>>>, tally: &Mutex<Tally>) {
        loop {
            let lot = lots.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(lot) = lot else { return };
            let decided: Vec<ReplayedCall> = lot.into_iter().map(|job| self.decide(job)).collect();
            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            decided.into_iter().for_each(|decided| tally.add(decided));
        }
    }

    fn decide(&self, Job { id, what }: Job) -> ReplayedCall {
        match what {
            CallSource::Calls(calls, at) => {
                let recording = Arc::new(Recording::new(self.facts.clone()));
                let facts = recording.clone() as Arc<dyn Facts>;
                let say = |side: &Side| {
                    let (verdict, spared) = side.decide(&calls, &at, &facts);
                    (SideDecision::from_verdict(verdict.as_ref()), spared)
                };
                let (first, second) = (say(&self.first), self.second.as_ref().map(say));
                let spared = second.as_ref().filter(|_| self.is_here_second).unwrap_or(&first).1;
                let (first, second) = (first.0, second.map(|(said, _)| said));
                let rests = lacks(&recording.record());
                let call = calls.into_iter().next();
                ReplayedCall { id, first, second, rests, differs: false, spared, call, cwd: at.cwd.clone() }
            }
            CallSource::Decision(decision) => {
                let first = self.first.repeat(&decision);
                let second = self.second.as_ref().map(|side| side.repeat(&decision));
                let rests = decision.redacted || first.lacks || second.as_ref().is_some_and(|second| second.lacks);
                // The log has the verdict without the note about watched policies.
                let here = second.as_ref().filter(|_| self.is_here_second).unwrap_or(&first);
                let side = self.second.as_ref().filter(|_| self.is_here_second).unwrap_or(&self.first);
                let spared = side.skips_prompt(&decision.call, &here.trace, &decision.at);
                let differs =
                    !SideDecision::from_verdict(Some(&here.trace.verdict)).is(&decision.outcome, &decision.rule);
                let say = |side: &Side, again: RepeatedDecision| {
                    SideDecision::from_verdict(Some(&side.verdict_with_notes(
                        &decision.call,
                        again.trace,
                        &decision.at,
                    )))
                };
                let first = say(&self.first, first);
                let second = self.second.as_ref().zip(second).map(|(side, again)| say(side, again));
                let Decision { call, at, .. } = *decision;
                ReplayedCall { id, first, second, rests, differs, spared, call: Some(call), cwd: at.cwd }
            }
        }
    }
}

/// Returns whether a requested file or variable is missing that may have existed when the call was made.
fn lacks(record: &Record) -> bool {
    let is_gone = |(path, entry): (&String, &String)| {
        // Each folder up to the root is tested for a repository.
        matches!(entry.as_str(), "absent" | "unknown") && !path.ends_with("/.git")
    };
    record.entries.iter().any(is_gone)
        || record.env.values().any(Option::is_none)
        || record.files.values().any(Result::is_err)
}
