//! `guard-host test`: the cases of a policy, in a world of their own.
//!
//! Reads the component and the files of cases; of the machine it asks nothing else, and it writes nothing but artifacts
//! into the cache.

mod github;
mod human;
mod json;
mod junit;
mod mutate;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::args::{ReportFormat, TestArgs, WasiName};
use super::print;
use super::subject::{circumstances, refused};
use guard_contract::exit::Exit;
use guard_contract::outcome_name;
use guard_hook::chain::Chain;
use guard_kit::suite::{
    self, Done, Evaluator, Options, Run, Subject, SubjectError, SubjectErrorKind, Suite, SuiteError, run_all,
};
use guard_state::Places;
use guard_state::environment::Environment;

/// The name that stands for the whole chain.
const CHAIN: &str = "chain";

/// What there is to report.
struct Report<'a> {
    /// What was tested, as it was named.
    policy: &'a str,
    run: &'a Run<'a>,
    threshold: Option<u8>,
    timings: bool,
}

impl Report<'_> {
    /// What is wrong with the rules that were hit.
    fn shortfall(&self) -> Option<String> {
        let percent = self.run.coverage.percent();
        let threshold = self.threshold.filter(|threshold| percent < usize::from(*threshold))?;
        Some(format!("{percent} % of the rules were hit, less than {threshold} %"))
    }

    fn failed(&self) -> usize {
        self.run.failures().count()
    }

    /// How many cases hold, and how many not.
    fn counts(&self) -> String {
        let failed = self.failed();
        let left = if self.run.left == 0 { String::new() } else { format!(", {} not run", self.run.left) };
        format!("{} passed, {failed} failed{left}", self.run.done.len() - failed)
    }

    /// The rules that no case hit.
    fn missed(&self) -> String {
        let coverage = &self.run.coverage;
        let (hit, all) = (coverage.hit.len(), coverage.hit.len() + coverage.missed.len());
        let list = |before: &str, rules: &[String]| match rules {
            [] => String::new(),
            rules => format!("; {before}: {}", rules.join(", ")),
        };
        let (missed, named) = (list("never", &coverage.missed), list("of the text", &coverage.named));
        format!("{hit} of {all} rules hit ({} %){missed}{named}", coverage.percent())
    }
}

pub(super) fn run(args: &TestArgs, places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    let cwd = Path::new(&environment.cwd);
    let mut suites = suites(&args.fixtures, cwd)?;
    if let Some(file) = &args.settings_file {
        let settings = guard_config::of_file(&cwd.join(file))
            .map_err(|problem| refused(Exit::Data, problem.to_string(), problem.hint.clone()))?;
        for (_, suite) in suites.iter_mut().filter(|(_, suite)| suite.settings.is_empty()) {
            suite.settings.clone_from(&settings);
        }
    }
    let subject = match args.policy.as_str() {
        CHAIN => Subject::chain(places, &environment.program, &circumstances(environment, None).projects()),
        name => Subject::policy(name, WasiName::of(args.wasi), cwd, places),
    };
    let subject = subject.map_err(|error| of_subject(&error, None))?;
    let mut chains: Vec<Chain> = Vec::with_capacity(suites.len());
    for (file, suite) in &suites {
        suite::check_tools(file, suite, &subject).map_err(|error| of_suite(error, cwd))?;
        let place = || format!("{}{}", file.display(), suite::line_of_settings(&cwd.join(file)));
        chains.push(subject.chain_for_suite(suite).map_err(|error| of_subject(&error, Some(&place())))?);
    }
    let benches: Vec<Evaluator<'_>> =
        suites.iter().zip(&chains).map(|((file, suite), chain)| (file.as_path(), suite, chain)).collect();
    let options = Options { filter: args.filter.as_deref(), fail_fast: args.fail_fast };
    let run = run_all(&subject, &benches, options);
    if run.done.is_empty() {
        let (text, hint) = match &args.filter {
            Some(filter) => (format!("no case has `{filter}` in its id, name, input or file"), "change `--filter`"),
            None => ("there are no cases".to_owned(), "give files of cases, or folders that hold some"),
        };
        return Err(refused(Exit::NoInput, text, hint));
    }
    let report = Report { policy: &args.policy, run: &run, threshold: args.threshold, timings: args.timings };
    let failed = run.failures().next().is_some() || report.shortfall().is_some();
    if args.mutate && !failed {
        return mutate::run(args, &subject, &benches);
    }
    if args.mutate {
        print::note("nothing was rewritten: correct what fails first");
    }
    match args.format {
        ReportFormat::Human => human::print(&report)?,
        ReportFormat::Json => print::line(&json::text(&report)?)?,
        ReportFormat::Junit => print::line(junit::text(&report).trim_end())?,
        ReportFormat::Github => print::line(github::text(&report).trim_end())?,
    }
    Ok(if failed { Exit::Failures } else { Exit::Success })
}

/// Every suite once, in the order of the arguments and then of the names.
fn suites(fixtures: &[PathBuf], cwd: &Path) -> anyhow::Result<Vec<(PathBuf, Suite)>> {
    let mut seen = HashSet::new();
    let mut suites = Vec::new();
    for fixture in fixtures {
        // Found from the working directory, but shown as it was named.
        for path in suite::find(&cwd.join(fixture)).map_err(|error| of_suite(error, cwd))? {
            if seen.insert(path.clone()) {
                let suite = suite::read(&path).map_err(|error| of_suite(error, cwd))?;
                let shown = path.strip_prefix(cwd).map(Path::to_path_buf).unwrap_or(path);
                suites.push((shown, suite));
            }
        }
    }
    Ok(suites)
}

fn of_suite(mut error: SuiteError, cwd: &Path) -> anyhow::Error {
    let exit = if error.missing { Exit::NoInput } else { Exit::Data };
    if let Some(shown) = error.place.strip_prefix(&format!("{}/", cwd.display())) {
        error.place = shown.to_owned();
    }
    refused(exit, error.to_string(), error.hint)
}

/// `place` is the file whose settings are at fault, if it is they.
pub(super) fn of_subject(error: &SubjectError, place: Option<&str>) -> anyhow::Error {
    let exit = match error.kind {
        SubjectErrorKind::Missing => Exit::NoInput,
        SubjectErrorKind::Policy => Exit::Data,
        SubjectErrorKind::Config => Exit::Config,
        SubjectErrorKind::Machine => Exit::Software,
    };
    let place = place.map_or_else(String::new, |place| format!("{place}: "));
    refused(exit, format!("{place}{error}"), error.hint.clone())
}

/// Where a case stands: its file, and its line if that is known.
fn place(done: &Done<'_>) -> String {
    let file = done.file.display();
    if done.case.line == 0 { file.to_string() } else { format!("{file}:{}", done.case.line) }
}

/// The findings of a case, a line each.
fn findings(done: &Done<'_>) -> Vec<String> {
    let findings = done.report.verdict.findings.iter();
    let line = |found: &guard_contract::verdict::Attributed| {
        format!("{} {}: {}", outcome_name(found.finding.outcome), found.rule(), found.finding.message)
    };
    findings.map(line).collect()
}
