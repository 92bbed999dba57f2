//! `secret-file`: a change to a file with secrets, or to a file that controls who may connect.
//!
//! ## Why
//! Secrets aren't in a repository, so an overwritten key can't be restored. A line in `.ssh/authorized_keys` or
//! `.git/config` can open the machine to others.
//!
//! ## Examples
//! - denied: `Edit .env`
//! - denied: `Write server.key`
//! - denied: `Write .git/config`
//! - denied: `mv db old`, with `blocked = ["db/migrations"]`
//! - passes: `Write .env.example`
//! - passes: `Write keyboard.ts`
//! - passes: `mv src old`, with `blocked = ["db/migrations"]`
//!
//! ## Instead
//! Write the variable's name with a placeholder to `.env.example`, and ask the user for the value.
//!
//! ## Settings
//! - `blocked`: the names of such files.
//! - `exempt`: names that are never such files, such as templates.

use guard_sdk::syntax::Effect;
use guard_sdk::{Call, NameList, Outcome, Rule};
use guard_sensitive_paths::{Taken, own_secret, secret_reason};
use policy_blast_radius::deletes_whole;

use super::{Hit, is_change};
use crate::Settings;

pub(crate) const RULE: Rule = Rule {
    id: "secret-file",
    summary: "a change to a file with secrets",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(effect: &Effect, call: &Call<'_>, settings: &Settings) -> Option<Hit> {
    let lists = Some(&settings.lists).filter(|_| is_change(effect))?;
    if let Some(entry) = lists.find_secret(effect) {
        let is_listed = lists.secret(&effect.target) == Some(entry);
        let hit = Hit::new(&RULE, effect, '\'', entry, is_listed, remedy(entry));
        return Some(hit.listed(own_secret(effect, entry).or(Some(secret_reason(entry)))));
    }
    let within = || lists.secret_within(effect, &|path| call.resolve(path));
    let Taken { entry, is_certain } = deletes_whole(effect).then(within).flatten()?;
    let outcome = if is_certain { RULE.default } else { Outcome::Ask };
    let reason = own_secret(effect, entry).or(Some(secret_reason(entry)));
    Some(Hit::new(&RULE, effect, '\'', entry, false, remedy(entry)).at(outcome).listed(reason))
}

/// Formats the message for the files.
pub(crate) fn message(names: &NameList, through: &str, listing: Option<&str>) -> String {
    format!("Modifications to {names} never allowed: {}{through}", listing.unwrap_or_default())
}

/// Returns the remedy. This rule must not deny any alternative that is offered here.
fn remedy(entry: &str) -> &'static str {
    if entry.starts_with(".env") {
        "write the variable's name with a placeholder to `.env.example` and ask the user to put the value into `.env`"
    } else {
        "tell the user which change is needed, so that they can make it"
    }
}
