//! Runs the cases of many suites on all processors. The results are in the order of the files.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::parallel_map::parallel_map;
use super::rego::{self, Lines};
use super::repeat::run_repeatedly;
use super::run::own_rule;
use super::{Case, Filter, Report, Subject, Suite, is_chosen, run};
use guard_hook::chain::Chain;

/// A suite with its file, and the chain that runs its cases.
pub type SuiteOnChain<'a> = (&'a Path, &'a Suite, &'a Chain);

/// The cases to run, and how often.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Only cases that one of these filters selects. Empty for all.
    pub filters: &'a [Filter],
    /// Whether to stop after the first failure.
    pub fail_fast: bool,
    /// How often each case is run. Its verdict must be the same each time.
    pub repeat: NonZeroU32,
}

/// A case that was run.
#[derive(Debug)]
pub struct FinishedCase<'a> {
    /// Its file.
    pub file: &'a Path,
    /// The case.
    pub case: &'a Case,
    /// The case's report.
    pub report: Report,
}

/// The results of all cases.
#[derive(Debug)]
pub struct Run<'a> {
    /// The cases that were run, in the order of the files.
    pub done: Vec<FinishedCase<'a>>,
    /// The number of cases that were skipped after a failure.
    pub left: usize,
    /// The coverage of rules.
    pub coverage: Coverage,
    /// The evaluated lines of Rego, by file, if the settings enable that.
    pub lines: BTreeMap<String, Lines>,
}

/// The coverage of the manifests' rules.
#[derive(Debug, Default)]
pub struct Coverage {
    /// The rules with a finding, as `policy:rule`.
    pub hit: Vec<String>,
    /// The rules without a finding, as `policy:rule`.
    pub missed: Vec<String>,
    /// The rules with a finding that were only named during a call, which is possible in Rego, as `policy:rule`.
    pub named: Vec<String>,
}

impl Coverage {
    /// Returns the percentage of rules with a finding, rounded down. 100 if there are no rules.
    #[must_use]
    pub fn percent(&self) -> usize {
        (self.hit.len() * 100).checked_div(self.hit.len() + self.missed.len()).unwrap_or(100)
    }
}

impl Run<'_> {
    /// Returns the failed cases.
    pub fn failures(&self) -> impl Iterator<Item = &FinishedCase<'_>> {
        self.done.iter().filter(|done| !done.report.passes())
    }
}

/// Runs the cases and then the Rego tests, on all processors, each in a fresh instance of every policy.
#[must_use]
pub fn run_all<'a>(
    subject: &Subject,
    suites: &[SuiteOnChain<'a>],
    tests: &[SuiteOnChain<'a>],
    options: Options<'_>,
) -> Run<'a> {
    let of_cases = suites.iter().map(|each| (*each, false));
    let all = of_cases.chain(tests.iter().map(|each| (*each, true)));
    let cases: Vec<(usize, (SuiteOnChain<'a>, &'a Case, bool))> = all
        .flat_map(|(each, is_test)| each.1.cases.iter().map(move |case| (each, case, is_test)))
        .filter(|(each, case, _)| is_chosen(each.0, case, options.filters))
        .enumerate()
        .collect();
    let has_cases = cases.iter().any(|(_, (.., is_test))| !is_test);
    // The index of the first failure. Cases before it still run, later ones don't.
    let last = AtomicUsize::new(usize::MAX);
    let reports = parallel_map(&cases, |(at, ((file, suite, chain), case, is_test))| {
        if *at > last.load(Ordering::Relaxed) {
            return None;
        }
        let once = || if *is_test { rego::run(chain, file, case) } else { run(chain, suite, case) };
        let mut report = run_repeatedly(options.repeat, once);
        if report.passes() {
            // Only failures are examined further, and there may be many thousands of cases.
            report.analyses.clear();
            report.log.clear();
        } else if options.fail_fast {
            last.fetch_min(*at, Ordering::Relaxed);
        }
        Some(report)
    });
    let total = cases.len();
    let done = cases.into_iter().zip(reports).take(last.into_inner().saturating_add(1));
    let done: Vec<FinishedCase<'a>> = done
        .filter_map(|((_, ((file, _, _), case, _)), report)| Some(FinishedCase { file, case, report: report? }))
        .collect();
    let left = total - done.len();
    let coverage = if has_cases { coverage(subject, &done) } else { Coverage::default() };
    let lines = rego::merge_reports(done.iter().map(|done| (done.file, &done.report)));
    Run { done, left, coverage, lines }
}

fn coverage(subject: &Subject, done: &[FinishedCase<'_>]) -> Coverage {
    let findings = || done.iter().flat_map(|done| &done.report.verdict.findings).filter(|found| !found.of_host);
    let seen: BTreeSet<String> = findings().map(|found| format!("{}:{}", found.policy, found.finding.rule)).collect();
    let rules = subject
        .manifests()
        .flat_map(|(policy, manifest)| manifest.rules.iter().map(move |rule| format!("{policy}:{}", rule.id)));
    let named = findings().filter_map(|found| Some(format!("{}:{}", found.policy, own_rule(&found.finding)?)));
    let mut named: BTreeSet<String> = named.collect();
    // The rules of a text replace the one in its engine's manifest.
    let of_texts: BTreeSet<&String> = done.iter().flat_map(|done| &done.report.rules).collect();
    let has_text = |rule: &String| {
        let policy = rule.split_once(':').map_or("", |(policy, _)| policy);
        of_texts.iter().any(|other| other.split_once(':').is_some_and(|(other, _)| other == policy))
    };
    let (mut hit, mut missed): (Vec<String>, Vec<String>) =
        rules.filter(|rule| !has_text(rule)).partition(|rule| seen.contains(rule));
    for rule in of_texts {
        if named.remove(rule) { hit.push(rule.clone()) } else { missed.push(rule.clone()) }
    }
    Coverage { hit, missed, named: named.into_iter().collect() }
}
