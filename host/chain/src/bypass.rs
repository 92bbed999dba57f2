//! The outcome of an ask in a mode that skips prompts.

use guard_contract::Outcome;
use guard_contract::verdict::{BypassAsk, Verdict};

/// Applies the setting for modes that skip prompts to a verdict. An ask because of a broken policy is never skipped.
pub fn bypass(mut verdict: Verdict, setting: BypassAsk) -> Verdict {
    if verdict.outcome != Outcome::Ask {
        return verdict;
    }
    let (outcome, spared) = match setting {
        BypassAsk::Ask => return verdict,
        BypassAsk::Deny => (Outcome::Deny, false),
        BypassAsk::Skip => {
            // There is nothing to confirm.
            verdict.closing.clear();
            (Outcome::Warn, true)
        }
    };
    let mut asks: Vec<_> = verdict.findings.iter_mut().filter(|found| found.finding.outcome == Outcome::Ask).collect();
    if !asks.iter().any(|ask| spared && ask.of_host) {
        verdict.outcome = outcome;
    }
    for ask in asks.iter_mut().filter(|ask| !(spared && ask.of_host)) {
        ask.finding.outcome = outcome;
        if outcome == Outcome::Deny {
            ask.finding.message = guard_harness::text::refusal_text(&ask.finding.message);
        }
    }
    verdict
}
