//! `guard-host audit report`: the audit log as a page.

mod chart;
mod copies;
mod page;
mod summary;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::args::{Format, ReportArgs};
use super::explain::{analysis_lines, describe_coverage};
use super::past_questions::{self, PastQuestion, Questions, Suggestion};
use super::replay::{Replayed, replay};
use super::subject::{Evaluators, call_context, exit_error, tool_calls};
use super::{html, log, print};
use copies::BackedUpCalls;
use guard_config::load;
use guard_contract::Outcome;
use guard_contract::exit::Exit;
use guard_hook::audit::{Decision, Record, Selection, Stats, is_of_call};
use guard_hook::chain::Trace;
use guard_platform::access::is_administrator;
use guard_platform::account::{other_owner, user_of_home};
use guard_platform::paths::native;
use guard_redact::{plain, shorten};
use guard_state::environment::Environment;
use guard_state::session::stamp;
use guard_state::{AppDirs, write_new};

/// The maximum number of distinct calls that are listed. The latest ones are used.
const CALLS: usize = 4000;

/// The maximum number of listed calls whose commands and effects are shown.
const TREES: usize = 1500;

/// The maximum length of a call and of a tree, in bytes. With the limits above, the page stays below 10 MB.
const CALL_BYTES: usize = 600;
const TREE_BYTES: usize = 2400;

/// The maximum length of a rule's or folder's name, in bytes.
const NAME_BYTES: usize = 160;

/// The maximum number of calls in the list of those with the most asks.
const MOST: usize = 10;

/// The number of bytes that are read to recognize a report.
const HEAD_BYTES: u64 = 4096;

/// The maximum number of distinct calls in memory while the log is read.
const REMEMBERED: usize = 200_000;

struct Report<'a> {
    made: String,
    stats: Stats,
    folders: BTreeMap<String, u64>,
    agents: BTreeMap<String, u64>,
    /// The calls with the most asks.
    asked: Vec<PastQuestion>,
    /// The number of asks of all calls, and of their known outcomes.
    questions: [u64; 3],
    suggestions: Vec<Suggestion>,
    copies: BackedUpCalls,
    calls: Vec<Call>,
    /// The number of distinct calls that aren't listed.
    left_out: usize,
    /// The calls decided again, if there is something to compare with.
    replayed: Option<Replayed<'a>>,
}

/// A call with its occurrences.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Call {
    /// The most severe of its actions, in words.
    action: String,
    /// How often each action was logged.
    actions: BTreeMap<String, u64>,
    /// The rule behind the most severe action.
    rule: String,
    tool: String,
    operation: String,
    cwd: String,
    /// The first agents that made the call, and their first sessions.
    agents: BTreeSet<String>,
    sessions: BTreeSet<String>,
    times: u64,
    first: String,
    last: String,
    /// The id of the last line.
    id: String,
    #[serde(flatten)]
    judged: Option<CallReasons>,
}

/// A call's effects, and the policies' reason to stop it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
struct CallReasons {
    /// How much of it is understood.
    understood: &'static str,
    effects: String,
    /// Whether they depend on the recorded facts, instead of the machine's current state.
    is_recorded: bool,
    /// Why it is stopped. Empty if it isn't.
    reason: String,
    /// The severity of its worst effect, from 0 (`routine`) to 3 (`catastrophic`).
    #[serde(skip)]
    severity: u8,
}

impl CallReasons {
    fn from_trace(trace: &Trace, is_recorded: bool) -> Option<Self> {
        let analysis = trace.analysis.as_ref()?;
        let severest = |outcome| trace.verdict.findings.iter().find(|found| found.finding.outcome == outcome);
        let stops = severest(Outcome::Deny).or_else(|| severest(Outcome::Ask));
        Some(CallReasons {
            understood: describe_coverage(analysis),
            effects: shorten(&analysis_lines(analysis).join("\n"), TREE_BYTES),
            is_recorded,
            reason: stops.map_or_else(String::new, |stops| shorten(&plain(&stops.finding.message), CALL_BYTES)),
            severity: analysis.effects.iter().map(|effect| effect.severity as u8).max().unwrap_or(0),
        })
    }
}

