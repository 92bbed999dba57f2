//! `rm-recursive`: `rm` with `-r` and without `-f`.
//!
//! ## Why
//! Everything below the directory is deleted, and no bin keeps it.
//!
//! ## Examples
//! - asked: `rm -r dir`
//! - asked: `rm --recursive dir`
//! - passes: `rm file.txt`
//! - passes: `rmdir dir`
//!
//! ## Instead
//! Look at the directory first with `ls`, or move it aside with `mv`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::{BlastRadius, blast_radius};
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "rm-recursive", summary: "deletion of a directory", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let plain = effect.operation == "fs.delete.recursive" && effect.tag("force").is_none();
    (plain && blast_radius(effect, view) <= BlastRadius::WorkingDirectory).then(|| {
        let name = super::rm_recursive_force::name_of(effect);
        if effect.tag("by") == Some("rsync") {
            let why = format!("what lies below {name} and not in the source is deleted");
            return Hit::new(RULE.default, effect, why, "see what it would be by adding `--dry-run`");
        }
        let why = format!("everything below {name} is deleted for good");
        Hit::new(RULE.default, effect, why, "look at it first with `ls`, or move it aside with `mv`")
    })
}
