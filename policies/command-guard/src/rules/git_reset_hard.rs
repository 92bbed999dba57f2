//! `git-reset-hard`: `git reset --hard` to a local commit or branch, and `git reset --merge`.
//!
//! ## Why
//! Uncommitted work is lost, and git keeps no copy of it. Commits after the target leave the branch.
//!
//! ## Examples
//! - asked: `git reset --hard`
//! - asked: `git reset --hard HEAD~1`
//! - passes: `git reset --soft HEAD~1`
//! - passes: `git reset HEAD a.txt`
//!
//! ## Instead
//! Save the work with `git stash`, or move only the branch with `git reset --soft`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule =
    Rule { id: "git-reset-hard", summary: "a hard reset", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Loss(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    let resets = matches!(effect.operation.as_str(), "git.reset.hard" | "git.reset.merge");
    (resets && !super::git_reset_hard_remote::is_remote(&effect.target)).then(|| {
        // The revision may be an earlier commit. Without one, the branch doesn't move.
        if matches!(effect.target.as_str(), "" | "HEAD" | "@") {
            let why = "discards uncommitted work, and git keeps no copy";
            return Hit::new(RULE.default, effect, why, "keep the work with `git stash`");
        }
        Hit::new(
            RULE.default,
            effect,
            "moves the branch to ",
            "keep the work with `git stash` and the commits with `git branch backup`, or move the branch only with `git reset --soft`",
        )
        .naming(
            format!("`{}`", shorten(&effect.target)),
            ", drops the commits since then, and discards uncommitted work",
        )
    })
}
