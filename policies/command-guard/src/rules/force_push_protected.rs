//! `force-push-protected`: a forced push to a branch whose history belongs to everybody.
//!
//! ## Why
//! Commits that others have pulled vanish from the branch, and nobody is told.
//! ## Example
//! `git push --force origin main` · `git push origin +main` · `git push -f master`
//! ## Settings
//! `protected-branches`, `force-with-lease`

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

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
    let everything = ["all", "mirror"].iter().any(|tag| effect.tag(tag).is_some()) || effect.target.contains('*');
    // In `git push --force main` the branch stands where git expects the repository.
    let named =
        settings.protects(&effect.target) || effect.tag("positional").is_some_and(|word| settings.protects(word));
    (everything || named).then(|| {
        let why = "it rewrites a history that others share, and their commits vanish from it";
        Hit::new(
            outcome,
            effect,
            why,
            "take the commits back with `git revert`, or ask for a push to a branch of your own and open a pull request",
        )
    })
}
