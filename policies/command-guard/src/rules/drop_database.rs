//! `drop-database`: SQL that drops a database.
//! A database of this machine with a word such as `test`, `e2e`, `ci` or `scratch` in its name is an ask.
//! It passes if the same call creates it, before or afterwards.
//!
//! ## Why
//! All tables are lost, and no transaction restores them.
//!
//! ## Examples
//! - denied: `psql -c 'drop database x'`
//! - denied: `echo 'DROP DATABASE x' | psql`
//! - asked: `dropdb shop_test`
//! - passes: `dropdb shop_test && createdb shop_test`
//! - passes: `psql -c 'SELECT 1'`
//! - passes: `grep -rn 'DROP DATABASE' .`
//!
//! ## Instead
//! Ask the user to do it, after a backup.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "drop-database", summary: "deletion of a database", default: Outcome::Deny, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    let is_lost = effect.operation == "sql.drop-database" && effect.tag("rehearsal").is_none();
    is_lost.then(|| {
        Hit::new(
            super::outcome_on_database(RULE.default, effect),
            effect,
            "deletes all of its tables at once, and can't be rolled back",
            "ask the user to do it after a backup",
        )
    })
}