pub(super) fn run(args: &ReportArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let config = load(dirs, &call_context(environment, None).projects());
    let (mut stats, mut questions) = (Stats::default(), Questions::default());
    let (mut folders, mut agents) = (BTreeMap::new(), BTreeMap::new());
    let mut calls: HashMap<[String; 3], Call> = HashMap::new();
    let mut copies = BackedUpCalls::default();
    let mut forgotten = 0;
    let (log, selection) = (&config.audit.path, log::selection(&args.filters)?);
    stats.damaged = log::for_each_record(log, &selection, |record, _| {
        stats.add(record);
        questions.add(record);
        copies.add_record(record);
        count(&mut folders, &record.cwd);
        count(&mut agents, &agent(record));
        let call = Call::from_record(record);
        let key = [&call.tool, &call.operation, &call.cwd].map(String::clone);
        if calls.len() < REMEMBERED || calls.contains_key(&key) {
            let rule = call.rule.clone();
            calls.entry(key).or_insert(call).add_record(record, rule);
        } else {
            forgotten += 1;
        }
        Ok(())
    })?;
    copies.add_kept(dirs, &selection);
    let asked = questions.by_frequency();
    let sums = asked
        .iter()
        .fold([0, 0, 0], |[asks, ran, refused], asked| [asks + asked.asks, ran + asked.ran, refused + asked.refused]);
    let suggestions = past_questions::suggest(&asked, dirs, environment)?;
    let mut calls: Vec<Call> = calls.into_values().collect();
    calls.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.operation.cmp(&b.operation)));
    let left_out = forgotten + calls.len().saturating_sub(CALLS);
    calls.truncate(CALLS);
    draw_as_recorded(&mut calls, log, &selection, dirs, environment)?;
    draw(&mut calls, dirs, environment)?;
    let again = |name| {
        replay(Some(name), dirs, environment, |sources, _, each| {
            log::for_each_record(log, &selection, |_, line| Ok(sources.log_line(line, log, each)?))?;
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
    let output = args.output.as_ref().map(|output| native(&environment.cwd).join(output));
    let (path, text) = match (args.format, output) {
        (Format::Json, None) => {
            print::line(&report.json()?)?;
            return Ok(Exit::Success);
        }
        (Format::Json, Some(path)) => (path, report.json()?),
        (Format::Human, path) => (path.unwrap_or_else(|| dirs.state.join("report.html")), page::html(&report)),
    };
    write(&path, &text)?;
    print::status(&format!("wrote {} ({} lines of the log)", path.display(), report.stats.lines))?;
    if args.open {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let mut start = Command::new(opener);
        start.arg(&path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let failed = |error| exit_error(Exit::Unavailable, format!("`{opener}` does not start: {error}"), "");
        start.spawn().map_err(failed)?;
    }
    Ok(Exit::Success)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if other_owner(path).is_some() && !is_administrator() {
        let text = format!("`{}` belongs to another user", path.display());
        return Err(exit_error(Exit::Usage, text, "remove it, or give another `--output`"));
    }
    if is_of_others(path) {
        let text = format!("`{}` exists and is not a report", path.display());
        return Err(exit_error(Exit::Usage, text, "give another `--output`"));
    }
    if let Some(folder) = path.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    write_new(path, text.as_bytes(), 0o600).map_err(|error| {
        exit_error(Exit::NoInput, format!("`{}` cannot be written: {error}", path.display()), "give another `--output`")
    })?;
    if let Some(user) = user_of_home(path) {
        let text = format!("warning: `{}` belongs to root, so `{user}` can't replace it", path.display());
        print::note(&format!("{text}\n  hint: remove it, and run: sudo -u {user} -H guard-host audit report"));
    }
    Ok(())
}

/// The report in JSON.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document<'a> {
    /// The first key, by which a report is recognized.
    generator: &'static str,
    made: &'a str,
    summary: String,
    stats: &'a Stats,
    prompts: Prompts,
    worst: Vec<&'a Call>,
    asked_most: &'a [PastQuestion],
    suggestions: &'a [Suggestion],
    folders: &'a BTreeMap<String, u64>,
    agents: &'a BTreeMap<String, u64>,
    calls: &'a [Call],
    calls_left_out: usize,
}

/// The number of asks for a call, of runs after an ask, and of refusals.
#[derive(Serialize)]
struct Prompts {
    asked: u64,
    ran: u64,
    refused: u64,
}

impl Report<'_> {
    fn json(&self) -> anyhow::Result<String> {
        let [asked, ran, refused] = self.questions;
        let document = Document {
            generator: html::MARK,
            made: &self.made,
            summary: summary::sentence(self),
            stats: &self.stats,
            prompts: Prompts { asked, ran, refused },
            worst: summary::worst(&self.calls),
            asked_most: &self.asked,
            suggestions: &self.suggestions,
            folders: &self.folders,
            agents: &self.agents,
            calls: &self.calls,
            calls_left_out: self.left_out,
        };
        Ok(serde_json::to_string(&document)?)
    }
}

/// Returns whether the path is a file that isn't a report and would be overwritten.
fn is_of_others(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    let is_report = read.is_ok() && String::from_utf8_lossy(&head).contains(html::MARK);
    path.symlink_metadata().is_ok_and(|data| !data.is_file() || !is_report)
}

/// Counts a name. Names beyond the limit are counted together.
fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    let name = shorten(&plain(name), NAME_BYTES);
    let name = if counts.len() < CALLS || counts.contains_key(&name) { name } else { "(others)".to_owned() };
    *counts.entry(name).or_default() += 1;
}

