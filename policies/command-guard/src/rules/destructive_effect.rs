//! `destructive-effect`: an effect that the analyzer calls destructive and that no other rule names.
//!
//! ## Why
//! Work or data is lost that cannot be had back without effort.
//! ## Example
//! `git checkout -- src` · `git branch -D topic` · `shred key`
//! ## Settings
//! none

use guard_sdk::syntax::{Effect, Severity};
use guard_sdk::{Outcome, Rule};

use super::Check;
use super::catastrophic_effect::is_named;
use crate::scene::{Hit, Scene, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "destructive-effect",
    summary: "a loss that takes effort to make good",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    if effect.severity != Severity::Destructive || is_named(effect) {
        return None;
    }
    let why = if effect.target.is_empty() {
        format!("`{}` loses what cannot be had back without effort", effect.operation)
    } else {
        format!("`{}` of `{}` loses what cannot be had back without effort", effect.operation, shorten(&effect.target))
    };
    let hit = Hit::new(RULE.default, effect, why, "look first at what would be lost, and say why it may go");
    Some(hit.tag("operation", effect.operation.as_str()))
}
