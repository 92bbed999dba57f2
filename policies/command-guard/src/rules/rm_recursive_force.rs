//! `rm-recursive-force`: `rm` with both `-r` and `-f`, and other deletions of directories that ask for no confirmation.
//!
//! ## Why
//! Everything below the directory is deleted, and no bin keeps it.
//!
//! ## Examples
//! - asked: `rm -rf ./build`
//! - asked: `rm -rf "$DIR"`
//! - asked: `find . -name x -exec rm -rf {} +`
//! - passes: `rm -f file.txt`
//! - passes: `rmdir empty`
//!
//! ## Instead
//! Look at the directory first with `ls`, or move it aside with `mv`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::{BlastRadius, blast_radius, takes_whole};
use crate::call_view::{Hit, CallView, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "rm-recursive-force",
    summary: "forced deletion of a directory",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let forced = effect.operation == "fs.delete.recursive" && effect.tag("force").is_some();
    (forced && !is_denied(effect, view)).then(|| {
        let why = format!("everything below {} is deleted for good", name_of(effect));
        Hit::new(RULE.default, effect, why, "look at it first with `ls`, or move it aside with `mv`")
    })
}

/// Whether a rule denies the deletion already, so that asking about it would only repeat it.
fn is_denied(effect: &Effect, view: &CallView<'_>) -> bool {
    match blast_radius(effect, view) {
        BlastRadius::Part => false,
        BlastRadius::WorkingDirectory => super::rm_wildcard::is_rm(effect),
        BlastRadius::Home | BlastRadius::System | BlastRadius::Root => takes_whole(effect),
    }
}

/// What is deleted, for a message.
pub(super) fn name_of(effect: &Effect) -> String {
    if effect.certain {
        format!("`{}`", shorten(&effect.target))
    } else {
        format!("`{}`, which is known only at run time,", shorten(&effect.target))
    }
}
