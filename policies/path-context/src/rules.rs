//! The rules.
//!
//! Their names are those of the guard's messages and logs, which were there first; hence the underscores.

pub(crate) mod custom;
pub(crate) mod files;
pub(crate) mod starters;

use guard_sdk::Rule;

use starters::STARTERS;

/// Every rule.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which would refuse it")]
pub(crate) const RULES: &[Rule] = &{
    let mut rules = [custom::RULE; STARTERS.len() + 5];
    let mut at = 0;
    while at < STARTERS.len() {
        rules[at] = STARTERS[at].rule;
        at += 1;
    }
    rules[at] = files::BLOCKED;
    rules[at + 1] = files::WRITE;
    rules[at + 2] = files::EDIT;
    rules[at + 3] = files::REMOVAL;
    rules
};
