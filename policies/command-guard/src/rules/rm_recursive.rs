//! `rm-recursive`: `rm` with `-r` but without `-f`.
//!
//! ## Why
//! Everything in the directory is deleted without going to the trash.
//!
//! ## Examples
//! - asked: `rm -r dir`
//! - asked: `rm --recursive dir`
//! - passes: `rm file.txt`
//! - passes: `rmdir dir`
//!
//! ## Instead
//! Check the directory first with `ls`, or move it aside with `mv`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use super::rm_recursive_force::{asks_first, is_one_file};
use crate::blast_radius::{BlastRadius, blast_radius, is_disposable};
use crate::by_products::is_by_product;
use crate::own_folders::is_own_folder;
use crate::call_view::{CallView, Hit};

pub(crate) const RULE: Rule =
    Rule { id: "rm-recursive", summary: "deletion of a directory", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Loss(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let plain =
        effect.operation == "fs.delete.recursive" && effect.tag("force").is_none() && !is_disposable(effect);
    let is_kept = || {
        !is_by_product(effect, view) && !is_own_folder(effect, view) && !is_one_file(effect) && !asks_first(effect, view)
    };
    (plain && is_kept() && blast_radius(effect, view) <= BlastRadius::WorkingDirectory).then(|| {
        let name = super::rm_recursive_force::deleted_path(effect, view);
        if effect.tag("by") == Some("rsync") {
            return Hit::new(RULE.default, effect, "deletes files that aren't in the source from ", "see what would be deleted by adding `--dry-run`")
                .naming(name, "");
        }
        Hit::new(RULE.default, effect, "deletes ", "check it first with `ls`, or move it aside with `mv`")
            .naming(name, " and everything in it")
    })
}
