//! `drop-schema`: SQL that drops a schema without `CASCADE`.
//!
//! ## Why
//! Everything in the schema is lost.
//!
//! ## Examples
//! - asked: `psql -c 'DROP SCHEMA x'`
//! - passes: `psql -c 'CREATE SCHEMA x'`
//! - denied by `drop-schema-cascade`: `psql -c 'DROP SCHEMA public CASCADE'`
//!
//! ## Instead
//! Save it first with the database's dump program.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "drop-schema", summary: "deletion of a schema", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "sql.drop-schema" && effect.tag("cascade").is_none()).then(|| {
        Hit::new(RULE.default, effect, "deletes everything in the schema", super::drop_table::save_first(effect))
    })
}
