//! `guard-host policy rates`: how often the configured chain stops the calls of a corpus, by class and by rule.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::args::{Format, RatesArgs};
use super::print;
use super::subject::{Evaluators, circumstances, refused, tool_calls};
use guard_contract::exit::Exit;
use guard_contract::{Outcome, outcome_name};
use guard_redact::{redact, shorten};
use guard_state::Places;
use guard_state::environment::Environment;

/// The longest text of a call that `--wrong` shows, in bytes.
const SHOWN: usize = 160;

/// A row of a corpus. Keys that are not named here are somebody else's.
#[derive(Debug, Deserialize)]
struct Row {
    /// The text of a shell command, instead of `tool` and `input`.
    command: Option<String>,
    tool: Option<String>,
    input: Option<Value>,
    /// What should happen; none: nobody said.
    #[serde(alias = "expect")]
    label: Option<Label>,
    #[serde(default)]
    class: String,
    /// How often the call was seen.
    #[serde(default = "once")]
    times: u64,
}

fn once() -> u64 {
    1
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Label {
    /// Asked about or denied.
    #[serde(alias = "ask")]
    Stop,
    Deny,
    /// Neither.
    #[serde(alias = "abstain", alias = "allow")]
    Pass,
}

/// What was counted of one class, or of all.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Count {
    /// Rows that should be stopped.
    to_stop: u64,
    /// Those of them that were.
    stopped: u64,
    /// Rows that should pass.
    to_pass: u64,
    /// Those of them that did.
    passed: u64,
    /// Rows that should pass and were denied, which nobody can confirm.
    wrong_denies: u64,
    /// Calls, each as often as it was seen.
    calls: u64,
    /// Those that were asked about or denied.
    interruptions: u64,
}

/// How often a rule decided a stop.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
struct OfRule {
    /// Rows that should be stopped.
    right: u64,
    /// Rows that should pass.
    wrong: u64,
    /// Rows of which nobody said what should happen.
    unlabelled: u64,
}

#[derive(Debug, Default)]
struct Rates {
    all: Count,
    classes: BTreeMap<String, Count>,
    rules: BTreeMap<String, OfRule>,
    wrong: Vec<(Outcome, String, String)>,
}

pub(super) fn run(args: &RatesArgs, places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    let mut evaluators = Evaluators::new(places, environment);
    let mut rates = Rates::default();
    for file in &args.corpora {
        read(file, &mut evaluators, environment, &mut rates)?;
    }
    match args.format {
        Format::Json => print::line(&serde_json::to_string_pretty(&rates.to_json())?)?,
        Format::Human => rates.print(args.wrong)?,
    }
    Ok(Exit::Success)
}

/// Asks about every row of a file.
fn read(
    path: &Path,
    evaluators: &mut Evaluators<'_>,
    environment: &Environment,
    rates: &mut Rates,
) -> anyhow::Result<()> {
    let at = |line: usize, text: &dyn std::fmt::Display| {
        let hint =
            "a row is `{\"command\": \"...\", \"label\": \"stop\"}`; `guard-host policy rates --help` lists the keys";
        refused(Exit::Data, format!("{}:{line}: {text}", path.display()), hint)
    };
    let file = File::open(path)
        .map_err(|error| refused(Exit::NoInput, format!("{} cannot be read: {error}", path.display()), ""))?;
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(|error| at(index + 1, &error))?;
        if line.trim().is_empty() {
            continue;
        }
        let row: Row = serde_json::from_str(&line).map_err(|error| at(index + 1, &error))?;
        let (tool, input) = match (row.command, row.tool, row.input) {
            (Some(command), None, None) => ("Bash".to_owned(), Value::String(command)),
            (None, Some(tool), Some(input)) => (tool, input),
            _ => return Err(at(index + 1, &"a row has either `command`, or `tool` and `input`")),
        };
        let input = placed(input, environment);
        let calls = tool_calls(&tool, input.clone()).map_err(|error| at(index + 1, &error))?;
        let trace = evaluators.decide(&calls, &circumstances(environment, None))?;
        let deciding = trace.as_ref().and_then(|trace| trace.verdict.deciding());
        let outcome = trace.as_ref().map_or(Outcome::Abstain, |trace| trace.verdict.outcome);
        let rule = deciding.map(|deciding| format!("{}: {}", deciding.policy, deciding.finding.rule));
        rates.add(&row.class, row.label, row.times, outcome, rule.unwrap_or_default(), &input);
    }
    Ok(())
}

