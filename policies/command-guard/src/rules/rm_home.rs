//! `rm-home`: deletion of a home directory, or of everything in it.
//!
//! ## Why
//! A person's documents, keys and settings are there, and in no repository.
//!
//! ## Examples
//! - denied: `rm -rf ~`
//! - denied: `rm -rf "$HOME"/`
//! - denied: `cd ~ && rm -rf .`
//! - passes: `ls ~`
//! - asked by `rm-recursive-force`: `rm -rf ~/Downloads/old-project`
//!
//! ## Instead
//! Name the one directory that you mean, after a look at it with `ls`.

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
            "deletes a person's files, keys and settings",
            "name the one directory you mean, and check it first with `ls`",
        )
    })
}
