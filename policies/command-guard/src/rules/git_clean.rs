//! `git-clean`: `git clean`, unless it is a dry run.
//!
//! ## Why
//! Untracked files aren't in any commit, so git can't restore them.
//!
//! ## Examples
//! - asked: `git clean -fd`
//! - asked: `git clean -ffdx`
//! - passes: `git clean -n`
//!
//! ## Instead
//! Preview the loss with `git clean -n`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::is_disposable;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "git-clean", summary: "deletion of untracked files", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Loss(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "git.clean" && !is_disposable(effect)).then(|| {
        Hit::new(
            RULE.default,
            effect,
            "deletes untracked files, which git can't restore",
            "see what would be deleted with `git clean -n`",
        )
    })
}
