//! `drop-schema-cascade`: SQL that drops a schema with `CASCADE`.
//!
//! ## Why
//! It also deletes everything that depends on the schema, which the statement doesn't name.
//!
//! ## Examples
//! - denied: `psql -c 'DROP SCHEMA public CASCADE'`
//! - passes: `psql -c 'CREATE SCHEMA x'`
//! - asked by `drop-schema`: `psql -c 'DROP SCHEMA x'`
//!
//! ## Instead
//! Ask the user to do it, after a backup.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "drop-schema-cascade",
    summary: "deletion of a schema with all that depends on it",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "sql.drop-schema" && effect.tag("cascade").is_some()).then(|| {
        Hit::new(
            super::outcome_on_database(RULE.default, effect),
            effect,
            "also deletes everything that depends on the schema, without naming it",
            "ask the user to do it after a backup",
        )
    })
}
