//! `truncate-cascade`: SQL that truncates a table with `CASCADE`.
//!
//! ## Why
//! It also empties every table that refers to this one, which the statement doesn't name.
//!
//! ## Examples
//! - denied: `psql -c 'TRUNCATE t CASCADE'`
//! - passes: `psql -c 'SELECT truncate(1.5, 0)'`
//! - asked by `truncate-table`: `psql -c 'TRUNCATE t'`
//!
//! ## Instead
//! Ask the user to do it, after a backup.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "truncate-cascade",
    summary: "emptying a table and all tables that refer to it",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "sql.truncate" && effect.tag("cascade").is_some()).then(|| {
        Hit::new(
            super::outcome_on_database(RULE.default, effect),
            effect,
            "also empties every table that refers to it, without naming them",
            "ask the user to do it after a backup",
        )
    })
}
