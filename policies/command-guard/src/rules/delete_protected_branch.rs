//! `delete-protected-branch`: deletion of a protected branch on a remote.
//!
//! ## Why
//! Everyone who works on the branch loses it.
//!
//! ## Examples
//! - denied: `git push origin --delete main`
//! - denied: `git push origin :main`
//! - passes: `git branch --list main`
//! - asked by `git-push`: `git push origin :topic`
//!
//! ## Instead
//! Ask the user to delete the branch on the server.
//!
//! ## Settings
//! - `protected-branches`: the protected branches. `*` matches any text.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "delete-protected-branch",
    summary: "deletion of a protected branch on a remote",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let is_real = effect.operation == "git.push.delete" && effect.tag("dry-run").is_none();
    (is_real && view.settings.protects(&effect.target)).then(|| {
        let why = "deletes a branch that everyone builds on";
        Hit::new(RULE.default, effect, why, "ask the user to delete the branch on the server")
    })
}
