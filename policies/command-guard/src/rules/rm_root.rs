//! `rm-root`: deletion of the root of the file system.
//!
//! ## Why
//! Nothing of it can be recovered, and no build and no test needs it.
//! ## Example
//! `rm -rf /` · `sudo rm -r --no-preserve-root //` · `cd / && rm -rf .` · `rm -rf /*`
//! ## Settings
//! none

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::{BlastRadius, blast_radius, takes_whole};
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "rm-root",
    summary: "deletion of the root of the file system",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let hit = takes_whole(effect) && blast_radius(effect, view) == BlastRadius::Root;
    hit.then(|| {
        Hit::new(
            RULE.default,
            effect,
            "everything on the machine is lost, and nothing of it can be recovered",
            "name the one directory you mean, after a look at it with `ls`",
        )
    })
}
