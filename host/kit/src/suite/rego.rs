//! Runs the tests in Rego files, which the policy `rego` finds and evaluates, as test cases.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::report::{self, Difference, LineCoverage, Report, highest_usage, limits};
use super::world::{machine, world_context};
use super::{Case, Subject, SubjectError, SubjectErrorKind, Suite, WorldFacts};
use guard_contract::Level;
use guard_contract::call::ToolCall;
use guard_facts::Facts;
use guard_hook::chain::{AskOptions, Chain, Trace};

/// The policy with tests in Rego.
pub const POLICY: &str = "rego";

/// The maximum number of requests for tests. Each returns a page of them.
const PAGES: usize = 1000;

/// The tests of a Rego text.
#[derive(Debug)]
pub struct RegoTests {
    /// The chain that runs them.
    pub chain: Chain,
    /// A suite for each file.
    pub suites: Vec<(PathBuf, Suite)>,
}

/// Returns whether a file with this name contains tests.
#[must_use]
pub fn is_test(path: &Path) -> bool {
    path.to_string_lossy().ends_with("_test.rego")
}

/// Returns the tests of the text in these settings. The policy must be [`POLICY`].
///
/// # Errors
///
/// The policy rejects the settings, or can't list the tests.
pub fn tests(subject: &Subject, settings: &Map<String, Value>, cwd: &Path) -> Result<RegoTests, SubjectError> {
    let mut settings = settings.clone();
    settings.insert("test".to_owned(), true.into());
    let chain = subject.chain_for_suite(&Suite { settings, ..Suite::default() })?;
    let mut suites: Vec<(PathBuf, Suite)> = Vec::new();
    let mut from = Some(0);
    for _ in 0..PAGES {
        let Some(page) = from.take() else { break };
        let trace = run_trial(&chain, &json!({ "list": page }));
        let rows: Vec<Value> = json_log_lines(&trace).collect();
        if rows.is_empty()
            && page == 0
            && let Some(text) = fault(&chain, &trace).filter(|text| !text.contains(NO_CALL))
        {
            return Err(SubjectError { text, hint: String::new(), kind: SubjectErrorKind::Policy });
        }
        for row in &rows {
            from = from.or(row.get("more").and_then(Value::as_u64));
            let Some(name) = row.get("test").and_then(Value::as_str) else { continue };
            let file = report_path(row.get("file").and_then(Value::as_str).unwrap_or_default(), cwd);
            let line = row.get("line").and_then(Value::as_u64).and_then(|line| usize::try_from(line).ok());
            let case = Case {
                name: name.to_owned(),
                tool: Some(TOOL.to_owned()),
                input: json!({ "run": name, "todo": row.get("todo") }),
                line: line.unwrap_or_default(),
                ..Case::default()
            };
            match suites.iter_mut().find(|(other, _)| *other == file) {
                Some((_, suite)) => suite.cases.push(case),
                None => suites.push((file, Suite { cases: vec![case], ..Suite::default() })),
            }
        }
    }
    Ok(RegoTests { chain, suites })
}

/// A tool that doesn't need the analyzer.
const TOOL: &str = "Read";

/// A part of the policy's answer in place of a verdict.
const NO_CALL: &str = "no call is judged";

/// Returns a path for reports.
fn report_path(path: &str, cwd: &Path) -> PathBuf {
    Path::new(path).strip_prefix(cwd).unwrap_or(Path::new(path)).to_path_buf()
}

fn run_trial(chain: &Chain, input: &Value) -> Trace {
    let world = WorldFacts::default();
    let facts: Arc<dyn Facts> = Arc::new(machine(&world));
    let call = ToolCall::new(TOOL, input.as_object().cloned().unwrap_or_default());
    chain.decide(&call, &world_context(&world), &facts, AskOptions::default())
}

/// Returns the policy's log lines that are JSON.
fn json_log_lines(trace: &Trace) -> impl Iterator<Item = Value> + '_ {
    let lines = trace.steps.iter().flat_map(|step| &step.answer.log).filter(|line| line.level == Level::Info);
    lines.filter_map(|line| serde_json::from_str(&line.message).ok())
}

/// Returns why the policy failed.
fn fault(chain: &Chain, trace: &Trace) -> Option<String> {
    let step = trace.steps.first()?;
    let fault = step.answer.decision.as_ref().err()?;
    Some(fault.under(limits(chain, &step.policy)))
}

