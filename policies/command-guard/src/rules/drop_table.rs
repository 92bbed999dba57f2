//! `drop-table`: SQL that drops a table.
//! Tables of a database in a folder for temporary files pass.
//!
//! ## Why
//! All rows are lost, and can't be restored after a commit.
//!
//! ## Examples
//! - asked: `psql -c 'DROP TABLE t'`
//! - asked: `echo 'DROP TABLE t' | mysql db`
//! - passes: `grep -i 'drop table' schema.sql`
//! - passes: `sqlite3 /tmp/x.db 'drop table t'`
//!
//! ## Instead
//! Save it first, for example with `pg_dump`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "drop-table", summary: "deletion of a table", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Loss(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "sql.drop-table" && effect.tag("rehearsal").is_none()).then(|| {
        Hit::new(RULE.default, effect, "deletes the table with all its rows", save_first(effect))
    })
}

/// Returns advice for making a copy with the client's own program.
pub(super) fn save_first(effect: &Effect) -> &'static str {
    match effect.tag("client").unwrap_or_default() {
        "sqlite3" | "sqlite" | "litecli" => "back it up first, for example with `sqlite3 FILE .dump`",
        "mysql" | "mariadb" | "mycli" => "back it up first, for example with `mysqldump DATABASE`",
        "psql" | "pgcli" => "back it up first, for example with `pg_dump`",
        _ => "back it up first with the database's dump tool",
    }
}
