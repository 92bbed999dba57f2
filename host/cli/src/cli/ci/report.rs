//! The results of the steps, for people, programs and code hosts.

use serde_json::{Value, json};

use crate::cli::args::CiFormat;
use crate::cli::print;
use crate::cli::test::github::{message, property};
use guard_redact::plain;

pub(super) struct StepResult {
    state: State,
    /// A summary, or why the step was skipped. Empty if it failed.
    text: String,
    remarks: Vec<Remark>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Passed,
    Skipped,
    Failed,
}

/// A remark on the project, with its severity.
pub(super) struct Remark {
    level: Level,
    on: Mistake,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The step fails.
    Error,
    /// It works, but is probably a mistake.
    Warning,
    /// Information for a reviewer.
    Notice,
}

/// A mistake with its location.
pub(super) struct Mistake {
    /// The file, relative to the project's root if it is below it.
    pub(super) file: String,
    pub(super) line: Option<usize>,
    pub(super) text: String,
    pub(super) hint: String,
}

impl Remark {
    pub(super) fn warning(on: Mistake) -> Self {
        Remark { level: Level::Warning, on }
    }

    pub(super) fn notice(on: Mistake) -> Self {
        Remark { level: Level::Notice, on }
    }
}

impl StepResult {
    pub(super) fn passed(text: String) -> Self {
        StepResult { state: State::Passed, text, remarks: Vec::new() }
    }

    pub(super) fn skipped(why: String) -> Self {
        StepResult { state: State::Skipped, text: why, remarks: Vec::new() }
    }

    pub(super) fn failed(mistakes: Vec<Mistake>) -> Self {
        let error = |on| Remark { level: Level::Error, on };
        StepResult { state: State::Failed, text: String::new(), remarks: mistakes.into_iter().map(error).collect() }
    }

    /// Adds remarks that don't change the result.
    pub(super) fn with_remarks(mut self, remarks: Vec<Remark>) -> Self {
        self.remarks.extend(remarks);
        self
    }

    pub(super) fn is_failed(&self) -> bool {
        self.state == State::Failed
    }

    fn mistakes_at(&self, level: Level) -> impl Iterator<Item = &Mistake> {
        self.remarks.iter().filter(move |remark| remark.level == level).map(|remark| &remark.on)
    }
}

pub(super) fn print(name: &str, result: &StepResult, format: CiFormat) -> anyhow::Result<()> {
    let (state, text) = match result.state {
        State::Passed => ("ok", result.text.clone()),
        State::Skipped => ("skip", result.text.clone()),
        State::Failed => ("FAIL", print::count(result.mistakes_at(Level::Error).count() as u64, "mistake")),
    };
    print::line(&format!("{} {name:<12} {}", print::color_by_outcome(&format!("{state:<4}"), state), plain(&text)))?;
    for remark in &result.remarks {
        match format {
            CiFormat::Github => print::line(&annotation(name, remark))?,
            _ => print_remark(remark)?,
        }
    }
    Ok(())
}

fn print_remark(Remark { level, on: Mistake { file, line, text, hint } }: &Remark) -> anyhow::Result<()> {
    let place = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
    let level = if *level == Level::Warning { "warning: " } else { "" };
    print::line(&format!("     {level}{}: {}", plain(&place), plain(text)))?;
    if !hint.is_empty() {
        print::line(&format!("       hint: {}", plain(hint)))?;
    }
    Ok(())
}

/// Formats a GitHub workflow command, which shows the remark at its line.
fn annotation(name: &str, Remark { level, on: Mistake { file, line, text, hint } }: &Remark) -> String {
    let level = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Notice => "notice",
    };
    let line = line.map_or_else(String::new, |line| format!(",line={line}"));
    let text = if hint.is_empty() { text.clone() } else { format!("{text}\n{hint}") };
    format!("::{level} file={}{line},title={name}::{}", property(file), message(&text))
}

pub(super) fn json(results: &[(&str, StepResult)]) -> Value {
    let steps = results.iter().map(|(name, result)| {
        let rows = |level| {
            let row = |on: &Mistake| json!({ "file": on.file, "line": on.line, "text": on.text, "hint": on.hint });
            result.mistakes_at(level).map(row).collect::<Vec<_>>()
        };
        let state = match result.state {
            State::Passed => "passed",
            State::Skipped => "skipped",
            State::Failed => "failed",
        };
        json!({
            "step": name,
            "state": state,
            "text": result.text,
            "mistakes": rows(Level::Error),
            "warnings": rows(Level::Warning),
            "notices": rows(Level::Notice),
        })
    });
    json!({ "steps": steps.collect::<Vec<_>>() })
}
