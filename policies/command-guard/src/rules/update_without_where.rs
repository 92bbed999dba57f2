//! `update-without-where`: SQL that updates a table without a `WHERE`, or with one that is true for every row.
//!
//! ## Why
//! All rows are changed, usually because a clause was forgotten.
//!
//! ## Examples
//! - asked: `psql -c 'UPDATE t SET a = 1'`
//! - asked: `psql -c 'update t set a = 1 where true'`
//! - passes: `psql -c 'UPDATE t SET a = 1 WHERE id = 2'`
//!
//! ## Instead
//! Select the rows with `WHERE`, and check them first with `SELECT`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "update-without-where",
    summary: "a change to every row of a table",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Loss(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    // The tag also says where a statement runs: in a container, or on another machine.
    (effect.operation == "sql.update" && effect.tag("where") != Some("yes")).then(|| {
        Hit::new(
            RULE.default,
            effect,
            "changes every row, because there is no `WHERE`",
            "add a `WHERE`, and check the rows first with `SELECT`",
        )
    })
}
