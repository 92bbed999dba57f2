//! `rm-system`: deletion of a system directory such as `/usr` or `/usr/lib`, or of everything in it.
//!
//! ## Why
//! The machine doesn't run without it.
//!
//! ## Examples
//! - denied: `rm -rf /usr`
//! - denied: `rm -rf /etc/*`
//! - denied: `cd /usr && rm -rf *`
//! - denied: `rm -rf /usr/lib`
//! - passes: `ls /usr`
//! - asked by `rm-recursive-force`: `rm -rf /usr/local/lib/x`
//!
//! ## Instead
//! Check with `ls`, and name only the directory that you mean.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::{BlastRadius, blast_radius, deletes_whole};
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "rm-system",
    summary: "deletion of a system directory",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let hit = deletes_whole(effect) && blast_radius(effect, view) == BlastRadius::System;
    hit.then(|| {
        Hit::new(
            RULE.default,
            effect,
            "deletes files that the machine needs to run",
            "name the one directory you mean, and check it first with `ls`",
        )
    })
}
