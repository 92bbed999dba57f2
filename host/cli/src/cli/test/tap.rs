//! The report in the Test Anything Protocol, version 14: a line for each case, and a YAML block for each failure.

use std::fmt::Write as _;

use super::{Report, escape_controls, findings};
use guard_kit::suite::FinishedCase;
use guard_redact::plain;

/// A test point.
pub(super) struct Point {
    pub(super) title: String,
    /// The lines of YAML that describe the failure. `None` if the case passed.
    pub(super) failure: Option<Vec<String>>,
    /// Whether the case was skipped.
    pub(super) is_skipped: bool,
}

pub(super) fn text(report: &Report<'_>) -> String {
    let mut points: Vec<Point> = report.run.done.iter().map(point).collect();
    if report.args.threshold.is_some() {
        let failure = report.shortfall().map(|text| message(&format!("{text}: {}", report.describe_missed_rules())));
        points.push(Point { title: "rules hit".to_owned(), failure, is_skipped: false });
    }
    document(&points, &report.summary())
}

/// Formats the test points, and a summary that programs ignore.
pub(super) fn document(points: &[Point], summary: &str) -> String {
    let mut out = format!("TAP version 14\n1..{}\n", points.len());
    for (number, Point { title, failure, is_skipped }) in (1..).zip(points) {
        let state = if failure.is_none() { "ok" } else { "not ok" };
        let title = escape_controls(title).replace('\\', "\\\\").replace('#', "\\#");
        let skipped = if *is_skipped { " # SKIP yet to be written" } else { "" };
        let _ = writeln!(out, "{state} {number} - {title}{skipped}");
        if let Some(lines) = failure {
            let _ = writeln!(out, "  ---\n  {}\n  ...", lines.join("\n  "));
        }
    }
    let _ = writeln!(out, "# {}", escape_controls(summary));
    out
}

/// Returns the lines at the start of every failure.
pub(super) fn message(text: &str) -> Vec<String> {
    vec![format!("message: {}", scalar(text)), "severity: \"fail\"".to_owned()]
}

/// Formats a list of texts below a key. Empty if there are no texts.
pub(super) fn list(key: &str, texts: &[String]) -> Vec<String> {
    let key = (!texts.is_empty()).then(|| format!("{key}:"));
    key.into_iter().chain(texts.iter().map(|text| format!("  - {}", scalar(text)))).collect()
}

fn point(done: &FinishedCase<'_>) -> Point {
    let failure = done.report.differences.first().map(|first| {
        let mut lines = message(&first.to_string());
        lines.push("at:".to_owned());
        lines.push(format!("  file: {}", scalar(&done.file.to_string_lossy())));
        if done.case.line != 0 {
            lines.push(format!("  line: {}", done.case.line));
        }
        lines.push("differences:".to_owned());
        for one in &done.report.differences {
            lines.push(format!("  - what: {}", scalar(one.what)));
            lines.push(format!("    expected: {}", scalar(&one.expected)));
            lines.push(format!("    got: {}", scalar(&one.got)));
        }
        lines.extend(list("findings", &findings(done)));
        lines
    });
    Point { title: done.case.title(), failure, is_skipped: done.report.is_skipped }
}

/// Formats a text for YAML, which accepts JSON strings.
fn scalar(text: &str) -> String {
    serde_json::Value::from(plain(text)).to_string()
}
