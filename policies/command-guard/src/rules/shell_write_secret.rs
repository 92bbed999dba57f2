//! `shell-write-secret`: a shell command that changes or removes a file that holds secrets.
//!
//! ## Why
//! It goes around the guard of the file tools, and nothing brings an overwritten key back.
//! ## Example
//! `echo x > .env` · `tee -a .env` · `mv a ~/.ssh/config` · `sed -i s/a/b/ server.key`
//! ## Settings
//! `files.blocked`, `files.exempt`

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::is_temporary;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "shell-write-secret",
    summary: "a change to a file that holds secrets",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    if !matches!(effect.kind.as_str(), "write" | "delete") {
        return None;
    }
    let entry = view.settings.files.secret_of(effect)?;
    // A key that is made for a test, where nothing is kept.
    if effect.kind == "write" && entry.starts_with("*.") && is_temporary(effect, view) {
        return None;
    }
    let why = format!("modifications to '{}' never allowed, because `{entry}` holds secrets", effect.target);
    let hit = Hit::new(RULE.default, effect, why, remedy(entry));
    Some(hit.tag("path", effect.target.as_str()).tag("subject", effect.target.as_str()))
}

fn remedy(entry: &str) -> &'static str {
    if entry.starts_with(".env") {
        "write a placeholder to `.env.example` and ask the user to put the value into `.env`"
    } else {
        "tell the user which change is needed and let them make it"
    }
}
