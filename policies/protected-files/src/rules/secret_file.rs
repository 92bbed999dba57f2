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
//! - passes: `Write .env.example`
//! - passes: `Write keyboard.ts`
//!
//! ## Instead
//! Write the variable's name with a placeholder to `.env.example`, and ask the user for the value.
//!
//! ## Settings
//! - `blocked`: the names of such files.
//! - `exempt`: names that are never such files, such as templates.

use guard_sdk::NameList;
use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::Settings;

pub(crate) const RULE: Rule = Rule {
    id: "secret-file",
    summary: "a change to a file with secrets",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(effect: &Effect, settings: &Settings) -> Option<Hit> {
    let entry = settings.lists.secret_of(effect)?;
    let is_listed = settings.lists.secret(&effect.target) == Some(entry);
    Some(Hit::new(&RULE, effect, '\'', entry, is_listed, remedy(entry)))
}

/// The message on the files.
pub(crate) fn message(names: &NameList, through: &str) -> String {
    format!("Modifications to {names} never allowed: it holds credentials{through} or decides who may connect")
}

/// The remedy. This rule must not deny any alternative that is offered here.
fn remedy(entry: &str) -> &'static str {
    if entry.starts_with(".env") {
        "write the variable's name with a placeholder to `.env.example` and ask the user to put the value into `.env`"
    } else {
        "tell the user which change is needed, so that they can make it"
    }
}
