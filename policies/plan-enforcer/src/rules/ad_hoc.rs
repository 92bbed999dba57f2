//! `ad-hoc`: a command with the mark `# nous: ad-hoc`.
//! The command runs, and the journal records it.
//!
//! ## Why
//! Reviewers of the experiment can see how often the mark was used. The mark doesn't change the answer of another
//! policy.
//!
//! ## Examples
//! - noted: `nvidia-smi > baseline.log # nous: ad-hoc`, with a plan
//! - denied by `unplanned-command`: `nvidia-smi # NOUS: AD-HOC`, with `strict`: the mark counts in this spelling alone
//! - passes: `./blis run --size 128`, with a plan that has the command

use guard_sdk::{Finding, Outcome, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "ad-hoc",
    summary: "a command that is marked as unplanned",
    default: Outcome::Abstain,
    ceiling: Outcome::Abstain,
};

pub(crate) fn finding() -> Finding {
    Finding::new(&RULE, "")
}
