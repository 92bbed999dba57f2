//! The report for people: a line a file, and all that is known of what failed.

use super::{Report, findings, one_line, place};
use crate::cli::explain::{analysis_lines, understood};
use crate::cli::print;
use guard_kit::suite::Done;
use guard_redact::plain;

pub(super) fn print(report: &Report<'_>) -> anyhow::Result<()> {
    let is_quiet = report.args.quiet;
    if !is_quiet {
        files(report)?;
    }
    for (number, done) in report.run.failures().enumerate() {
        if number > 0 || !is_quiet {
            print::line("")?;
        }
        failure(done)?;
    }
    if report.failed() > 0 || !is_quiet {
        print::line("")?;
    }
    print::line(&format!("{}: {}", plain(&report.args.policy), report.counts()))?;
    if !is_quiet {
        print::line(&report.missed())?;
    }
    if let Some(shortfall) = report.shortfall() {
        print::line(&format!("{}: {shortfall}", print::coloured("FAIL", "FAIL")))?;
    }
    Ok(())
}

/// A line for each file, and with `--timings` one for each of its cases.
fn files(report: &Report<'_>) -> anyhow::Result<()> {
    for cases in report.run.done.chunk_by(|one, other| one.file == other.file) {
        let failed = cases.iter().filter(|done| !done.report.passes()).count();
        let file = cases.first().map(|done| done.file.display().to_string()).unwrap_or_default();
        let count = if failed == 0 { cases.len().to_string() } else { format!("{failed} of {}", cases.len()) };
        let state = if failed == 0 { "ok" } else { "FAIL" };
        print::line(&format!("{} {} ({count})", print::coloured(&format!("{state:<4}"), state), plain(&file)))?;
        for done in cases.iter().filter(|_| report.args.timings) {
            let time = done.report.time.as_secs_f64() * 1000.0;
            let used = done.report.spent.as_ref().map(|spent| spent.used.of(spent.limits)).unwrap_or_default();
            print::line(&format!("     {time:>7.2} ms ({used}) {}", one_line(&done.case.title())))?;
        }
    }
    Ok(())
}

fn failure(done: &Done<'_>) -> anyhow::Result<()> {
    let title = one_line(&done.case.title());
    print::line(&format!("{} {}: {title}", print::coloured("FAIL", "FAIL"), plain(&place(done.file, done.case))))?;
    for difference in &done.report.differences {
        print::line(&format!("  {}", difference.what))?;
        print::line(&format!("    expected  {}", indented(&difference.expected)))?;
        print::line(&format!("    got       {}", indented(&difference.got)))?;
    }
    let findings = findings(done);
    if !findings.is_empty() {
        print::line("  findings")?;
    }
    for finding in findings {
        print::line(&format!("    {}", indented(&finding)))?;
    }
    for analysis in &done.report.analyses {
        print::line(&format!("  {}", understood(analysis)))?;
        for line in analysis_lines(analysis) {
            print::line(&format!("    {line}"))?;
        }
    }
    Ok(())
}

fn indented(text: &str) -> String {
    plain(text).replace('\n', "\n              ")
}
