//! `shell-write-secret`: a shell command that changes or removes a file that holds secrets. The rule passes a key that
//! is made in a folder for temporary files.
//!
//! ## Why
//! Such a command goes around the rules of the file tools, and nothing brings an overwritten key back.
//!
//! ## Examples
//! - denied: `echo x > .env`
//! - denied: `sed -i s/a/b/ .env.local`
//! - denied: `echo x >> ~/.ssh/authorized_keys`
//! - passes: `echo x > .env.example`
//! - passes: `git status .env`
//!
//! ## Instead
//! Write a placeholder to `.env.example` and ask the user for the change.
//!
//! ## Settings
//! - `files.blocked`: the names of files that hold secrets.
//! - `files.exempt`: the names that are never such files, such as templates.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::is_temporary;
use crate::call_view::{CallView, Hit, shorten};

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
    let target = shorten(&effect.target);
    // A name that a link has says nothing of the file.
    let by_itself = view.settings.files.secret(&effect.target) == Some(entry);
    let through = if by_itself { String::new() } else { format!(" (`{entry}`)") };
    let hit = Hit::new(RULE.default, effect, "modifications to ", remedy(entry));
    let behind = format!(" never allowed, because secrets lie there{through}");
    Some(hit.naming(format!("'{target}'"), behind).subject(&effect.target))
}

fn remedy(entry: &str) -> &'static str {
    if entry.starts_with(".env") {
        "write a placeholder to `.env.example` and ask the user to put the value into `.env`"
    } else {
        "tell the user which change is needed and let them make it"
    }
}
