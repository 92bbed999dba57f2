//! `guard-host test`: runs the test cases of a policy, each in its own world.
//!
//! Only the component and the case files are read from the machine. Only artifacts are written, to the cache.

pub(super) mod github;
mod human;
mod json;
mod junit;
mod list;
mod mutate;
pub(super) mod rego;
mod sarif;
mod tap;
mod watch;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::args::{ReportFormat, TestArgs, WasiName};
use super::print;
use super::subject::{call_context, exit_error};
use guard_contract::exit::Exit;
use guard_contract::{Level, outcome_name};
use guard_hook::chain::Chain;
use guard_kit::suite::rego::Lines;
use guard_kit::suite::{
    self, Case, FinishedCase, Options, Run, Subject, SubjectError, SubjectErrorKind, Suite, SuiteError, SuiteOnChain,
    run_all,
};
use guard_platform::paths::native;
use guard_redact::plain;
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// The policy with rules in CEL.
pub(super) const CEL: &str = "cel";

/// The name for the whole chain.
pub(super) const CHAIN: &str = "chain";

/// The maximum number of rules in a summary.
const NAMED: usize = 24;

struct Report<'a> {
    run: &'a Run<'a>,
    args: &'a TestArgs,
    cwd: &'a Path,
}

impl Report<'_> {
    /// Describes a coverage below the threshold, if there is one.
    fn shortfall(&self) -> Option<String> {
        let threshold = self.args.threshold?;
        let falls_short = |percent: usize, what: &str| {
            (percent < usize::from(threshold)).then(|| format!("{percent} % of the {what}, less than {threshold} %"))
        };
        let lines = || {
            let percent = Lines::percent_of_all(self.run.lines.values());
            falls_short(percent, "lines of Rego were evaluated").filter(|_| self.args.coverage)
        };
        falls_short(self.run.coverage.percent(), "rules were hit").or_else(lines)
    }

    /// Returns the lines of each Rego file, by its name in reports.
    fn lines(&self) -> Vec<(String, &Lines)> {
        let shown = |file: &str| {
            Path::new(file).strip_prefix(self.cwd).map_or_else(|_| file.to_owned(), |file| file.display().to_string())
        };
        self.run.lines.iter().map(|(file, lines)| (shown(file), lines)).collect()
    }

    fn failed_count(&self) -> usize {
        self.run.failures().count()
    }

    fn skipped_count(&self) -> usize {
        self.run.done.iter().filter(|done| done.report.is_skipped).count()
    }

    fn passed_count(&self) -> usize {
        self.run.done.len() - self.failed_count() - self.skipped_count()
    }

    /// Formats the numbers of passed and failed cases.
    fn counts(&self) -> String {
        let some = |count: usize, what: &str| if count == 0 { String::new() } else { format!(", {count} {what}") };
        let (skipped, left) = (some(self.skipped_count(), "skipped"), some(self.run.left, "not run"));
        format!("{} passed, {} failed{skipped}{left}", self.passed_count(), self.failed_count())
    }

    /// Formats the result in one line.
    fn summary(&self) -> String {
        let missed =
            Some(self.describe_missed_rules()).filter(|missed| !missed.is_empty()).map(|missed| format!("; {missed}"));
        escape_controls(&format!("{}: {}{}", self.args.policy, self.counts(), missed.unwrap_or_default()))
    }

    /// Describes the rules without a finding. Empty if there are no rules, or only Rego tests.
    fn describe_missed_rules(&self) -> String {
        let coverage = &self.run.coverage;
        let (hit, all) = (coverage.hit.len(), coverage.hit.len() + coverage.missed.len());
        if all == 0 && self.run.done.iter().all(|done| done.case.expect.0.is_empty() && done.case.payload.is_none()) {
            return String::new();
        }
        // The cases of a whole chain only cover some of its rules.
        let most = if self.args.threshold.is_some() || print::is_verbose() { usize::MAX } else { NAMED };
        let list = |before: &str, rules: &[String]| match rules {
            [] => String::new(),
            rules if rules.len() <= most => format!("; {before}: {}", rules.join(", ")),
            rules => format!("; {before}: {} rules, which `--verbose` lists", rules.len()),
        };
        let (missed, named) = (list("never", &coverage.missed), list("of the text", &coverage.named));
        format!("{hit} of {all} rules hit ({} %){missed}{named}", coverage.percent())
    }
}

