//! The report in JUnit's XML format for build servers: a suite for each file, and a test case for each case.

use std::fmt::Write as _;

use super::{Report, case_location, complaints};
use crate::cli::explain::{analysis_lines, describe_coverage};
use guard_kit::suite::FinishedCase;

pub(super) fn text(report: &Report<'_>) -> String {
    let run = report.run;
    let shortfall = report.shortfall();
    let extra = usize::from(report.args.threshold.is_some());
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let (tests, failed) = (run.done.len() + extra, report.failed_count() + usize::from(shortfall.is_some()));
    let name = escape_xml(&report.args.policy);
    let _ = writeln!(xml, "<testsuites name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"0\">");
    for cases in run.done.chunk_by(|one, other| one.file == other.file) {
        let failed = cases.iter().filter(|done| !done.report.passes()).count();
        let file = cases.first().map(|done| escape_xml(&done.file.to_string_lossy())).unwrap_or_default();
        let time: f64 = cases.iter().map(seconds).sum();
        let skipped = cases.iter().filter(|done| done.report.is_skipped).count();
        let skipped = if skipped == 0 { String::new() } else { format!(" skipped=\"{skipped}\"") };
        let head = format!("name=\"{file}\" tests=\"{}\" failures=\"{failed}\" errors=\"0\"{skipped}", cases.len());
        let _ = writeln!(xml, "  <testsuite {head} time=\"{time:.6}\">");
        for done in cases {
            case(done, &file, &mut xml);
        }
        xml.push_str("  </testsuite>\n");
    }
    if report.args.threshold.is_some() {
        let failures = usize::from(shortfall.is_some());
        let _ = writeln!(xml, "  <testsuite name=\"rules\" tests=\"1\" failures=\"{failures}\" errors=\"0\">");
        let failure = shortfall.map(|text| failure(&text, &report.describe_missed_rules())).unwrap_or_default();
        let _ = writeln!(xml, "    <testcase classname=\"rules\" name=\"rules hit\">{failure}</testcase>");
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn case(done: &FinishedCase<'_>, file: &str, xml: &mut String) {
    let (name, time) = (escape_xml(&done.case.title()), seconds(done));
    let head = format!("classname=\"{file}\" name=\"{name}\" time=\"{time:.6}\"");
    if done.report.is_skipped {
        let _ = writeln!(xml, "    <testcase {head}><skipped message=\"yet to be written\"/></testcase>");
        return;
    }
    if done.report.passes() {
        let _ = writeln!(xml, "    <testcase {head}/>");
        return;
    }
    // The schemas of build servers have no attribute for the line.
    let mut body = vec![case_location(done.file, done.case)];
    body.extend(complaints(done));
    for analysis in &done.report.analyses {
        body.push(describe_coverage(analysis).to_owned());
        body.extend(analysis_lines(analysis).into_iter().map(|line| format!("  {line}")));
    }
    let first = done.report.differences.first().map(ToString::to_string).unwrap_or_default();
    let failure = failure(&first, &body.join("\n"));
    let _ = writeln!(xml, "    <testcase {head}>{failure}</testcase>");
}

pub(super) fn failure(message: &str, body: &str) -> String {
    format!("<failure message=\"{}\" type=\"failure\">{}</failure>", escape_xml(message), escape_xml(body))
}

fn seconds(done: &FinishedCase<'_>) -> f64 {
    done.report.time.as_secs_f64()
}

/// Escapes `text` for an attribute or element. Characters that XML doesn't allow are replaced.
pub(super) fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Otherwise, a parser replaces them with spaces in an attribute.
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape_xml;

    #[test]
    fn nothing_that_xml_does_not_hold_gets_through() {
        let text = "<a b=\"c\">&amp;\u{1b}[31m\0\n]]>\u{fffe}";
        assert_eq!(escape_xml(text), "&lt;a b=&quot;c&quot;&gt;&amp;amp;\u{fffd}[31m\u{fffd}&#10;]]&gt;\u{fffd}");
    }
}