/// The input with this folder and this home in the place of `{CWD}` and `{HOME}`.
fn placed(input: Value, environment: &Environment) -> Value {
    match input {
        Value::String(text) => {
            Value::String(text.replace("{CWD}", &environment.cwd).replace("{HOME}", &environment.home))
        }
        Value::Object(object) => object.into_iter().map(|(key, value)| (key, placed(value, environment))).collect(),
        Value::Array(list) => list.into_iter().map(|value| placed(value, environment)).collect(),
        other => other,
    }
}

impl Rates {
    fn add(&mut self, class: &str, label: Option<Label>, times: u64, outcome: Outcome, rule: String, input: &Value) {
        let is_stopped = matches!(outcome, Outcome::Ask | Outcome::Deny);
        let is_right = match label {
            Some(Label::Deny) => outcome == Outcome::Deny,
            Some(Label::Stop) => is_stopped,
            Some(Label::Pass) => !is_stopped,
            None => true,
        };
        let of_class = self.classes.entry(class.to_owned()).or_default();
        for count in [&mut self.all, of_class] {
            count.calls += times;
            count.interruptions += if is_stopped { times } else { 0 };
            match label {
                Some(Label::Stop | Label::Deny) => {
                    count.to_stop += 1;
                    count.stopped += u64::from(is_right);
                }
                Some(Label::Pass) => {
                    count.to_pass += 1;
                    count.passed += u64::from(is_right);
                    count.wrong_denies += u64::from(outcome == Outcome::Deny);
                }
                None => {}
            }
        }
        if is_stopped {
            let of_rule = self.rules.entry(rule.clone()).or_default();
            match label {
                Some(Label::Stop | Label::Deny) => of_rule.right += 1,
                Some(Label::Pass) => of_rule.wrong += 1,
                None => of_rule.unlabelled += 1,
            }
        }
        if !is_right {
            let text = input.as_str().map_or_else(|| input.to_string(), str::to_owned);
            self.wrong.push((outcome, rule, shorten(&redact(&text.replace('\n', "\\n")), SHOWN)));
        }
    }

    fn to_json(&self) -> Value {
        let wrong = self
            .wrong
            .iter()
            .map(|(outcome, rule, call)| json!({ "outcome": outcome_name(*outcome), "rule": rule, "call": call }));
        json!({
            "all": self.all,
            "classes": self.classes,
            "rules": self.rules,
            "wrong": wrong.collect::<Vec<_>>(),
        })
    }

    fn print(&self, wrong: bool) -> anyhow::Result<()> {
        print::line(&format!(
            "{:24} {:>17} {:>17} {:>12} {:>24}",
            "class", "stopped", "passed", "wrong denies", "interruptions in 1,000"
        ))?;
        let several = self.classes.len() > 1;
        let rows = self.classes.iter().map(|(name, count)| (name.as_str(), count)).filter(|_| several);
        for (name, count) in rows.chain([("all", &self.all)]) {
            let name = if name.is_empty() { "(no class)" } else { name };
            print::line(&format!(
                "{name:24} {:>17} {:>17} {:>12} {:>24}",
                share(count.stopped, count.to_stop),
                share(count.passed, count.to_pass),
                count.wrong_denies,
                format!("{} of {}", per_mille(count.interruptions, count.calls), count.calls),
            ))?;
        }
        if !self.rules.is_empty() {
            print::line(&format!("\n{:44} {:>7} {:>7} {:>11}", "stops by rule", "right", "wrong", "no label"))?;
        }
        for (rule, of) in &self.rules {
            print::line(&format!("{rule:44} {:>7} {:>7} {:>11}", of.right, of.wrong, of.unlabelled))?;
        }
        if wrong && !self.wrong.is_empty() {
            print::line("\nother than their label:")?;
            for (outcome, rule, call) in &self.wrong {
                let name = outcome_name(*outcome);
                print::line(&format!("{:8} {rule}  {call}", print::coloured(name, name)))?;
            }
        }
        Ok(())
    }
}

/// `98.5 % of 240`.
fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{} % of {whole}", tenths(part, whole, 100)) }
}

fn per_mille(part: u64, whole: u64) -> String {
    tenths(part, whole, 1000)
}

/// `part` of `whole` in `unit`s, with one digit behind the point, rounded.
fn tenths(part: u64, whole: u64, unit: u64) -> String {
    let tenths = (u128::from(part) * u128::from(unit) * 10 + u128::from(whole) / 2) / u128::from(whole.max(1));
    format!("{}.{}", tenths / 10, tenths % 10)
}
