//! `guard-host replay`: decides recorded calls again, by what holds here or by two configurations.
//!
//! One thread reads, all processors decide. Nothing is run, and nothing is written but the cache of compiled policies.

mod formats;
mod sides;
mod sources;
mod tally;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::args::{FailOn, ReplayArgs, ReplayFormat};
use super::print;
use super::subject::{circumstances, refused};
use guard_contract::call::ToolCall;
use guard_contract::exit::Exit;
use guard_engine::facts::Facts;
use guard_engine::facts::real::RealFacts;
use guard_engine::facts::recorded::{Record, Recording};
use guard_redact::{plain, redact, shorten};
use guard_state::Places;
use guard_state::environment::Environment;
use sides::Side;
use sources::{Job, Skipped, Sources, What, closed};
use tally::{Change, Decided, Group, Said, Sum, Tally};

/// The longest call that is shown, in bytes.
const SHOWN: usize = 160;

/// How many calls a thread takes at once, and how many such lots may wait.
const LOT: usize = 64;
const WAITING: usize = 8;

/// The stack of a thread that runs guests: theirs, and the host's on top.
const STACK_BYTES: usize = 8 << 20;

/// How often the terminal is told how far it is.
const PROGRESS: Duration = Duration::from_millis(200);

pub(super) fn run(args: &ReplayArgs, places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    let project = circumstances(environment, None).project_root;
    let scratch = tempfile::tempdir()?;
    let first = Side::first(places, environment)?;
    let second = match &args.against {
        Some(name) => Some(Side::second(name, places, environment, &project, scratch.path())?),
        None => None,
    };
    let decider = Decider { first, second, facts: Arc::new(RealFacts::new(environment.variables.clone())) };
    let tally = Mutex::new(Tally::default());
    let mut sources = Sources::new(environment);
    let read = decide_all(&args.sources, &mut sources, &decider, &tally);
    if io::stderr().is_terminal() {
        let _ = write!(io::stderr().lock(), "\r\u{1b}[2K");
    }
    read?;
    let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    let report = Report { sum: tally.sum(&sources.times), tally, sources, is_compared: args.against.is_some() };
    match args.format {
        ReplayFormat::Human => report.print()?,
        ReplayFormat::Json => print::line(&serde_json::to_string_pretty(&report.json())?)?,
    }
    let is_wanted = |group: &Group| match (args.fail_on, group.change) {
        (None, _) | (_, None) => false,
        (Some(FailOn::Any), Some(_)) => true,
        (Some(FailOn::Loosened), Some(change)) => change == Change::Loosened,
        (Some(FailOn::Tightened), Some(change)) => change == Change::Tightened,
    };
    Ok(if report.sum.groups.iter().any(is_wanted) { Exit::Failures } else { Exit::Success })
}

/// Reads all sources, and has every call that is new decided.
fn decide_all(
    paths: &[PathBuf],
    sources: &mut Sources<'_>,
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
            return Err(refused(Exit::Software, "there is no room for a thread", ""));
        }
        let mut lots = Lots { send, lot: Vec::with_capacity(LOT), shown: Instant::now(), sent: 0, tally };
        for path in paths {
            sources
                .read(path, &mut |job| lots.push(job))
                .map_err(|error| refused(Exit::NoInput, format!("`{}` cannot be read: {error}", path.display()), ""))?;
        }
        lots.flush()?;
        Ok(())
    })
}

/// Sends calls in lots, so that the threads seldom wait for each other.
struct Lots<'a> {
    send: SyncSender<Vec<Job>>,
    lot: Vec<Job>,
    shown: Instant,
    sent: u64,
    tally: &'a Mutex<Tally>,
}

impl Lots<'_> {
    fn push(&mut self, job: Job) -> io::Result<()> {
        self.lot.push(job);
        if self.lot.len() >= LOT { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sent += self.lot.len() as u64;
        let lot = std::mem::replace(&mut self.lot, Vec::with_capacity(LOT));
        self.send.send(lot).map_err(|_| closed())?;
        if self.shown.elapsed() >= PROGRESS && io::stderr().is_terminal() {
            self.shown = Instant::now();
            let done = self.tally.lock().unwrap_or_else(PoisonError::into_inner).done;
            let _ = write!(io::stderr().lock(), "\r\u{1b}[2K{done} calls decided, {} read", self.sent);
        }
        Ok(())
    }
}

/// What decides.
struct Decider {
    first: Side,
    second: Option<Side>,
    facts: Arc<dyn Facts>,
}

impl Decider {
    fn work(&self, lots: &Mutex<Receiver<Vec<Job>>>, tally: &Mutex<Tally>) {
        loop {
            let lot = lots.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(lot) = lot else { return };
            let decided: Vec<Decided> = lot.into_iter().map(|job| self.decide(job)).collect();
            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            decided.into_iter().for_each(|decided| tally.add(decided));
        }
    }

