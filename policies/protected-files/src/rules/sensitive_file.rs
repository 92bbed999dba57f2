//! `sensitive-file`: a change to a file that controls a build, a tool, or the machine.
//! If the file also contains secrets, `secret-file` applies.
//!
//! ## Why
//! Lockfiles, build files and pipelines run code on other machines, and agent settings decide what the agent may do.
//!
//! ## Examples
//! - asked: `Edit Dockerfile`
//! - asked: `Edit .github/workflows/ci.yml`
//! - asked: `Edit Cargo.toml`
//! - passes: `Edit package.json`
//! - passes: `Edit .gitignore`
//!
//! ## Instead
//! Explain the change, so that the user can confirm it.
//!
//! ## Settings
//! - `confirm`: the names of such files.
//! - `exempt`: names that are never such files, such as templates.

use guard_sdk::syntax::Effect;
use guard_sdk::{Call, NameList, Outcome, Rule};
use guard_sensitive_paths::own_sensitive;
use policy_blast_radius::deletes_whole;

use super::{Hit, is_change};
use crate::Settings;

pub(crate) const RULE: Rule = Rule {
    id: "sensitive-file",
    summary: "a change to a file that controls a build, a tool, or the machine",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(effect: &Effect, call: &Call<'_>, settings: &Settings) -> Option<Hit> {
    let lists = Some(&settings.lists).filter(|_| is_change(effect))?;
    let within = || lists.sensitive_within(effect, &|path| call.resolve(path)).map(|taken| taken.entry);
    // Few files are on either list, and with this order most need one lookup.
    let entry = lists.find_sensitive(effect).or_else(|| deletes_whole(effect).then(within).flatten())?;
    if lists.find_secret(effect).is_some() {
        return None;
    }
    let is_listed = lists.sensitive(&effect.target) == Some(entry);
    let remedy = "say what the change does, so that the user can approve it";
    Some(Hit::new(&RULE, effect, '`', entry, is_listed, remedy).listed(own_sensitive(effect, entry)))
}

/// Formats the message for the files.
pub(crate) fn message(names: &NameList, through: &str, listing: Option<&str>) -> String {
    if let Some(listing) = listing {
        let need = if names.is_several() { "need" } else { "needs" };
        return format!("{names} {need} confirmation: {listing}{through}");
    }
    let (need, control) = if names.is_several() { ("need", "they control") } else { ("needs", "it controls") };
    format!("{names} {need} confirmation: {control} a build, a tool or the machine{through}")
}
