//! The outcome of an ask in a mode that skips prompts.

use guard_contract::Outcome;
use guard_contract::verdict::{BypassAsk, Verdict};

/// Returns the verdict after an ask in a mode that skips prompts. Skipping means that a policy's question may go
/// unanswered. A broken policy isn't such a question.
pub fn bypass(mut verdict: Verdict, setting: BypassAsk) -> Verdict {
    if verdict.outcome != Outcome::Ask {
        return verdict;
    }
    let (outcome, spared) = match setting {
        BypassAsk::Ask => return verdict,
        BypassAsk::Deny => (Outcome::Deny, false),
        BypassAsk::Skip => {
            // Nothing waits for a confirmation.
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
            ask.finding.message = guard_harness::text::refused(&ask.finding.message);
        }
    }
    verdict
}