pub(super) fn run(args: &TestArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    if print::is_quiet() && args.format != ReportFormat::Human {
        let hint = "leave out `--quiet`, or `--format`";
        return Err(exit_error(Exit::Usage, "`--quiet` shortens the report for people alone", hint));
    }
    if args.coverage && !has_text(args) {
        let hint = "leave it out, or name the policy `rego` or `cel`";
        return Err(exit_error(Exit::Usage, "`--coverage` is about rules in Rego and CEL", hint));
    }
    if args.list {
        return list::run(args, dirs, environment);
    }
    if args.watch {
        return watch::run(args, dirs, environment);
    }
    run_once(args, dirs, environment)
}

/// Returns whether the policy has its rules in its settings.
fn has_text(args: &TestArgs) -> bool {
    matches!(args.policy.as_str(), rego::POLICY | CEL)
}

/// Runs the cases and prints the report.
fn run_once(args: &TestArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let cwd = &*native(&environment.cwd);
    let mut suites = suites(args, cwd)?;
    let settings = rego::settings(args, cwd)?;
    for (_, suite) in &mut suites {
        if suite.settings.is_empty() {
            suite.settings.clone_from(&settings);
        }
        if has_text(args) && !args.rewrites() && !args.timings {
            suite.settings.insert("coverage".to_owned(), true.into());
        }
    }
    let subject = subject(args, dirs, environment)?;
    let mut chains: Vec<Chain> = Vec::with_capacity(suites.len());
    for (file, suite) in &suites {
        suite::check_tools(file, suite, &subject).map_err(|error| suite_error(error, cwd))?;
        let place = || format!("{}{}", file.display(), suite::line_of_settings(&cwd.join(file)));
        let place = || Some(place()).filter(|_| args.policy != CHAIN || !suite.settings.is_empty());
        chains.push(subject.chain_for_suite(suite).map_err(|error| subject_error(&error, place().as_deref()))?);
    }
    let on_chains: Vec<SuiteOnChain<'_>> =
        suites.iter().zip(&chains).map(|((file, suite), chain)| (file.as_path(), suite, chain)).collect();
    let tests = rego::tests(args, &subject, settings, cwd)?;
    let tests: Vec<SuiteOnChain<'_>> = tests.iter().flat_map(rego::suites_with_chains).collect();
    let options = Options { filters: &args.filter, fail_fast: args.fail_fast, repeat: args.repeat };
    let run = run_all(&subject, &on_chains, &tests, options);
    if run.done.is_empty() {
        return Err(no_cases_error(args));
    }
    let report = Report { run: &run, args, cwd };
    let failed = run.failures().next().is_some() || report.shortfall().is_some();
    if args.rewrites() && !failed {
        return mutate::run(args, &subject, &on_chains);
    }
    if args.rewrites() {
        print::note("nothing was rewritten: correct what fails first");
    }
    match args.format {
        ReportFormat::Human => human::print(&report)?,
        ReportFormat::Json => print::line(&json::text(&report)?)?,
        ReportFormat::Junit => print::line(junit::text(&report).trim_end())?,
        ReportFormat::Github => print::line(github::text(&report).trim_end())?,
        ReportFormat::Tap => print::line(tap::text(&report).trim_end())?,
        ReportFormat::Sarif => print::line(&sarif::text(&report)?)?,
    }
    Ok(if failed { Exit::Failures } else { Exit::Success })
}

