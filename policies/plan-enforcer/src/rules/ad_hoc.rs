//! `ad-hoc`: a command that is marked as not planned.
//!
//! ## Why
//! The mark lets one command through, and whoever reviews the experiment sees how often it was used. It lifts nothing
//! that another policy says.
//! ## Example
//! `nvidia-smi # nous: ad-hoc`
//! ## Settings
//! none

use guard_sdk::{Finding, Outcome, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "ad-hoc",
    summary: "a command that is marked as not planned",
    default: Outcome::Abstain,
    ceiling: Outcome::Abstain,
};

pub(crate) fn finding() -> Finding {
    Finding::new(&RULE, "")
}
