//! The report for people: a line for each file, and all details of failures.

use std::collections::BTreeSet;

use super::{Report, case_location, escape_controls, findings, log};
use crate::cli::explain::{analysis_lines, describe_coverage};
use crate::cli::print;
use guard_kit::suite::FinishedCase;
use guard_redact::plain;

pub(super) fn print(report: &Report<'_>) -> anyhow::Result<()> {
    let is_quiet = print::is_quiet();
    if !is_quiet {
        files(report)?;
    }
    for done in report.run.done.iter().filter(|done| done.report.is_skipped) {
        let title = escape_controls(&done.case.title());
        print::line(&format!("skip {}: {title} is yet to be written", plain(&case_location(done.file, done.case))))?;
    }
    for (number, done) in report.run.failures().enumerate() {
        if number > 0 || !is_quiet {
            print::line("")?;
        }
        failure(done)?;
    }
    if report.failed_count() > 0 || !is_quiet {
        print::line("")?;
    }
    print::line(&format!("{}: {}", plain(&report.args.policy), report.counts()))?;
    if !is_quiet && !report.describe_missed_rules().is_empty() {
        print::line(&report.describe_missed_rules())?;
    }
    if report.args.coverage && !report.run.lines.is_empty() {
        lines(report)?;
    }
    if let Some(shortfall) = report.shortfall() {
        print::line(&format!("{}: {shortfall}", print::color_by_outcome("FAIL", "FAIL")))?;
    }
    Ok(())
}

/// Prints a line for each file, and with `--timings` one for each of its cases.
fn files(report: &Report<'_>) -> anyhow::Result<()> {
    for cases in report.run.done.chunk_by(|one, other| one.file == other.file) {
        let failed = cases.iter().filter(|done| !done.report.passes()).count();
        let file = cases.first().map(|done| done.file.display().to_string()).unwrap_or_default();
        let count = if failed == 0 { cases.len().to_string() } else { format!("{failed} of {}", cases.len()) };
        let state = if failed == 0 { "ok" } else { "FAIL" };
        print::line(&format!("{} {} ({count})", print::color_by_outcome(&format!("{state:<4}"), state), plain(&file)))?;
        for done in cases.iter().filter(|_| print::is_verbose() && !report.args.timings) {
            print::line(&format!("     {}", escape_controls(&done.case.title())))?;
            log(done).try_for_each(|line| print::line(&format!("       {}", indent(&line))))?;
        }
        for done in cases.iter().filter(|_| report.args.timings) {
            let time = done.report.time.as_secs_f64() * 1000.0;
            let used = done.report.spent.as_ref().map(|spent| spent.used.describe(spent.limits)).unwrap_or_default();
            print::line(&format!("     {time:>7.2} ms ({used}) {}", escape_controls(&done.case.title())))?;
        }
    }
    Ok(())
}

fn failure(done: &FinishedCase<'_>) -> anyhow::Result<()> {
    let title = escape_controls(&done.case.title());
    print::line(&format!(
        "{} {}: {title}",
        print::color_by_outcome("FAIL", "FAIL"),
        plain(&case_location(done.file, done.case))
    ))?;
    for difference in &done.report.differences {
        print::line(&format!("  {}", difference.what))?;
        print::line(&format!("    expected  {}", indent(&difference.expected)))?;
        print::line(&format!("    got       {}", indent(&difference.got)))?;
    }
    let findings = findings(done);
    if !findings.is_empty() {
        print::line("  findings")?;
    }
    for finding in findings {
        print::line(&format!("    {}", indent(&finding)))?;
    }
    for (number, line) in log(done).enumerate() {
        if number == 0 {
            print::line("  log")?;
        }
        print::line(&format!("    {}", indent(&line)))?;
    }
    for analysis in &done.report.analyses {
        print::line(&format!("  {}", describe_coverage(analysis)))?;
        for line in analysis_lines(analysis) {
            print::line(&format!("    {line}"))?;
        }
    }
    Ok(())
}

/// Prints the evaluated lines of Rego, one line for each file.
fn lines(report: &Report<'_>) -> anyhow::Result<()> {
    print::line("")?;
    let (mut evaluated, mut all) = (0, 0);
    for (file, lines) in report.lines() {
        let (covered, count) = (lines.covered.len(), lines.covered.len() + lines.missed.len());
        let missed = if lines.missed.is_empty() { String::new() } else { format!(", not {}", ranges(&lines.missed)) };
        print::line(&format!("{:>3} % {}: {covered} of {count} lines{missed}", lines.percent(), plain(&file)))?;
        evaluated += covered;
        all += count;
    }
    let percent = (evaluated * 100).checked_div(all).unwrap_or(100);
    print::line(&format!("{percent:>3} % of {all} lines of Rego were evaluated"))
}

/// Formats ranges such as `1-4, 7`.
fn ranges(lines: &BTreeSet<u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    let text = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn indent(text: &str) -> String {
    plain(text).replace('\n', "\n              ")
}