/// Returns the policy or chain to test.
fn subject(args: &TestArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Subject> {
    let subject = match args.policy.as_str() {
        CHAIN => Subject::chain(dirs, &environment.program, &call_context(environment, None).projects()),
        name => Subject::policy(name, WasiName::or_default(args.wasi), &native(&environment.cwd), dirs),
    };
    subject.map_err(|error| subject_error(&error, None))
}

/// Creates the error if there are no cases to run.
fn no_cases_error(args: &TestArgs) -> anyhow::Error {
    let (text, hint) = if args.filter.is_empty() {
        ("there are no cases".to_owned(), "give files of cases, or folders that hold some")
    } else {
        let filters: Vec<String> = args.filter.iter().map(|filter| format!("`{}`", filter.pattern())).collect();
        (format!("no case has {} in its id, name, input or file", filters.join(" or ")), "change `--filter`")
    };
    exit_error(Exit::NoInput, text, hint)
}

/// Returns every suite once, in the order of the arguments and then by name.
fn suites(args: &TestArgs, cwd: &Path) -> anyhow::Result<Vec<(PathBuf, Suite)>> {
    let mut seen = HashSet::new();
    let mut suites = Vec::new();
    let has_tests = args.policy == rego::POLICY;
    for fixture in args.fixtures.iter().filter(|fixture| !has_tests || !rego::is_test(fixture)) {
        // Resolved from the working directory, but shown as given.
        for path in suite::find(&cwd.join(fixture)).map_err(|error| suite_error(error, cwd))? {
            if rego::is_data(args, &path, cwd) {
                continue;
            }
            if seen.insert(path.clone()) {
                let suite = suite::read(&path).map_err(|error| suite_error(error, cwd))?;
                let shown = path.strip_prefix(cwd).map(Path::to_path_buf).unwrap_or(path);
                suites.push((shown, suite));
            }
        }
    }
    Ok(suites)
}

fn suite_error(mut error: SuiteError, cwd: &Path) -> anyhow::Error {
    let exit = if error.missing { Exit::NoInput } else { Exit::Data };
    if let Some(shown) = error.place.strip_prefix(&format!("{}/", cwd.display())) {
        error.place = shown.to_owned();
    }
    exit_error(exit, error.to_string(), error.hint)
}

/// Converts an error. `place` is the file with the settings, if they are the cause.
pub(super) fn subject_error(error: &SubjectError, place: Option<&str>) -> anyhow::Error {
    let exit = match error.kind {
        SubjectErrorKind::Missing => Exit::NoInput,
        SubjectErrorKind::Policy => Exit::Data,
        SubjectErrorKind::Config => Exit::Config,
        SubjectErrorKind::Machine => Exit::Software,
    };
    let place = place.map_or_else(String::new, |place| format!("{place}: "));
    exit_error(exit, format!("{place}{error}"), error.hint.clone())
}

/// Returns the file of a case, and its line if it is known.
fn case_location(file: &Path, case: &Case) -> String {
    let file = file.display();
    if case.line == 0 { file.to_string() } else { format!("{file}:{}", case.line) }
}

/// Returns the differences and findings of a case, one text each.
pub(super) fn complaints(done: &FinishedCase<'_>) -> Vec<String> {
    let differences = done.report.differences.iter().map(ToString::to_string);
    let findings = findings(done).into_iter().map(|finding| format!("finding: {finding}"));
    differences.chain(findings).chain(log(done).map(|line| format!("log: {line}"))).collect()
}

/// Escapes line breaks and other control characters in `text`.
fn escape_controls(text: &str) -> String {
    plain(text).replace('\n', "\\n")
}

/// Returns the log of the policies, one line each.
fn log<'a>(done: &'a FinishedCase<'_>) -> impl Iterator<Item = String> + 'a {
    done.report.log.iter().map(|line| format!("{} {}: {}", line.policy, level_name(line.level), line.message))
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    }
}

/// Returns the findings of a case, one on each line.
fn findings(done: &FinishedCase<'_>) -> Vec<String> {
    let findings = done.report.verdict.findings.iter();
    let line = |found: &guard_contract::verdict::Attributed| {
        format!("{} {}: {}", outcome_name(found.finding.outcome), found.rule(), found.finding.message)
    };
    findings.map(line).collect()
}
