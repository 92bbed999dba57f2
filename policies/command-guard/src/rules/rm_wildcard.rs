//! `rm-wildcard`: `rm -rf` of the working directory, of everything in it, or of a directory above it.
//!
//! ## Why
//! The loss depends on the shell's current directory, and includes uncommitted work.
//!
//! ## Examples
//! - denied: `rm -rf *`
//! - denied: `rm -rf .`
//! - denied: `rm -rf "$(pwd)"`
//! - passes: `ls *`
//! - asked by `rm-recursive-force`: `rm -rf build/*`
//!
//! ## Instead
//! Check with `ls`, and name only the directory that you mean.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::{BlastRadius, blast_radius, is_disposable};
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "rm-wildcard",
    summary: "deletion of the whole working directory",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let forced =
        effect.operation == "fs.delete.recursive" && effect.tag("force").is_some() && !is_disposable(effect);
    (forced && is_rm(effect) && blast_radius(effect, view) == BlastRadius::WorkingDirectory).then(|| {
        let why = "deletes everything in the directory, including uncommitted work";
        Hit::new(RULE.default, effect, why, "name the one directory you mean, and check it first with `ls`")
    })
}

/// Returns whether `rm` deletes. `find . -delete` and similar commands select what they delete.
pub(super) fn is_rm(effect: &Effect) -> bool {
    effect.tag("by").is_none_or(|program| program.eq_ignore_ascii_case("rm"))
}
