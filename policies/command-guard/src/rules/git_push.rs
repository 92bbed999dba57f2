//! `git-push`: `git push` in every form that no stricter rule denies, and the publishing commands of other version
//! control systems.
//!
//! ## Why
//! Everybody who can read the remote sees what is pushed.
//!
//! ## Examples
//! - asked: `git push origin main`
//! - asked: `git push --force origin topic`
//! - asked: `hg push`
//! - passes: `git stash push`
//! - passes: `git config push.default simple`
//!
//! ## Instead
//! Look at what would be pushed with `git log @{push}..`, then ask for the push.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "git-push", summary: "a push to a remote", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let why = match effect.operation.as_str() {
        "git.push" => "`git push` publishes commits to all who can read the remote",
        "git.push.force" => "`git push` with force replaces the history of the remote branch",
        "git.push.force-with-lease" => "`git push` with a lease replaces the history of the remote branch",
        "git.push.delete" if !view.settings.protects(&effect.target) => "`git push` deletes the branch on the remote",
        "vcs.push" => "it publishes changes to all who work with the server",
        _ => return None,
    };
    Some(Hit::new(RULE.default, effect, why, "see what would be pushed with `git log @{push}..` before you ask for it"))
}
