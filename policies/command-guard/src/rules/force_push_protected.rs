//! `force-push-protected`: a forced push to a protected branch, or to all branches.
//! A push with a lease needs confirmation instead, unless a setting changes that.
//!
//! ## Why
//! Commits that other people have pulled disappear from the branch without notice.
//!
//! ## Examples
//! - denied: `git push --force origin main`
//! - denied: `git push origin +main`
//! - denied: `git push --mirror origin`
//! - asked: `git push --force-with-lease origin main`
//! - passes: `git log --grep='push --force main'`
//! - asked by `git-push`: `git push --force origin topic`
//!
//! ## Instead
//! Undo commits with `git revert`, or push to your own branch and open a pull request.
//!
//! ## Settings
//! - `protected-branches`: the protected branches. `*` matches any text.
//! - `force-with-lease`: the outcome of a push with a lease: `deny`, `ask` or `allow`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit};

pub(crate) const RULE: Rule = Rule {
    id: "force-push-protected",
    summary: "a forced push to a protected branch",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let settings = view.settings;
    let outcome = match effect.operation.as_str() {
        "git.push.force" => RULE.default,
        "git.push.force-with-lease" => settings.force_with_lease.outcome()?,
        _ => return None,
    };
    if effect.tag("dry-run").is_some() {
        return None;
    }
    let everything = ["all", "mirror"].iter().any(|tag| effect.tag(tag).is_some()) || effect.target.contains('*');
    // In `git push --force main`, the branch is in the position of the repository.
    let named =
        settings.protects(&effect.target) || effect.tag("positional").is_some_and(|word| settings.protects(word));
    (everything || named).then(|| {
        if effect.tag("mirror").is_some() {
            let why = "replaces everything on the remote, and deletes branches and tags that this repository doesn't have";
            let remedy = "see what the remote has with `git ls-remote`, and push only the branches you mean";
            return Hit::new(outcome, effect, why, remedy);
        }
        let why = "rewrites shared history and can discard other people's commits";
        Hit::new(
            outcome,
            effect,
            why,
            "undo the commits with `git revert`, or push to a branch of your own and open a pull request",
        )
    })
}
