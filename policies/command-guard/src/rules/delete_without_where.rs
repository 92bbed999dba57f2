//! `delete-without-where`: SQL that deletes from a table without a `WHERE` in that statement.
//!
//! ## Why
//! Every row goes, most often because a clause was forgotten.
//! ## Example
//! `sqlite3 d 'DELETE FROM t'` · `psql -c 'DELETE FROM t; SELECT 1 WHERE true'`
//! ## Settings
//! none

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

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    let whole = effect.tag("where").is_none() && effect.tag("rehearsal").is_none();
    (effect.operation == "sql.delete" && whole).then(|| {
        Hit::new(
            RULE.default,
            effect,
            "without a `WHERE`, every row is deleted",
            "say which rows with `WHERE`, and see them first with `SELECT`",
        )
    })
}
