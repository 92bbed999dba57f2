//! The report in SARIF: a result for each failed case.

use super::{Report, complaints};
use crate::cli::sarif::{Annotation, Rule, log};
use guard_redact::plain;

/// The checks, as SARIF rules.
const RULES: [Rule; 2] = [
    ("failed-case", "The policy does what the case expects"),
    ("rules-hit", "The cases hit as many rules of the policy as `--threshold` wants"),
];

pub(super) fn text(report: &Report<'_>) -> anyhow::Result<String> {
    let [(case, _), (rules, _)] = RULES;
    let failures = report.run.failures().map(|done| Annotation {
        rule: case,
        level: "error",
        text: plain(&format!("{}\n{}", done.case.title(), complaints(done).join("\n"))),
        file: done.file.to_string_lossy().into_owned(),
        at: (Some(done.case.line).filter(|line| *line != 0), None),
    });
    let shortfall = report.shortfall().map(|text| Annotation {
        rule: rules,
        level: "error",
        text: format!("{text}: {}", report.describe_missed_rules()),
        file: String::new(),
        at: (None, None),
    });
    Ok(serde_json::to_string_pretty(&log(&RULES, failures.chain(shortfall)))?)
}
