//! `drop-object`: SQL that drops part of a database, such as a view, an index, a role or a constraint.
//! Other rules cover databases, schemas and tables.
//!
//! ## Why
//! Everything that uses the object stops working.
//!
//! ## Examples
//! - asked: `psql -c 'DROP VIEW v'`
//! - asked: `psql -c 'alter table t drop constraint c'`
//! - passes: `psql -c 'CREATE VIEW v AS SELECT 1'`
//! - passes: `psql -c 'alter table t add column c int'`
//!
//! ## Instead
//! Save it first with the database's dump program.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "drop-object",
    summary: "deletion of a part of a database",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Loss(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    let named = ["sql.drop-database", "sql.drop-schema", "sql.drop-table"].contains(&effect.operation.as_str());
    let is_unrehearsed = effect.tag("rehearsal").is_none();
    (effect.operation.starts_with("sql.drop-") && !named && is_unrehearsed).then(|| {
        let why = match effect.operation.as_str() {
            "sql.drop-column" => "deletes the column's values and breaks code that uses it",
            "sql.drop-partition" => "deletes the partition's rows",
            _ => "breaks code that uses it",
        };
        Hit::new(RULE.default, effect, why, super::drop_table::save_first(effect))
    })
}