    fn decide(&self, Job { id, what }: Job) -> Decided {
        match what {
            What::Calls(calls, at) => {
                let recording = Arc::new(Recording::of(self.facts.clone()));
                let facts = recording.clone() as Arc<dyn Facts>;
                let say = |side: &Side| Said::of(side.decide(&calls, &at, &facts).as_ref());
                let (first, second) = (say(&self.first), self.second.as_ref().map(say));
                let rests = lacks(&recording.record());
                let text = shown(calls.first());
                Decided { id, first, second, rests, differs: false, text, cwd: plain(&redact(&at.cwd)) }
            }
            What::Decision(decision) => {
                let first = self.first.again(&decision);
                let second = self.second.as_ref().map(|side| side.again(&decision));
                let rests = decision.redacted || first.lacks || second.as_ref().is_some_and(|second| second.lacks);
                let second = second.map(|second| Said::of(Some(&second.verdict)));
                let first = Said::of(Some(&first.verdict));
                let differs = !first.is(&decision.outcome, &decision.rule);
                let text = shown(Some(&decision.call));
                Decided { id, first, second, rests, differs, text, cwd: plain(&redact(&decision.at.cwd)) }
            }
        }
    }
}

/// Something was asked for that is not there, and may have been when the call was made.
fn lacks(record: &Record) -> bool {
    let is_gone = |(path, entry): (&String, &String)| {
        // Whether a folder is a repository is asked of each on the way to the root.
        matches!(entry.as_str(), "absent" | "unknown") && !path.ends_with("/.git")
    };
    record.entries.iter().any(is_gone)
        || record.env.values().any(Option::is_none)
        || record.files.values().any(Result::is_err)
}

fn shown(call: Option<&ToolCall>) -> String {
    let Some(call) = call else { return String::new() };
    let text = redact(&call.operation());
    let text = plain(&text).split_whitespace().collect::<Vec<_>>().join(" ");
    let text = shorten(&text, SHOWN);
    if call.dialect.is_some() { text } else { format!("{}: {text}", plain(&call.tool)) }
}

struct Report<'a> {
    sum: Sum,
    tally: Tally,
    sources: Sources<'a>,
    is_compared: bool,
}

impl Report<'_> {
    fn skipped(&self) -> u64 {
        self.sources.skipped.values().map(|skipped| skipped.count).sum()
    }

    fn print(&self) -> anyhow::Result<()> {
        let Sum { calls, distinct, rest_on_missing, differing, groups } = &self.sum;
        print::line(&format!("{calls} calls, {distinct} of them different, in {} files", self.sources.files))?;
        for (reason, Skipped { count, places }) in &self.sources.skipped {
            let more = if *count > places.len() as u64 { ", ..." } else { "" };
            print::line(&format!("skipped {count}: {reason} ({}{more})", plain(&places.join(", "))))?;
        }
        if *rest_on_missing > 0 {
            print::line(&format!(
                "{rest_on_missing} of the different calls asked for files or variables that are not here, and may have been \
                 decided otherwise"
            ))?;
        }
        if *differing > 0 {
            print::line(&format!("\n{differing} of the different calls were decided otherwise by the log:"))?;
            for (call, now) in self.tally.differing.values() {
                print::line(&format!("    now {now}: {call}"))?;
            }
        }
        if !self.is_compared {
            print::line("")?;
            return groups.iter().try_for_each(|group| {
                let outcome = print::coloured(&format!("{:<8}", group.first.outcome), group.first.outcome);
                print::line(&format!("{outcome} {:>9} {:>9}  {}", group.calls, group.distinct, group.first.rule))
            });
        }
        let differences: Vec<&Group> = groups.iter().filter(|group| group.change.is_some()).collect();
        if differences.is_empty() {
            return print::line("\nno verdict differs");
        }
        let mut last = None;
        for group in differences {
            let (Some(change), Some(second)) = (group.change, &group.second) else { continue };
            if last != Some(change) {
                let of = groups.iter().filter(|group| group.change == Some(change));
                let (calls, distinct) =
                    of.fold((0, 0), |(calls, distinct), group| (calls + group.calls, distinct + group.distinct));
                print::line(&format!("\n{}: {calls} calls, {distinct} of them different", change.name()))?;
                last = Some(change);
            }
            print::line(&format!("  {} -> {second}  ({} calls)", group.first, group.calls))?;
            for example in &group.examples {
                let rests = if example.rests_on_missing { "  (asked for what is not here)" } else { "" };
                print::line(&format!("    {}{rests}", example.call))?;
            }
            if group.distinct > group.examples.len() as u64 {
                print::line(&format!("    and {} others", group.distinct - group.examples.len() as u64))?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let skipped = self
            .sources
            .skipped
            .iter()
            .map(|(reason, skipped)| json!({ "reason": reason, "count": skipped.count, "first": skipped.places }));
        let differing = self.tally.differing.values().map(|(call, now)| json!({ "call": call, "now": now }));
        json!({
            "calls": self.sum.calls,
            "distinct": self.sum.distinct,
            "files": self.sources.files,
            "skipped": skipped.collect::<Vec<_>>(),
            "skipped-count": self.skipped(),
            "rest-on-missing": self.sum.rest_on_missing,
            "decided-otherwise-by-the-log": { "distinct": self.sum.differing, "first": differing.collect::<Vec<_>>() },
            "groups": self.sum.groups,
        })
    }
}
