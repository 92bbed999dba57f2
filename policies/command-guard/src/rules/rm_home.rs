//! `rm-home`: deletion of a home directory, or of everything in it.
//!
//! ## Why
//! It contains a person's documents, keys and settings, which are in no repository.
//!
//! ## Examples
//! - denied: `rm -rf ~`
//! - denied: `rm -rf "$HOME"/`
//! - denied: `cd ~ && rm -rf .`
//! - asked: `rm ~`
//! - passes: `ls ~`
//! - passes: `rm -f ~/`
//! - asked by `rm-recursive-force`: `rm -rf ~/Downloads/old-project`
//!
//! ## Instead
//! Check with `ls`, and name only the directory that you mean.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::{BlastRadius, blast_radius, refuses_folders, deletes_whole};
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule =
    Rule { id: "rm-home", summary: "deletion of a home directory", default: Outcome::Deny, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    // `-f` is also used where nothing is expected to exist. Searched files are named by their search.
    let is_named = effect.tag("glob").is_none() && effect.tag("force").is_none();
    if is_named && refuses_folders(effect) && blast_radius(effect, view) == BlastRadius::Home {
        return Some(failing_deletion_hit(effect));
    }
    let hit = deletes_whole(effect) && blast_radius(effect, view) == BlastRadius::Home;
    hit.then(|| {
        Hit::new(
            RULE.default,
            effect,
            "deletes a person's files, keys and settings",
            "name the one directory you mean, and check it first with `ls`",
        )
    })
}

/// Returns a hit for a deletion that fails because its target is a directory, which suggests that another target was
/// meant.
pub(super) fn failing_deletion_hit(effect: &Effect) -> Hit {
    let remedy = "name the one file or directory you mean, and check it first with `ls`";
    Hit::new(Outcome::Ask, effect, "names a directory that the command can't delete: ", remedy)
        .naming(format!("`{}`", shorten(&effect.target)), "")
}
