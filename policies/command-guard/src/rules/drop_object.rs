//! `drop-object`: SQL that drops something that is neither a database nor a schema nor a table: a view, an index, a
//! role, a column.
//!
//! ## Why
//! What uses it stops working, and it has to be made anew.
//! ## Example
//! `psql -c 'DROP VIEW v'` · `DROP INDEX i;`
//! ## Settings
//! none

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

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    let named = ["sql.drop-database", "sql.drop-schema", "sql.drop-table"].contains(&effect.operation.as_str());
    (effect.operation.starts_with("sql.drop-") && !named).then(|| {
        Hit::new(
            RULE.default,
            effect,
            "what uses it stops working",
            super::drop_table::save_first(effect),
        )
    })
}
