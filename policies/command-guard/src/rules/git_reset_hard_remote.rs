//! `git-reset-hard-remote`: `git reset --hard` to a remote-tracking branch.
//!
//! ## Why
//! Local commits and uncommitted work are lost together.
//!
//! ## Examples
//! - denied: `git reset --hard origin/main`
//! - denied: `git reset --hard @{u}`
//! - passes: `git reset --soft origin/main`
//! - asked by `git-reset-hard`: `git reset --hard HEAD~1`
//!
//! ## Instead
//! Save the work first with `git stash` or `git branch backup`, then run `git merge --ff-only`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "git-reset-hard-remote",
    summary: "a hard reset to a remote branch",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "git.reset.hard" && is_remote(&effect.target)).then(|| {
        let why = "discards local commits and uncommitted work";
        Hit::new(
            RULE.default,
            effect,
            why,
            "keep the work first with `git stash` or `git branch backup`, then `git merge --ff-only`",
        )
    })
}

/// Returns whether a revision names a remote-tracking branch.
pub(super) fn is_remote(revision: &str) -> bool {
    let lower = revision.to_ascii_lowercase();
    let name = lower.trim_start_matches("refs/").trim_start_matches("remotes/");
    let origin =
        name.strip_prefix("origin").is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '~', '^', '@', ':']));
    origin
        || name.len() < lower.trim_start_matches("refs/").len()
        || lower.contains("@{u}")
        || lower.contains("@{upstream}")
}