impl Call {
    fn from_record(record: &Record) -> Self {
        let text = |text: &str, bytes| shorten(&plain(text), bytes);
        let rule = match record.policy.as_str() {
            "" => record.rule.clone(),
            policy => format!("{policy}:{}", record.rule),
        };
        Call {
            rule: text(&rule, NAME_BYTES),
            tool: text(&record.tool, NAME_BYTES),
            operation: text(&record.operation, CALL_BYTES),
            cwd: text(&record.cwd, NAME_BYTES),
            first: text(&record.ts, NAME_BYTES),
            ..Call::default()
        }
    }

    fn add_record(&mut self, record: &Record, rule: String) {
        let action = shorten(&plain(action_word(&record.action)), NAME_BYTES);
        if self.actions.is_empty() || action_rank(&action) > action_rank(&self.action) {
            (self.action, self.rule) = (action.clone(), rule);
        }
        *self.actions.entry(action).or_default() += 1;
        self.times += u64::from(is_of_call(&record.action));
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

/// Returns the severity of an action, compared with the others of one call.
fn action_rank(action: &str) -> u8 {
    match action {
        "deny" => 5,
        "ask" => 4,
        "fault" => 3,
        "would-deny" | "would-ask" => 2,
        "ran" | "refused" => 0,
        _ => 1,
    }
}

/// Returns the human-readable name of an action of the log.
pub(super) fn action_word(action: &str) -> &str {
    match action {
        "block" => "deny",
        "confirm_required" => "ask",
        "confirmed_allow" => "confirmed",
        "error" => "fault",
        other => other,
    }
}

/// Returns the author of a call: the harness, and the kind of its subagent if it is reported.
pub(super) fn agent(record: &Record) -> String {
    match record.agent.as_str() {
        "" => record.harness.clone(),
        agent => format!("{} ({agent})", record.harness),
    }
}

/// Adds the commands and effects of those calls for which the log has all facts.
fn draw_as_recorded(
    calls: &mut [Call],
    log: &Path,
    selection: &Selection,
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let mut wanted: HashMap<String, &mut Call> =
        calls.iter_mut().filter(|call| !call.id.is_empty()).take(TREES).map(|call| (call.id.clone(), call)).collect();
    let mut evaluators = Evaluators::new(dirs, environment);
    log::for_each_record(log, selection, |record, line| {
        if let Some(call) = wanted.remove(&record.id)
            && let Some(decision) = Decision::parse(line)
        {
            call.judged = CallReasons::from_trace(&evaluators.evaluator_at(&decision.at)?.repeat(&decision), true);
        }
        Ok(())
    })?;
    Ok(())
}

/// Adds the commands and effects of shell calls, as far as the log has them and the limits allow.
fn draw(calls: &mut [Call], dirs: &AppDirs, environment: &Environment) -> anyhow::Result<()> {
    let mut evaluators = Evaluators::new(dirs, environment);
    let mut reasons: HashMap<(String, String), Option<CallReasons>> = HashMap::new();
    for call in calls.iter_mut().filter(|call| call.tool == "Bash" && call.judged.is_none()) {
        let key = (call.operation.clone(), call.cwd.clone());
        if let Some(judged) = reasons.get(&key) {
            call.judged.clone_from(judged);
            continue;
        }
        if reasons.len() >= TREES {
            continue;
        }
        let at = call_context(environment, Some(&call.cwd));
        let Ok(asked) = tool_calls("Bash", Value::String(call.operation.clone())) else { continue };
        let Some(trace) = evaluators.decide(&asked, &at)? else { continue };
        call.judged = CallReasons::from_trace(&trace, false);
        reasons.insert(key, call.judged.clone());
    }
    Ok(())
}
