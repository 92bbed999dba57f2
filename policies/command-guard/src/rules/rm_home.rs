//! `rm-home`: deletion of a home directory, or of all that is in it.
//!
//! ## Why
//! Documents, keys and settings of a person lie there, in no repository.
//! ## Example
//! `rm -rf ~` · `rm -rf "$HOME"/` · `rm -rf /home/u/*`
//! ## Settings
//! none

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::{BlastRadius, blast_radius, takes_whole};
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "rm-home", summary: "deletion of a home directory", default: Outcome::Deny, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let hit = takes_whole(effect) && blast_radius(effect, view) == BlastRadius::Home;
    hit.then(|| {
        Hit::new(
            RULE.default,
            effect,
            "the files, keys and settings of a person lie there, in no repository",
            "name the one directory you mean, after a look at it with `ls`",
        )
    })
}
