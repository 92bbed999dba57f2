//! Runs a case several times, and checks that its verdict stays the same.

use std::num::NonZeroU32;

use super::{Difference, Report};
use guard_contract::outcome_name;
use guard_contract::verdict::Verdict;

/// Runs a case `times` times. Returns the report of the first failing run, or of the first run if none fails. Its time
/// is that of the slowest run. Different verdicts are a failure.
pub(super) fn run_repeatedly(times: NonZeroU32, run: impl Fn() -> Report) -> Report {
    let mut kept = run();
    let first = verdict_text(&kept.verdict);
    let (mut failed, mut other) = (u32::from(!kept.passes()), None);
    for number in 2..=times.get() {
        let mut again = run();
        failed += u32::from(!again.passes());
        let verdict = verdict_text(&again.verdict);
        if other.is_none() && verdict != first {
            other = Some((number, verdict));
        }
        let is_first_failure = failed == 1 && !again.passes();
        if is_first_failure {
            std::mem::swap(&mut kept, &mut again);
        }
        if again.time > kept.time {
            (kept.time, kept.spent) = (again.time, again.spent);
        }
    }
    if failed > 0 && failed < times.get() {
        let (expected, got) = (format!("all {times} to pass"), format!("{failed} failed"));
        kept.differences.insert(0, Difference { what: "runs", expected, got });
    }
    if let Some((number, verdict)) = other {
        let (expected, got) = (format!("{first}, as in run 1"), format!("{verdict}, in run {number}"));
        kept.differences.insert(0, Difference { what: "verdict differs between runs", expected, got });
    }
    kept
}

/// Returns everything in a verdict that is shown to a person.
fn verdict_text(verdict: &Verdict) -> String {
    let mut text = outcome_name(verdict.outcome).to_owned();
    for found in &verdict.findings {
        let (rule, finding) = (found.rule(), &found.finding);
        text += &format!("; {} by `{rule}`: {} {}", outcome_name(finding.outcome), finding.message, finding.remedy);
        text.truncate(text.trim_end().len());
    }
    text
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;
    use guard_contract::Outcome;
    use guard_contract::verdict::{Opinion, merge};

    /// Returns the report of runs that each take a millisecond longer. The runs in `otherwise` have another message,
    /// and those in `failing` fail.
    fn repeated(times: u32, otherwise: &[u32], failing: &[u32]) -> Report {
        let number = Cell::new(0);
        run_repeatedly(NonZeroU32::new(times).unwrap(), || {
            number.set(number.get() + 1);
            let message = if otherwise.contains(&number.get()) { "other" } else { "usual" };
            let opinion = Opinion::from_host("p", "r", Outcome::Ask, message.to_owned(), String::new());
            let wrong = Difference { what: "outcome", expected: "deny".to_owned(), got: format!("{number:?}") };
            Report {
                differences: failing.contains(&number.get()).then_some(wrong).into_iter().collect(),
                verdict: merge([opinion]),
                analyses: Vec::new(),
                time: Duration::from_millis(number.get().into()),
                spent: None,
                is_skipped: false,
                log: Vec::new(),
                lines: Vec::new(),
                rules: Vec::new(),
            }
        })
    }

    fn lines(report: &Report) -> Vec<String> {
        report.differences.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn runs_that_are_alike_are_one() {
        assert!(repeated(1, &[], &[]).passes());
        let report = repeated(5, &[], &[]);
        assert!(report.passes() && report.time == Duration::from_millis(5));
        assert_eq!(lines(&repeated(2, &[], &[1, 2])), ["outcome: expected deny, got Cell { value: 1 }"]);
    }

    #[test]
    fn verdicts_that_differ_fail() {
        let text = "verdict differs between runs: expected ask; ask by `p:r`: usual, as in run 1, got ask; ask by `p:r`: \
                    other, in run 3";
        assert_eq!(lines(&repeated(5, &[3, 4], &[])), [text]);
    }

    #[test]
    fn one_run_that_fails_is_enough() {
        let report = repeated(4, &[], &[2, 3]);
        let expected = ["runs: expected all 4 to pass, got 2 failed", "outcome: expected deny, got Cell { value: 2 }"];
        assert_eq!(lines(&report), expected);
        assert_eq!(report.time, Duration::from_millis(4));
    }
}
