//! The report as GitHub workflow commands, which show each failure at its case.

use std::fmt::Write as _;

use super::{Report, complaints};
use guard_kit::suite::FinishedCase;
use guard_redact::plain;

pub(super) fn text(report: &Report<'_>) -> String {
    let mut out = String::new();
    for done in report.run.failures() {
        let title = property(&done.case.title());
        let _ = writeln!(
            out,
            "::error {},title={title}::{}",
            annotation_location(done),
            message(&complaints(done).join("\n"))
        );
    }
    if let Some(shortfall) = report.shortfall() {
        let text = format!("{shortfall}: {}", report.describe_missed_rules());
        let _ = writeln!(out, "::error title=rules hit::{}", message(&text));
    }
    let _ = writeln!(out, "{}", report.summary());
    out
}

fn annotation_location(done: &FinishedCase<'_>) -> String {
    let file = property(&done.file.to_string_lossy());
    if done.case.line == 0 { format!("file={file}") } else { format!("file={file},line={}", done.case.line) }
}

/// Escapes a text in a command. A line break would end it, and what follows could be another command.
pub(in crate::cli) fn message(text: &str) -> String {
    plain(text).replace('%', "%25").replace('\n', "%0A")
}

/// Escapes the value of a command's property.
pub(in crate::cli) fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{message, property};

    #[test]
    fn no_text_ends_its_command() {
        assert_eq!(message("50%\r\n::set-env name=X::y"), "50%25\u{fffd}%0A::set-env name=X::y");
        assert_eq!(property("a,b:c\n"), "a%2Cb%3Ac%0A");
    }
}
