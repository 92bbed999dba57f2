//! `secret-read`: a file tool that reads or searches a file with secrets, such as `Read`, `Grep` and `Glob`, under any
//! name that the harness uses, or a shell command that reads a file in your own lists.
//! `command-guard` covers shell commands that read files on the default list.
//!
//! ## Why
//! The content is sent to the model and written to logs, where no rule protects it.
//!
//! ## Examples
//! - asked: `Read .env`
//! - asked: `Read /home/u/.ssh/id_ed25519`
//! - asked: `Read certs/server.key`
//! - asked: `head -3 customers.csv`, with `reads = ["customers.csv"]`
//! - passes: `Read .env.example`
//! - passes: `Read src/env.ts`
//! - passes: `ls -l customers.csv`, with `reads = ["customers.csv"]`
//!
//! ## Instead
//! Ask the user for what you need. For a `.env` file, read the variable names in `.env.example`.
//!
//! ## Settings
//! - `secret-reads`: the outcome: `deny`, `ask` (the default), or `allow`. For shell commands that read files on
//!   the default list, use `command-guard`'s setting.
//! - `blocked`: the names of files with secrets.
//! - `reads`: adds to `blocked`, for calls that read. With `!.env.test`, tools may read such files, but changes are
//!   still denied.
//! - `exempt`: names that are never such files, such as templates.

use guard_sdk::syntax::{Analysis, Coverage, Effect};
use guard_sdk::{Call, Finding, NameList, Outcome, Rule};
use guard_sensitive_paths::{Lists, is_public, own_secret};

use super::{Hit, is_read};
use crate::Settings;

pub(crate) const RULE: Rule = Rule {
    id: "secret-read",
    summary: "a tool that reads a file with secrets",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(effect: &Effect, call: &Call<'_>, settings: &Settings) -> Option<Hit> {
    let outcome = settings.secret_reads.filter(|_| is_read(effect) && !is_public(&effect.target))?;
    let lists = &settings.lists_of_reads;
    let Some(entry) = lists.find_secret(effect) else {
        // `Glob` only returns names.
        return held(effect, call, lists, outcome).filter(|_| effect.tag("by") == Some("Grep"));
    };
    let is_listed = lists.secret(&effect.target) == Some(entry);
    Some(Hit::new(&RULE, effect, '`', entry, is_listed, remedy(entry)).at(outcome).listed(own_secret(effect, entry)))
}

/// Checks a shell command by the settings' entries only: `command-guard` knows the uses of the other files.
pub(crate) fn check_of_shell(effect: &Effect, call: &Call<'_>, settings: &Settings) -> Option<Hit> {
    let outcome = settings.secret_reads.filter(|_| !is_public(&effect.target))?;
    let lists = &settings.lists_of_shell_reads;
    // A commit doesn't show the file.
    let is_shown = is_read(effect) && effect.tag("kept").is_none();
    let entry = match effect.tag("link-to") {
        Some(original) => Some(lists.secret(original)?),
        None if is_shown => lists.find_secret(effect),
        None => return None,
    };
    if Lists::default().find_secret(effect).is_some() {
        return None;
    }
    let Some(entry) = entry else { return held(effect, call, lists, outcome) };
    let is_listed = lists.secret(&effect.target) == Some(entry);
    Some(Hit::new(&RULE, effect, '`', entry, is_listed, remedy(entry)).at(outcome).listed(own_secret(effect, entry)))
}

/// Checks a folder or a pattern that is read as a whole, for files in it that settings list. The command may show others
/// only, so it never gets more than a prompt.
fn held(effect: &Effect, call: &Call<'_>, lists: &Lists, outcome: Outcome) -> Option<Hit> {
    let entry = lists.secret_read_within(effect, &|path| call.resolve(path))?;
    let hit = Hit::new(&RULE, effect, '`', entry, false, remedy(entry)).at(outcome.min(Outcome::Ask));
    Some(hit.listed(own_secret(effect, entry)))
}

/// Formats the message for the files.
pub(crate) fn message(names: &NameList, through: &str, listing: Option<&str>) -> String {
    let (need, whose) = if names.is_several() { ("need", "their") } else { ("needs", "its") };
    if let Some(listing) = listing {
        return format!("{names} {need} confirmation: {listing}{through}");
    }
    format!("{names} {need} confirmation: {whose} secrets{through} would go to the model and into logs")
}

/// Returns the finding for a search over unknown files, which may include a secret.
pub(crate) fn unknown(analysis: &Analysis, settings: &Settings) -> Option<Finding> {
    let outcome = settings.secret_reads.filter(|_| analysis.coverage != Coverage::Complete)?;
    let reason = analysis.reasons.first().map_or("it can't be fully analysed", String::as_str);
    let message = format!("the search needs confirmation: it may read any file ({reason})");
    Some(Finding::new(&RULE, message).at(outcome).remedy("search with fewer patterns"))
}

pub(crate) const READ_EXAMPLE: &str = "read the variable names in `.env.example`, or ask the user for what you need";

fn remedy(entry: &str) -> &'static str {
    if entry.starts_with(".env") { READ_EXAMPLE } else { super::ASK_USER }
}