/// Runs a test of [`RegoTests`].
pub(super) fn run(chain: &Chain, file: &Path, case: &Case) -> Report {
    let started = Instant::now();
    let is_skipped = case.input.get("todo").and_then(Value::as_bool).unwrap_or_default();
    let mut report = Report { time: started.elapsed(), is_skipped, ..Report::empty() };
    if report.is_skipped {
        return report;
    }
    let trace = run_trial(chain, &case.input);
    report.time = started.elapsed();
    report.spent = highest_usage(chain, std::slice::from_ref(&trace));
    report.lines = lines(&trace);
    let outcome = json_log_lines(&trace).find_map(|row| Some((row.get("passes")?.as_bool()?, row)));
    let (what, mut got) = match outcome {
        Some((true, _)) => return report,
        Some((false, row)) => {
            let why = row.get("why").and_then(Value::as_str).unwrap_or_default();
            let line = row.get("line").and_then(Value::as_u64).unwrap_or_default();
            ("test", format!("{why}; it ends at {}:{line}", file.display()))
        }
        None => ("fault", fault(chain, &trace).unwrap_or_else(|| "no answer".to_owned())),
    };
    let printed = trace.steps.iter().flat_map(|step| &step.answer.log).filter(|line| line.level == Level::Debug);
    for line in printed {
        got = format!("{got}\nprinted: {}", line.message);
    }
    report.differences.push(Difference { what, expected: "true".to_owned(), got });
    report
}

/// The evaluated and unevaluated lines of a Rego file.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The evaluated lines.
    pub covered: BTreeSet<u32>,
    /// The lines that weren't evaluated.
    pub missed: BTreeSet<u32>,
}

impl Lines {
    /// Returns the percentage of evaluated lines in all these files, rounded down. 100 if there are no lines.
    #[must_use]
    pub fn percent_of_all<'a>(files: impl Iterator<Item = &'a Lines>) -> usize {
        let counts = files.map(|file| (file.covered.len(), file.covered.len() + file.missed.len()));
        let (covered, all) = counts.fold((0, 0), |sum, file| (sum.0 + file.0, sum.1 + file.1));
        (covered * 100).checked_div(all).unwrap_or(100)
    }

    /// Returns the percentage of evaluated lines, rounded down. 100 if there are no lines.
    #[must_use]
    pub fn percent(&self) -> usize {
        (self.covered.len() * 100).checked_div(self.covered.len() + self.missed.len()).unwrap_or(100)
    }
}

/// Returns the lines in a trace.
pub(super) fn lines(trace: &Trace) -> Vec<LineCoverage> {
    let rows = json_log_lines(trace)
        .filter_map(|line| serde_json::from_value::<Vec<LineCoverage>>(line.get("lines")?.clone()).ok());
    rows.flatten().collect()
}

/// Returns the rules in a trace, as `policy:rule`.
pub(super) fn rules(trace: &Trace) -> Vec<String> {
    let lines = trace.steps.iter().flat_map(|step| step.answer.log.iter().map(move |line| (step, line)));
    let rows = lines.filter(|(_, line)| line.level == Level::Info).filter_map(|(step, line)| {
        let rules: Vec<String> = serde_json::from_value(report::log_value(line)?.get("rules")?.clone()).ok()?;
        Some(rules.into_iter().map(move |rule| format!("{}:{rule}", step.policy)))
    });
    rows.flatten().collect()
}

/// Merges all reports by file, without test files.
pub(super) fn merge_reports<'a>(reports: impl Iterator<Item = (&'a Path, &'a Report)>) -> BTreeMap<String, Lines> {
    let mut all: BTreeMap<String, Lines> = BTreeMap::new();
    for (suite, report) in reports {
        for (file, covered, missed) in report.lines.iter().filter(|(file, ..)| !is_test(Path::new(file))) {
            // A text in the settings belongs to its suite.
            let file = if file.starts_with('/') { file.clone() } else { format!("{}: {file}", suite.display()) };
            let lines = all.entry(file).or_default();
            lines.covered.extend(numbers(covered));
            lines.missed.extend(numbers(missed));
        }
    }
    for lines in all.values_mut() {
        lines.missed.retain(|line| !lines.covered.contains(line));
    }
    all
}

/// Returns the numbers in ranges such as `1-4,7`.
fn numbers(ranges: &str) -> impl Iterator<Item = u32> + '_ {
    ranges
        .split(',')
        .filter_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some(first.parse::<u32>().ok()?..=last.parse().ok()?)
        })
        .flatten()
}
