//! `guard-host policy conformance`: checks a policy against the requirements for all policies.

use serde_json::{Value, json};

use super::args::{ConformanceArgs, Format, WasiName};
use super::print;
use super::test::subject_error;
use guard_contract::exit::Exit;
use guard_kit::conformance::{Check, CheckedCall, Report, State, examine};
use guard_platform::paths::native;
use guard_redact::plain;
use guard_state::AppDirs;
use guard_state::environment::Environment;

pub(super) fn run(args: &ConformanceArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let (wasi, cwd) = (WasiName::or_default(args.wasi), &*native(&environment.cwd));
    let report = examine(&args.policy, wasi, args.settings.as_ref(), cwd, dirs);
    let report = report.map_err(|error| subject_error(&error, None))?;
    match args.format {
        Format::Json => print::json(&json(&report))?,
        Format::Human => human(&report)?,
    }
    Ok(if report.count(State::Failed) == 0 { Exit::Success } else { Exit::Failures })
}

fn human(report: &Report) -> anyhow::Result<()> {
    for check in &report.checks {
        let word = state_word(check.state);
        print::line(&format!(
            "{} {:<14} {}",
            print::color_by_outcome(&format!("{word:<4}"), word),
            check.rule.id,
            check.rule.meaning
        ))?;
        let lines = check.problems.iter().chain(&check.notes);
        for line in lines {
            print::line(&format!("     {:<14} {}", "", to_one_line(line)))?;
        }
        if check.state == State::Failed {
            print::line(&format!("     {:<14} advice: {}", "", check.rule.advice))?;
        }
    }
    print::line("")?;
    let counts = [(State::Passed, "passed"), (State::Failed, "failed"), (State::Skipped, "skipped")];
    let counts = counts.map(|(state, word)| format!("{} {word}", report.count(state)));
    print::line(&format!("{}: {}; {} calls", plain(&report.policy), counts.join(", "), report.calls.len()))
}

fn json(report: &Report) -> Value {
    let manifest = report.manifest.as_ref();
    json!({
        "policy": report.policy,
        "sha256": report.sha256,
        "id": manifest.map(|manifest| &manifest.id),
        "version": manifest.map(|manifest| &manifest.version),
        "passed": report.count(State::Passed),
        "failed": report.count(State::Failed),
        "skipped": report.count(State::Skipped),
        "slowest": report.slowest().map(call_json),
        "largest": report.largest().map(call_json),
        "checks": report.checks.iter().map(check).collect::<Vec<_>>(),
        "calls": report.calls.iter().map(call_json).collect::<Vec<_>>(),
    })
}

fn check(check: &Check) -> Value {
    let state = match check.state {
        State::Passed => "passed",
        State::Failed => "failed",
        State::Skipped => "skipped",
    };
    json!({
        "id": check.rule.id, "meaning": check.rule.meaning, "advice": check.rule.advice, "state": state,
        "problems": check.problems, "notes": check.notes,
    })
}

fn call_json(made: &CheckedCall) -> Value {
    json!({
        "check": made.rule, "call": made.what, "answer": made.answer,
        "microseconds": made.used.processor.as_micros(), "memory": made.used.memory,
    })
}

fn state_word(state: State) -> &'static str {
    match state {
        State::Passed => "ok",
        State::Failed => "FAIL",
        State::Skipped => "skip",
    }
}

/// Formats a guest's text on one line, without control characters.
fn to_one_line(text: &str) -> String {
    plain(&text.replace('\n', " "))
}
