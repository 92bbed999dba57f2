//! `publish-package`: a command that publishes a package to a registry.
//!
//! ## Why
//! A published version can't be replaced, and people may install it at once.
//!
//! ## Examples
//! - asked: `npm publish`
//! - asked: `twine upload dist/*`
//! - passes: `npm publish --dry-run`
//! - passes: `npm run publish-docs`
//!
//! ## Instead
//! Preview the package with `--dry-run`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView, alternative};

pub(crate) const RULE: Rule =
    Rule { id: "publish-package", summary: "publication of a package", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "package.publish" && effect.tag("dry-run").is_none()).then(|| {
        let why = match effect.tag("manager") {
            Some("docker") => "publishes an image to everyone who can pull it",
            _ => "publishes a version that can't be replaced and that others install at once",
        };
        Hit::new(RULE.default, effect, why, alternative(effect, "see what would be published with `--dry-run`"))
    })
}
