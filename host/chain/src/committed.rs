//! What weighs less because a file does it that is as it was committed: somebody has read it, and the agent did not write
//! it.

use guard_contract::verdict::Opinion;
use guard_contract::{Finding, Outcome, rank, worse};

/// The tag of a finding that would be more severe if its file were not as it was committed.
const COMMITTED: &str = "committed";

/// Makes the findings of an opinion milder that are not among those `without` the committed files: a deny asks, and an ask
/// passes.
pub(crate) fn soften(opinion: &mut Opinion, without: &[Opinion]) {
    let rest = without.iter().filter(|other| other.policy == opinion.policy).map(|other| &other.decision);
    let rest: Vec<_> = rest.collect();
    let left = |finding: &Finding| {
        let same = rest.iter().flat_map(|decision| &decision.findings).filter(|other| other.rule == finding.rule);
        same.map(|other| other.outcome).fold(Outcome::Abstain, worse)
    };
    for finding in &mut opinion.decision.findings {
        let outcome = worse(milder(finding.outcome), left(finding));
        if rank(outcome) < rank(finding.outcome) {
            finding.tags.push((COMMITTED.to_owned(), "yes".to_owned()));
            finding.message.push_str(". The file is as it was committed, so a person may decide");
            finding.outcome = outcome;
        }
    }
    // What passes needs no word.
    opinion.decision.findings.retain(|finding| {
        finding.outcome != Outcome::Abstain || finding.tags.iter().all(|(name, _)| name != COMMITTED)
    });
    let said = opinion.decision.findings.iter().map(|finding| finding.outcome).fold(Outcome::Abstain, worse);
    opinion.decision.outcome = rest.iter().map(|decision| decision.outcome).fold(said, worse);
}

fn milder(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Deny => Outcome::Ask,
        Outcome::Ask => Outcome::Abstain,
        other => other,
    }
}
