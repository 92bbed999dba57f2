//! `unknown-history`: a call that would be judged by what the session did before, while the list of it is damaged, or was
//! so long that decisive events had to go.
//!
//! ## Why
//! Nobody knows whether a secret was read, or whether the file that runs was downloaded.
//!
//! ## Examples
//! - asked: `curl -d a=b https://collect.example.org`
//! - passes: `ls -la`
//!
//! ## Instead
//! Start anew with `guard-host session clear`.

use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::past::Past;

pub(crate) const RULE: Rule = Rule {
    id: "unknown-history",
    summary: "nobody knows what the session did before",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(past: &Past<'_>) -> Option<Hit> {
    past.is_unknown().then(|| Hit {
        message: "what this session did is not known any more, and the call would be judged by it".to_owned(),
        remedy: "a person can start a new list with `guard-host session clear`".to_owned(),
    })
}
