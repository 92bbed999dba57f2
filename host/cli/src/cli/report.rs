//! `guard-host audit report`: the audit log as one page to look at.

mod chart;
mod copies;
mod page;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::Timestamp;
use serde_json::Value;

use super::args::ReportArgs;
use super::asked::{self, Asked, Questions, Suggestion};
use super::explain::{analysis_lines, understood};
use super::replay::{Replayed, replay};
use super::subject::{Evaluators, circumstances, refused, tool_calls};
use super::{html, log, print};
use copies::Copies;
use guard_config::load;
use guard_contract::exit::Exit;
use guard_hook::audit::{Decision, Record, Selection, Stats};
use guard_hook::chain::Trace;
use guard_redact::{plain, shorten};
use guard_state::environment::Environment;
use guard_state::session::stamp;
use guard_state::{Places, write_new};

/// The most different calls that are listed: the latest ones.
const CALLS: usize = 4000;

/// The most of them whose commands and effects are drawn.
const TREES: usize = 1500;

/// The longest call and the longest tree that are shown, in bytes. With the limits above the page stays below 10 MB.
const CALL_BYTES: usize = 600;
const TREE_BYTES: usize = 2400;

/// The longest name of a rule or a folder, in bytes.
const NAME_BYTES: usize = 160;

/// The most calls that are listed among those that were asked about most.
const MOST: usize = 10;

/// How much of a file tells whether it is a report.
const HEAD_BYTES: u64 = 4096;

/// The most different calls that are remembered while the log is read.
const REMEMBERED: usize = 200_000;

/// What is shown.
struct Report<'a> {
    made: String,
    stats: Stats,
    folders: BTreeMap<String, u64>,
    agents: BTreeMap<String, u64>,
    /// The calls that were asked about most.
    asked: Vec<Asked>,
    /// Questions of all calls, and what is known of them.
    questions: [u64; 3],
    suggestions: Vec<Suggestion>,
    copies: Copies,
    calls: Vec<Call>,
    /// Different calls that are not listed.
    left_out: usize,
    /// The calls decided again, if there is something to compare with.
    replayed: Option<Replayed<'a>>,
}

/// A call as often as it was seen.
#[derive(Debug, Clone, Default)]
struct Call {
    action: String,
    rule: String,
    tool: String,
    operation: String,
    cwd: String,
    /// Those who made it, and their sessions: the first ones.
    agents: BTreeSet<String>,
    sessions: BTreeSet<String>,
    times: u64,
    first: String,
    last: String,
    /// The last line's.
    id: String,
    tree: Option<Tree>,
}

/// The commands and effects of a call.
#[derive(Debug, Clone)]
struct Tree {
    /// How far they are understood.
    how: &'static str,
    text: String,
    /// They come from what the log recorded of the machine, and not from what it is like now.
    is_recorded: bool,
}

impl Tree {
    fn of(trace: &Trace, is_recorded: bool) -> Option<Self> {
        let analysis = trace.analysis.as_ref()?;
        let text = shorten(&analysis_lines(analysis).join("\n"), TREE_BYTES);
        Some(Tree { how: understood(analysis), text, is_recorded })
    }
}

pub(super) fn run(args: &ReportArgs, places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    let config = load(places, &circumstances(environment, None).projects());
    let (mut stats, mut questions) = (Stats::default(), Questions::default());
    let (mut folders, mut agents) = (BTreeMap::new(), BTreeMap::new());
    let mut calls: HashMap<[String; 5], Call> = HashMap::new();
    let mut copies = Copies::default();
    let mut forgotten = 0;
    let (log, selection) = (&config.audit.path, log::selection(&args.filters)?);
    stats.damaged = log::each(log, &selection, |record, _| {
        stats.add(record);
        questions.add(record);
        copies.see(record);
        count(&mut folders, &record.cwd);
        count(&mut agents, &agent(record));
        let call = Call::of(record);
        let key = [&call.action, &call.rule, &call.tool, &call.operation, &call.cwd].map(String::clone);
        if calls.len() < REMEMBERED || calls.contains_key(&key) {
            calls.entry(key).or_insert(call).see(record);
        } else {
            forgotten += 1;
        }
        Ok(())
    })?;
    copies.add_kept(places, &selection);
    let asked = questions.most();
    let sums = asked
        .iter()
        .fold([0, 0, 0], |[asks, ran, refused], asked| [asks + asked.asks, ran + asked.ran, refused + asked.refused]);
    let suggestions = asked::suggest(&asked, places, environment)?;
    let mut calls: Vec<Call> = calls.into_values().collect();
    calls.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.operation.cmp(&b.operation)));
    let left_out = forgotten + calls.len().saturating_sub(CALLS);
    calls.truncate(CALLS);
    draw_as_recorded(&mut calls, log, &selection, places, environment)?;
    draw(&mut calls, places, environment)?;
    let again = |name| {
        replay(Some(name), places, environment, |sources, _, each| {
            log::each(log, &selection, |_, line| Ok(sources.log_line(line, log, each)?))?;
            Ok(())
        })
    };
    let replayed = args.against.as_deref().map(again).transpose()?;
    let report = Report {
        made: stamp(Timestamp::now()),
        stats,
        folders,
        agents,
        asked: asked.into_iter().take(MOST).collect(),
        questions: sums,
        suggestions,
        copies,
        calls,
        left_out,
        replayed,
    };
    let html = page::html(&report);
    let path = Path::new(&environment.cwd).join(&args.output);
    if is_of_others(&path) {
        let text = format!("`{}` is there, and is no report", path.display());
        return Err(refused(Exit::Usage, text, "give another `--output`"));
    }
    write_new(&path, html.as_bytes(), 0o600).map_err(|error| {
        refused(Exit::NoInput, format!("`{}` cannot be written: {error}", path.display()), "give another `--output`")
    })?;
    print::status(&format!("wrote {} ({} lines of the log)", path.display(), report.stats.lines))?;
    if args.open {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let mut start = Command::new(opener);
        start.arg(&path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let failed = |error| refused(Exit::Unavailable, format!("`{opener}` does not start: {error}"), "");
        start.spawn().map_err(failed)?;
    }
    Ok(Exit::Success)
}

