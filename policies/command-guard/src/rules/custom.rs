//! `custom`: a command whose text a pattern of `deny-patterns` matches.
//!
//! ## Why
//! The user does not want it, for reasons of their own.
//! ## Example
//! `deny-patterns = ["rm -rf /"]` denies `rm -rf /tmp/test`
//! ## Settings
//! `deny-patterns`

use guard_sdk::syntax::Command;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "custom", summary: "a text that the settings forbid", default: Outcome::Deny, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Call(check);

fn check(view: &CallView<'_>) -> Option<Hit> {
    let patterns = &view.settings.deny_patterns;
    if patterns.is_empty() {
        return None;
    }
    // As it was written, with each run of white space as one space, and each command as it runs: another quoting is no
    // way around a pattern.
    let commands = view.analysis.commands.iter().map(Command::text);
    let texts = [view.raw_text().to_owned(), view.text().to_owned()].into_iter().chain(commands);
    let pattern = texts.flat_map(|text| patterns.iter().find(|pattern| pattern.matches(&text))).next()?;
    let why = format!("the settings forbid `{}`", pattern.text());
    let hit = Hit::of_command(RULE.default, 0, why, "do it in another way, or ask the user to change `deny-patterns`");
    Some(hit.tag("pattern", pattern.text()))
}
