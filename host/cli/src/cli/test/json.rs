//! The report in JSON. Keys are only ever added.

use serde_json::{Value, json};

use super::{Report, level_name};
use crate::cli::explain::{analysis_json, finding_json};
use guard_contract::outcome_name;
use guard_contract::verdict::Attributed;
use guard_kit::suite::rego::Lines;
use guard_kit::suite::{FinishedCase, LimitUsage, Logged};
use guard_redact::{hide_shapes, plain};

pub(super) fn text(report: &Report<'_>) -> anyhow::Result<String> {
    let (run, failed) = (report.run, report.failed_count());
    let value = json!({
        "policy": report.args.policy,
        "repeat": report.args.repeat,
        "passed": report.passed_count(),
        "failed": failed,
        "skipped": report.skipped_count(),
        "not-run": run.left,
        "rules": {
            "hit": run.coverage.hit, "missed": run.coverage.missed, "named": run.coverage.named, "percent": run.coverage.percent(),
            "threshold": report.args.threshold,
        },
        "lines": report.args.coverage.then(|| report.lines().into_iter().map(lines).collect::<Vec<_>>()),
        "cases": run.done.iter().map(case).collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&value)?)
}

/// Converts the lines of a Rego file.
fn lines((file, lines): (String, &Lines)) -> Value {
    json!({ "file": file, "covered": lines.covered, "missed": lines.missed, "percent": lines.percent() })
}

fn case(done: &FinishedCase<'_>) -> Value {
    let (case, result) = (done.case, &done.report);
    let deciding = result.verdict.deciding();
    let differences: Vec<Value> = result
        .differences
        .iter()
        .map(|one| json!({ "what": one.what, "expected": one.expected, "got": one.got }))
        .collect();
    json!({
        "file": done.file.to_string_lossy(),
        "line": Some(case.line).filter(|line| *line != 0),
        "id": case.id.0,
        "name": case.name,
        "title": case.title(),
        "passed": result.passes() && !result.is_skipped,
        "skipped": result.is_skipped,
        "expected": case.expect.0,
        "outcome": outcome_name(result.verdict.outcome),
        "policy": deciding.map(|deciding| &deciding.policy),
        "rule": deciding.map(|deciding| &deciding.finding.rule),
        "differences": differences,
        "findings": result.verdict.findings.iter().map(finding).collect::<Vec<_>>(),
        "log": result.log.iter().map(log_line_json).collect::<Vec<_>>(),
        "analyses": result.analyses.iter().map(|analysis| analysis_json(analysis)).collect::<Vec<_>>(),
        "us": result.time.as_micros(),
        "spent": result.spent.as_ref().map(usage_json),
    })
}

fn finding(found: &Attributed) -> Value {
    let mut value = finding_json(&found.finding);
    if let Some(object) = value.as_object_mut() {
        object.insert("policy".to_owned(), found.policy.clone().into());
    }
    value
}

fn log_line_json(line: &Logged) -> Value {
    json!({ "policy": line.policy, "level": level_name(line.level), "message": hide_shapes(&plain(&line.message)) })
}

fn usage_json(spent: &LimitUsage) -> Value {
    json!({
        "policy": spent.policy,
        "cpu-us": spent.used.processor.as_micros(), "limit-ms": spent.limits.time_ms,
        "memory-bytes": spent.used.memory, "limit-mib": spent.limits.memory_mib,
    })
}