/// Something is there that is no report, and would be lost.
fn is_of_others(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    let is_report = read.is_ok() && String::from_utf8_lossy(&head).contains(html::MARK);
    path.symlink_metadata().is_ok_and(|data| !data.is_file() || !is_report)
}

/// Counts a name. More of them than can be shown are one.
fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    let name = shorten(&plain(name), NAME_BYTES);
    let name = if counts.len() < CALLS || counts.contains_key(&name) { name } else { "(others)".to_owned() };
    *counts.entry(name).or_default() += 1;
}

impl Call {
    fn of(record: &Record) -> Self {
        let text = |text: &str, bytes| shorten(&plain(text), bytes);
        let rule = match record.policy.as_str() {
            "" => record.rule.clone(),
            policy => format!("{policy}:{}", record.rule),
        };
        Call {
            action: text(word(&record.action), NAME_BYTES),
            rule: text(&rule, NAME_BYTES),
            tool: text(&record.tool, NAME_BYTES),
            operation: text(&record.operation, CALL_BYTES),
            cwd: text(&record.cwd, NAME_BYTES),
            first: text(&record.ts, NAME_BYTES),
            ..Call::default()
        }
    }

    fn see(&mut self, record: &Record) {
        self.times += 1;
        if record.ts > self.last {
            self.last = shorten(&plain(&record.ts), NAME_BYTES);
            self.id.clone_from(&record.id);
        }
        let insert = |names: &mut BTreeSet<String>, name: &str| {
            if names.len() < MOST && !name.is_empty() {
                names.insert(shorten(&plain(name), NAME_BYTES));
            }
        };
        insert(&mut self.agents, &agent(record));
        insert(&mut self.sessions, &record.session);
    }
}

/// What people call an action of the log.
pub(super) fn word(action: &str) -> &str {
    match action {
        "block" => "deny",
        "confirm_required" => "ask",
        "confirmed_allow" => "confirmed",
        "error" => "fault",
        other => other,
    }
}

/// Who made a call: the harness, and the kind of its subagent if it tells one.
pub(super) fn agent(record: &Record) -> String {
    match record.agent.as_str() {
        "" => record.harness.clone(),
        agent => format!("{} ({agent})", record.harness),
    }
}

/// Draws the commands and effects of those calls of which the log has all that they rest on.
fn draw_as_recorded(
    calls: &mut [Call],
    log: &Path,
    selection: &Selection,
    places: &Places,
    environment: &Environment,
) -> anyhow::Result<()> {
    let mut wanted: HashMap<String, &mut Call> =
        calls.iter_mut().filter(|call| !call.id.is_empty()).take(TREES).map(|call| (call.id.clone(), call)).collect();
    let mut evaluators = Evaluators::new(places, environment);
    log::each(log, selection, |record, line| {
        if let Some(call) = wanted.remove(&record.id)
            && let Some(decision) = Decision::of_line(line)
        {
            call.tree = Tree::of(&evaluators.at(&decision.at)?.again(&decision), true);
        }
        Ok(())
    })?;
    Ok(())
}

/// Draws the commands and effects of shell calls, as far as the log has them and the limits go.
fn draw(calls: &mut [Call], places: &Places, environment: &Environment) -> anyhow::Result<()> {
    let mut evaluators = Evaluators::new(places, environment);
    let mut drawn: HashMap<(String, String), Option<Tree>> = HashMap::new();
    for call in calls.iter_mut().filter(|call| call.tool == "Bash" && call.tree.is_none()) {
        let key = (call.operation.clone(), call.cwd.clone());
        if let Some(tree) = drawn.get(&key) {
            call.tree.clone_from(tree);
            continue;
        }
        if drawn.len() >= TREES {
            continue;
        }
        let at = circumstances(environment, Some(&call.cwd));
        let Ok(asked) = tool_calls("Bash", Value::String(call.operation.clone())) else { continue };
        let Some(trace) = evaluators.decide(&asked, &at)? else { continue };
        call.tree = Tree::of(&trace, false);
        drawn.insert(key, call.tree.clone());
    }
    Ok(())
}
