//! `rm-root`: deletion of the root of the file system, or of everything in it.
//!
//! ## Why
//! Everything on the machine is lost. No build or test needs this.
//!
//! ## Examples
//! - denied: `rm -rf /`
//! - denied: `cd / && rm -rf .`
//! - denied: `find / -delete`
//! - passes: `ls /`
//! - passes: `echo 'rm -rf /'`
//! - asked by `rm-recursive-force`: `rm -rf ./build`
//!
//! ## Instead
//! Check with `ls`, and name only the directory that you mean.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::{BlastRadius, blast_radius, refuses_folders, deletes_whole};
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "rm-root",
    summary: "deletion of the root of the file system",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    if effect.tag("glob").is_none() && refuses_folders(effect) && blast_radius(effect, view) == BlastRadius::Root {
        return Some(super::rm_home::failing_deletion_hit(effect));
    }
    let hit = deletes_whole(effect) && blast_radius(effect, view) == BlastRadius::Root;
    hit.then(|| {
        Hit::new(
            RULE.default,
            effect,
            "deletes everything on the machine",
            "name the one directory you mean, and check it first with `ls`",
        )
    })
}
