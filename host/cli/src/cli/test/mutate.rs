//! `guard-host test --mutate` and `--siblings`: runs the mutants of the cases, and reports the survivors first.

use std::fmt::Write as _;
use std::io::{Write as _, stderr};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::github::{message, property};
use super::junit::{escape_xml, failure};
use super::tap::Point;
use super::{case_location, escape_controls, tap};
use crate::cli::args::{ReportFormat, TestArgs};
use crate::cli::print;
use crate::cli::sarif::{Annotation, Rule, log};
use crate::cli::subject::exit_error;
use guard_contract::exit::Exit;
use guard_kit::suite::mutate::{Mutant, Mutation, REWRITES, Rewrite, SIBLINGS, Tally, mutate};
use guard_kit::suite::{Subject, SuiteOnChain};
use guard_redact::plain;

/// The SARIF rule for a mutant with a changed verdict.
const CHANGED: Rule = ("changed-verdict", "A rewrite that keeps the meaning of a case keeps its verdict");

struct Report<'a> {
    args: &'a TestArgs,
    tally: Tally<'a>,
}

pub(super) fn run(args: &TestArgs, subject: &Subject, on_chains: &[SuiteOnChain<'_>]) -> anyhow::Result<Exit> {
    let shown = AtomicUsize::new(0);
    let progress = |done: usize, total: usize| show_progress(&shown, done, total);
    let how = Mutation {
        rewrites: if args.siblings { SIBLINGS } else { REWRITES },
        depth: args.depth,
        seed: args.seed,
        max: args.max_mutants,
        filters: &args.filter,
        progress: print::shows_progress().then_some(&progress as &(dyn Fn(usize, usize) + Sync)),
    };
    let report = Report { args, tally: mutate(subject, on_chains, how) };
    if report.tally.mutants.is_empty() {
        let hint = "give cases of `Bash` or of file tools, and a `--max-mutants` above 0; payloads are not rewritten";
        return Err(exit_error(Exit::NoInput, "no rewrite applies to these cases", hint));
    }
    match args.format {
        ReportFormat::Human => report.print()?,
        ReportFormat::Json => print::json(&report.json())?,
        ReportFormat::Junit => print::line(report.junit().trim_end())?,
        ReportFormat::Github => print::line(report.github().trim_end())?,
        ReportFormat::Tap => print::line(report.tap().trim_end())?,
        ReportFormat::Sarif => print::json(&report.sarif())?,
    }
    Ok(if report.fails() { Exit::Failures } else { Exit::Success })
}

/// Overwrites a progress line for each percent, and clears it at the end.
fn show_progress(shown: &AtomicUsize, done: usize, total: usize) {
    let percent = (done * 100).checked_div(total).unwrap_or(100);
    if shown.fetch_max(percent, Ordering::Relaxed) < percent {
        let text = if done == total { String::new() } else { format!("{done} of {total} mutants") };
        let _ = write!(stderr().lock(), "\r\u{1b}[2K{text}");
    }
}

impl Report<'_> {
    fn fails(&self) -> bool {
        self.tally.is_below(self.args.min_kept.unwrap_or(100))
    }

    /// Returns the percentage with one decimal, rounded down so that 100 means all.
    fn percent(&self) -> String {
        let tenths = (self.tally.unchanged_count() * 1000).checked_div(self.tally.mutants.len()).unwrap_or(1000);
        format!("{}.{}", tenths / 10, tenths % 10)
    }

    fn summary(&self) -> String {
        let (kept, run) = (self.tally.unchanged_count(), self.tally.mutants.len());
        let mut text = format!("{kept} of {run} mutants kept the verdict ({} %)", self.percent());
        if run < self.tally.possible {
            let _ = write!(text, "; chosen from {} by the seed {}", self.tally.possible, self.args.seed);
        }
        text
    }

    /// Describes a share of kept verdicts below the minimum, if there is one.
    fn shortfall(&self) -> Option<String> {
        let least = self.args.min_kept.unwrap_or(100);
        self.fails().then(|| format!("{} % of the mutants kept the verdict, less than {least} %", self.percent()))
    }

    fn print(&self) -> anyhow::Result<()> {
        for mutant in self.tally.survivors() {
            let place = plain(&case_location(mutant.file, mutant.case));
            print::line(&format!(
                "{} {place}: {}",
                print::color_by_outcome("SURVIVED", "FAIL"),
                escape_controls(&mutant.case.title())
            ))?;
            print::line(&format!("  rewrites  {}", rewrites(mutant)))?;
            print::line(&format!("  mutant    {}", escape_controls(&mutant.text)))?;
            print::line(&format!("  expected  {}", mutant.expected))?;
            print::line(&format!("  got       {}", escape_controls(&mutant.got)))?;
            print::line("")?;
        }
        if !print::is_quiet() {
            self.print_rewrites()?;
        }
        print::line(&format!("{}: {}", plain(&self.args.policy), self.summary()))?;
        if let Some(shortfall) = self.shortfall() {
            print::line(&format!("{}: {shortfall}", print::color_by_outcome("FAIL", "FAIL")))?;
        }
        Ok(())
    }

    fn print_rewrites(&self) -> anyhow::Result<()> {
        print::line(&format!("{:<24} {:>7} {:>7}", "rewrite", "tried", "kept"))?;
        for (rewrite, tried, kept) in self.tally.counts_by_rewrite() {
            let kept = format!("{kept:>7}");
            let kept = if kept.trim() == tried.to_string() { kept } else { print::color_by_outcome(&kept, "FAIL") };
            print::line(&format!("{:<24} {tried:>7} {kept}", rewrite.id))?;
        }
        print::line("")
    }

    /// Formats the report as JSON. Keys are only ever added.
    fn json(&self) -> Value {
        let survivor = |mutant: &Mutant<'_>| {
            json!({
                "file": mutant.file.to_string_lossy(),
                "line": Some(mutant.case.line).filter(|line| *line != 0),
                "id": mutant.case.id.0,
                "title": mutant.case.title(),
                "rewrites": mutant.rewrites.iter().map(|rewrite| rewrite.id).collect::<Vec<_>>(),
                "mutant": mutant.text,
                "expected": mutant.expected,
                "got": mutant.got,
            })
        };
        let rewrites = self.tally.counts_by_rewrite();
        let row = |(rewrite, tried, kept): &(&Rewrite, usize, usize)| json!({ "id": rewrite.id, "tried": tried, "kept": kept });
        json!({
            "policy": self.args.policy,
            "passed": !self.fails(),
            "mutants": self.tally.mutants.len(),
            "kept": self.tally.unchanged_count(),
            "possible": self.tally.possible,
            "depth": self.args.depth,
            "seed": self.args.seed,
            "min-kept": self.args.min_kept,
            "survivors": self.tally.survivors().map(survivor).collect::<Vec<_>>(),
            "rewrites": rewrites.iter().map(row).collect::<Vec<_>>(),
        })
    }

    /// Formats one test case for each rewrite, because one for each mutant is too much for build servers. Losses within
    /// `--min-kept` don't fail.
    fn junit(&self) -> String {
        let rewrites = self.tally.counts_by_rewrite();
        let fails = self.fails();
        let failed = if fails { rewrites.iter().filter(|(_, tried, kept)| kept < tried).count() } else { 0 };
        let name = escape_xml(&self.args.policy);
        let counts = format!("tests=\"{}\" failures=\"{failed}\" errors=\"0\"", rewrites.len());
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let _ = writeln!(xml, "<testsuites name=\"{name}\" {counts}>\n  <testsuite name=\"mutants\" {counts}>");
        for (rewrite, tried, kept) in rewrites {
            let head = format!("classname=\"mutants\" name=\"{}\"", rewrite.id);
            if kept == tried {
                let _ = writeln!(xml, "    <testcase {head}/>");
                continue;
            }
            let body = self.lines(rewrite);
            let body = if fails {
                failure(&format!("{kept} of {tried} kept the verdict"), &body.join("\n"))
            } else {
                format!("<system-out>{}</system-out>", escape_xml(&body.join("\n")))
            };
            let _ = writeln!(xml, "    <testcase {head}>{body}</testcase>");
        }
        xml + "  </testsuite>\n</testsuites>\n"
    }

    /// Returns the mutants of a rewrite with a changed verdict, one on each line.
    fn lines(&self, rewrite: &Rewrite) -> Vec<String> {
        let is_of = |mutant: &&Mutant<'_>| mutant.rewrites.iter().any(|one| one.id == rewrite.id);
        self.tally.survivors().filter(is_of).map(line).collect()
    }

    /// Formats one test point for each rewrite, as in JUnit's format.
    fn tap(&self) -> String {
        let point = |(rewrite, tried, kept): (&Rewrite, usize, usize)| {
            let failure = (self.fails() && kept < tried).then(|| {
                let mut lines = tap::message(&format!("{kept} of {tried} kept the verdict"));
                lines.extend(tap::list("mutants", &self.lines(rewrite)));
                lines
            });
            Point { title: rewrite.id.to_owned(), failure, is_skipped: false }
        };
        let points: Vec<Point> = self.tally.counts_by_rewrite().into_iter().map(point).collect();
        tap::document(&points, &format!("{}: {}", self.args.policy, self.summary()))
    }

    fn sarif(&self) -> Value {
        let level = if self.fails() { "error" } else { "warning" };
        let found = |mutant: &Mutant<'_>| Annotation {
            rule: CHANGED.0,
            level,
            text: line(mutant),
            file: mutant.file.to_string_lossy().into_owned(),
            at: (Some(mutant.case.line).filter(|line| *line != 0), None),
        };
        log(&[CHANGED], self.tally.survivors().map(found))
    }

    fn github(&self) -> String {
        let level = if self.fails() { "error" } else { "warning" };
        let mut out = String::new();
        for mutant in self.tally.survivors() {
            let at = if mutant.case.line == 0 { String::new() } else { format!(",line={}", mutant.case.line) };
            let (file, title) = (property(&mutant.file.to_string_lossy()), property(&rewrites(mutant)));
            let _ = writeln!(out, "::{level} file={file}{at},title={title}::{}", message(&line(mutant)));
        }
        let _ = writeln!(out, "{}", plain(&format!("{}: {}", self.args.policy, self.summary())).replace('\n', " "));
        out
    }
}

fn rewrites(mutant: &Mutant<'_>) -> String {
    mutant.rewrites.iter().map(|rewrite| rewrite.id).collect::<Vec<_>>().join(", then ")
}

/// Formats the mutant in one line.
fn line(mutant: &Mutant<'_>) -> String {
    let (text, got) = (escape_controls(&mutant.text), escape_controls(&mutant.got));
    format!(
        "{}: {text}: expected {}, got {got} ({})",
        case_location(mutant.file, mutant.case),
        mutant.expected,
        rewrites(mutant)
    )
}
