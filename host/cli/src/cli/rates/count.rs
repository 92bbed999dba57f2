//! The counts of a program, and their tables.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use guard_contract::{Outcome, outcome_name};
use guard_redact::{redact, shorten};

use super::corpus::{Label, Row};
use crate::cli::print;

/// The maximum length of a call that `--wrong` shows, in bytes.
const SHOWN: usize = 160;

/// The counts of one class, or of all.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Count {
    /// Rows that should be stopped.
    to_stop: u64,
    /// Rows that should be stopped and were.
    stopped: u64,
    /// Rows that should pass.
    to_pass: u64,
    /// Rows that should pass and did.
    passed: u64,
    /// Rows that should pass but were denied, which no one can confirm.
    wrong_denies: u64,
    /// Calls, counted with their frequency.
    calls: u64,
    /// Calls that were stopped by an ask or a deny.
    interruptions: u64,
}

/// The number of stops that a rule decided.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
struct OfRule {
    /// Rows that should be stopped.
    right: u64,
    /// Rows that should pass.
    wrong: u64,
    /// Rows without a label.
    unlabelled: u64,
}

/// The counts of one program.
#[derive(Debug, Default)]
pub(super) struct Rates {
    all: Count,
    classes: BTreeMap<String, Count>,
    rules: BTreeMap<String, OfRule>,
    wrong: Vec<(Outcome, String, String)>,
}

impl Rates {
    /// Counts a row's call, which `rule` decided.
    pub(super) fn add(&mut self, row: &Row, outcome: Outcome, rule: String, input: &Value) {
        let Row { class, label, times, .. } = row;
        let (label, times) = (*label, *times);
        let is_stopped = matches!(outcome, Outcome::Ask | Outcome::Deny);
        let is_right = match label {
            Some(Label::Deny) => outcome == Outcome::Deny,
            Some(Label::Stop) => is_stopped,
            Some(Label::Pass) => !is_stopped,
            None => true,
        };
        let of_class = self.classes.entry(class.clone()).or_default();
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
        // Another hook's rules aren't known.
        if is_stopped && !rule.is_empty() {
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

    pub(super) fn to_json(&self) -> Value {
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

    pub(super) fn print(&self, wrong: bool) -> anyhow::Result<()> {
        print::line(&format!(
            "{:24} {:>28} {:>28} {:>12} {:>24}",
            "class", "stopped", "passed", "wrong denies", "interruptions in 1,000"
        ))?;
        let several = self.classes.len() > 1;
        let rows = self.classes.iter().map(|(name, count)| (name.as_str(), count)).filter(|_| several);
        for (name, count) in rows.chain([("all", &self.all)]) {
            let name = if name.is_empty() { "(no class)" } else { name };
            print::line(&format!(
                "{name:24} {:>28} {:>28} {:>12} {:>24}",
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
            print::line("\nverdict differs from the label:")?;
            for (outcome, rule, call) in &self.wrong {
                let name = outcome_name(*outcome);
                print::line(&format!("{:8} {rule}  {call}", print::color_by_outcome(name, name)))?;
            }
        }
        Ok(())
    }
}

/// Formats `98.3 % (95.8 to 99.3) of 240`, with the 95 % confidence interval.
fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let (low, high) = interval(part, whole);
    format!("{} % ({low:.1} to {high:.1}) of {whole}", tenths(part, whole, 100))
}

/// Returns Wilson's interval for a proportion, in percent, with 95 % confidence.
#[expect(clippy::cast_precision_loss, reason = "counts of calls are far below 2^53")]
fn interval(part: u64, whole: u64) -> (f64, f64) {
    // The quantile of the normal distribution that leaves 2.5 % on each side.
    const Z: f64 = 1.96;
    let (n, p) = (whole as f64, part as f64 / whole as f64);
    let scale = 100.0 / (1.0 + Z * Z / n);
    let middle = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((scale * (middle - half)).max(0.0), (scale * (middle + half)).min(100.0))
}

fn per_mille(part: u64, whole: u64) -> String {
    tenths(part, whole, 1000)
}

/// Formats `part` of `whole` in `unit`s, rounded to one decimal.
fn tenths(part: u64, whole: u64, unit: u64) -> String {
    let tenths = (u128::from(part) * u128::from(unit) * 10 + u128::from(whole) / 2) / u128::from(whole.max(1));
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_its_interval() {
        // Agresti and Coull, "Approximate is better than exact", give Wilson's interval of 0 of 20 as 0 to 16.1 %.
        assert_eq!(share(0, 20), "0.0 % (0.0 to 16.1) of 20");
        assert_eq!(share(20, 20), "100.0 % (83.9 to 100.0) of 20");
        assert_eq!(share(0, 0), "-");
    }
}
