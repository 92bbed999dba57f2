//! `custom`: a command that holds a text of `deny-patterns`.
//!
//! ## Why
//! The user does not want it, for reasons of their own.
//! ## Example
//! `deny-patterns = ["rm -rf /"]` denies `rm -rf /tmp/test`
//! ## Settings
//! `deny-patterns`

use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::scene::{Hit, Scene};

pub(crate) const RULE: Rule =
    Rule { id: "custom", summary: "a text that the settings forbid", default: Outcome::Deny, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Call(check);

fn check(scene: &Scene<'_>) -> Option<Hit> {
    let patterns = &scene.settings.deny_patterns;
    if patterns.is_empty() {
        return None;
    }
    let text = scene.text().to_lowercase();
    let folded = |pattern: &String| pattern.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let pattern = patterns.iter().find(|pattern| {
        let folded = folded(pattern);
        !folded.is_empty() && text.contains(&folded)
    })?;
    let why = format!("the settings forbid `{pattern}`");
    let hit = Hit::of_command(RULE.default, 0, why, "do it in another way, or ask the user to change `deny-patterns`");
    Some(hit.tag("pattern", pattern.as_str()))
}
