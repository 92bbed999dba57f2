//! `guard-host policy rates`: measures how often the configured chain stops the calls of a corpus, by class and rule.

mod corpus;
mod count;
mod other_hook;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::{Value, json};

use super::args::{Format, RatesArgs};
use super::print;
use super::subject::{Evaluators, call_context, exit_error, tool_calls};
use corpus::{Mapping, Row};
use count::Rates;
use guard_contract::Outcome;
use guard_contract::exit::Exit;
use guard_state::AppDirs;
use guard_state::environment::Environment;
use other_hook::OtherHook;

/// The number of rows between two updates of the progress.
const STEP: usize = 100;

/// A program to compare with, and its results.
struct ComparedProgram<'a> {
    hook: OtherHook<'a>,
    rates: Rates,
    /// The number of calls without an answer.
    failed: u64,
    /// The first error.
    first_failure: Option<String>,
}

pub(super) fn run(args: &RatesArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let mapping = args.map.as_deref().map_or_else(|| Ok(Mapping::default()), Mapping::read)?;
    let mut evaluators = Evaluators::new(dirs, environment);
    let mut rates = Rates::default();
    let mut others: Vec<ComparedProgram<'_>> = (args.against_hook.iter())
        .map(|command| OtherHook { command, environment })
        .map(|hook| ComparedProgram { hook, rates: Rates::default(), failed: 0, first_failure: None })
        .collect();
    for file in &args.corpora {
        read(file, &mapping, &mut |row| {
            let input = fill_placeholders(row.input.clone(), environment);
            let calls = tool_calls(&row.tool, input.clone())?;
            let trace = evaluators.decide(&calls, &call_context(environment, None))?;
            let deciding = trace.as_ref().and_then(|trace| trace.verdict.deciding());
            let outcome = trace.as_ref().map_or(Outcome::Abstain, |trace| trace.verdict.outcome);
            let rule = deciding.map(|deciding| format!("{}: {}", deciding.policy, deciding.finding.rule));
            rates.add(&row, outcome, rule.unwrap_or_default(), &input);
            for other in &mut others {
                let outcome = other.hook.ask(&row.tool, &input).unwrap_or_else(|reason| {
                    other.failed += 1;
                    other.first_failure.get_or_insert(reason);
                    Outcome::Abstain
                });
                other.rates.add(&row, outcome, String::new(), &input);
            }
            Ok(())
        })?;
    }
    match args.format {
        Format::Json => {
            let mut value = rates.to_json();
            if let (Some(object), false) = (value.as_object_mut(), others.is_empty()) {
                let of = |other: &ComparedProgram<'_>| {
                    let Value::Object(mut rates) = other.rates.to_json() else { return Value::Null };
                    rates.remove("rules");
                    rates.extend([("command".to_owned(), json!(other.hook.command))]);
                    rates.extend([("failed".to_owned(), json!(other.failed))]);
                    Value::Object(rates)
                };
                object.insert("against".to_owned(), others.iter().map(of).collect());
            }
            print::json(&value)?;
        }
        Format::Human => {
            rates.print(args.wrong)?;
            for other in &others {
                print::line(&format!("\nby `{}`:", other.hook.command))?;
                other.rates.print(args.wrong)?;
                if let Some(reason) = &other.first_failure {
                    let calls = print::count(other.failed, "call");
                    print::line(&format!("no answer to {calls}, which count as run; the first: {reason}"))?;
                }
            }
        }
    }
    Ok(Exit::Success)
}

/// Calls `ask` with every row of a file, and shows the progress on a terminal.
fn read(path: &Path, mapping: &Mapping, ask: &mut dyn FnMut(Row) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let at = |line: usize, text: &dyn std::fmt::Display| {
        let hint =
            "a row is `{\"command\": \"...\", \"label\": \"stop\"}`; `guard-host policy rates --help` lists the keys";
        exit_error(Exit::Data, format!("{}:{line}: {text}", path.display()), hint)
    };
    let file = File::open(path)
        .map_err(|error| exit_error(Exit::NoInput, format!("{} cannot be read: {error}", path.display()), ""))?;
    let shows = print::shows_progress();
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(|error| at(index + 1, &error))?;
        if line.trim().is_empty() {
            continue;
        }
        if shows && index % STEP == 0 {
            eprint!("\r{}: {index} rows", path.display());
        }
        let row = mapping.row(&line).map_err(|text| at(index + 1, &text))?;
        ask(row).map_err(|error| at(index + 1, &error))?;
    }
    if shows {
        eprint!("\r\u{1b}[K");
    }
    Ok(())
}

/// Replaces `{CWD}` and `{HOME}` in the input.
fn fill_placeholders(input: Value, environment: &Environment) -> Value {
    match input {
        Value::String(text) => {
            Value::String(text.replace("{CWD}", &environment.cwd).replace("{HOME}", &environment.home))
        }
        Value::Object(object) => {
            object.into_iter().map(|(key, value)| (key, fill_placeholders(value, environment))).collect()
        }
        Value::Array(list) => list.into_iter().map(|value| fill_placeholders(value, environment)).collect(),
        other => other,
    }
}
