//! `secret-read`: a tool that reads a file with secrets, or searches for one: `Read`, `Grep`, `Glob`, under any name
//! the harness has them. `command-guard` says the same of shell commands, with the same default list.
//!
//! ## Why
//! The content goes to the model and into logs, and no rule protects the copy.
//!
//! ## Examples
//! - asked: `Read .env`
//! - asked: `Read /home/u/.ssh/id_ed25519`
//! - asked: `Read certs/server.key`
//! - passes: `Read .env.example`
//! - passes: `Read src/env.ts`
//!
//! ## Instead
//! Read the names of the variables in `.env.example`, or ask the user for what you need.
//!
//! ## Settings
//! - `secret-reads`: the outcome: `deny`, `ask` (the default), or `allow`. That of `command-guard` is for shell commands.
//! - `blocked`: the names of files with secrets.
//! - `reads`: adds to `blocked` for tools that read: `!.env.test` lets them read such files, and changes stay denied.
//! - `exempt`: the names that are never such files, such as templates.

use guard_sdk::NameList;
use guard_sdk::syntax::{Analysis, Coverage, Effect};
use guard_sdk::{Finding, Outcome, Rule};
use guard_sensitive_paths::is_public;

use super::Hit;
use crate::Settings;

pub(crate) const RULE: Rule = Rule {
    id: "secret-read",
    summary: "a tool that reads a file with secrets",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(effect: &Effect, settings: &Settings) -> Option<Hit> {
    let outcome = settings.secret_reads.filter(|_| !is_public(&effect.target))?;
    let lists = &settings.lists_of_reads;
    let entry = lists.secret_of(effect)?;
    let is_listed = lists.secret(&effect.target) == Some(entry);
    Some(Hit::new(&RULE, effect, '`', entry, is_listed, REMEDY).at(outcome))
}

/// The message on the files.
pub(crate) fn message(names: &NameList, through: &str) -> String {
    let need = if names.is_several() { "need" } else { "needs" };
    format!("{names} {need} confirmation: it holds secrets{through}, and tool output goes into logs")
}

/// A search of which not every file is known may find a secret.
pub(crate) fn unknown(analysis: &Analysis, settings: &Settings) -> Option<Finding> {
    let outcome = settings.secret_reads.filter(|_| analysis.coverage != Coverage::Complete)?;
    let reason = analysis.reasons.first().map_or("it can't be fully analysed", String::as_str);
    let message = format!("the search needs confirmation: it may read any file ({reason})");
    Some(Finding::new(&RULE, message).at(outcome).remedy("search with fewer patterns"))
}

const REMEDY: &str = "read the variable names in `.env.example`, or ask the user for what you need";
