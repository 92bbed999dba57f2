//! `delete-without-where`: SQL that deletes from a table without a `WHERE`, or with one that is true for every row.
//!
//! ## Why
//! All rows are deleted, usually because a clause was forgotten.
//!
//! ## Examples
//! - asked: `sqlite3 d 'DELETE FROM t'`
//! - asked: `psql -c 'delete from t where true'`
//! - passes: `sqlite3 d 'DELETE FROM t WHERE id=1'`
//!
//! ## Instead
//! Select the rows with `WHERE`, and check them first with `SELECT`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "delete-without-where",
    summary: "deletion of every row of a table",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Loss(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    // The tag also says where a statement runs: in a container, or on another machine.
    let whole = effect.tag("where") != Some("yes") && effect.tag("rehearsal").is_none();
    (effect.operation == "sql.delete" && whole).then(|| {
        Hit::new(
            RULE.default,
            effect,
            "deletes every row, because there is no `WHERE`",
            "add a `WHERE`, and check the rows first with `SELECT`",
        )
    })
}
