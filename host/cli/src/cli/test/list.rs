//! `guard-host test --list`: lists the cases that would run. No policy is loaded except `rego`, which finds its tests.

use std::path::Path;

use serde_json::{Value, json};

use super::{case_location, escape_controls, no_cases_error, rego, subject, suites};
use crate::cli::args::{ReportFormat, TestArgs};
use crate::cli::print;
use crate::cli::subject::exit_error;
use guard_contract::exit::Exit;
use guard_kit::suite::{Case, is_chosen};
use guard_platform::paths::native;
use guard_redact::plain;
use guard_state::AppDirs;
use guard_state::environment::Environment;

pub(super) fn run(args: &TestArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let cwd = &*native(&environment.cwd);
    if !matches!(args.format, ReportFormat::Human | ReportFormat::Json) {
        let hint = "leave out `--format`, or take `--format json`";
        return Err(exit_error(Exit::Usage, "what `--list` prints is text or JSON, and no report", hint));
    }
    let mut suites = suites(args, cwd)?;
    if args.policy == rego::POLICY {
        let tests = rego::tests(args, &subject(args, dirs, environment)?, rego::settings(args, cwd)?, cwd)?;
        suites.extend(tests.map(|tests| tests.suites).unwrap_or_default());
    }
    let cases = suites.iter().flat_map(|(file, suite)| suite.cases.iter().map(|case| (file.as_path(), case)));
    let cases: Vec<(&Path, &Case)> = cases.filter(|(file, case)| is_chosen(file, case, &args.filter)).collect();
    if cases.is_empty() {
        return Err(no_cases_error(args));
    }
    if args.format == ReportFormat::Json {
        let value = json!({ "policy": args.policy, "cases": cases.into_iter().map(row).collect::<Vec<_>>() });
        print::json(&value)?;
        return Ok(Exit::Success);
    }
    for (file, case) in cases {
        print::line(&format!("{}: {}", plain(&case_location(file, case)), escape_controls(&case.title())))?;
    }
    Ok(Exit::Success)
}

/// Returns the keys of a case that a report also has. Keys are only ever added.
fn row((file, case): (&Path, &Case)) -> Value {
    json!({
        "file": file.to_string_lossy(),
        "line": Some(case.line).filter(|line| *line != 0),
        "id": case.id.0,
        "name": case.name,
        "title": case.title(),
    })
}
