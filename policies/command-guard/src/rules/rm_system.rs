//! `rm-system`: deletion of a directory of the system at the top level.
//!
//! ## Why
//! The machine does not run without it, or is no longer the one it was.
//! ## Example
//! `rm -rf /usr` · `rm -rf /etc/*` · `mv /var /tmp`
//! ## Settings
//! none

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::{BlastRadius, blast_radius, takes_whole};
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "rm-system",
    summary: "deletion of a directory of the system",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let hit = takes_whole(effect) && blast_radius(effect, view) == BlastRadius::System;
    hit.then(|| {
        Hit::new(
            RULE.default,
            effect,
            "the machine does not run without what is in there",
            "name the one directory you mean, after a look at it with `ls`",
        )
    })
}
