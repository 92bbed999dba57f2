//! `truncate-table`: SQL that truncates a table without `CASCADE`.
//!
//! ## Why
//! All rows are lost, and many databases can't roll this back.
//!
//! ## Examples
//! - asked: `mysql -e 'TRUNCATE t'`
//! - passes: `mysql -e 'SELECT TRUNCATE(1.5, 0)'`
//! - passes: `truncate -s 0 x`
//!
//! ## Instead
//! Count the rows first with `SELECT count(*)`, and save them.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "truncate-table", summary: "emptying a table", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Loss(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "sql.truncate" && effect.tag("cascade").is_none()).then(|| {
        Hit::new(
            RULE.default,
            effect,
            "deletes all rows, and many databases can't roll it back",
            "count the rows first with `SELECT count(*)`, and save them",
        )
    })
}
