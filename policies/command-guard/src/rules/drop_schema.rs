//! `drop-schema`: SQL that drops a schema without `CASCADE`.
//!
//! ## Why
//! What the schema holds is lost, and no backup is made.
//! ## Example
//! `psql -c 'DROP SCHEMA x'`
//! ## Settings
//! none

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "drop-schema", summary: "deletion of a schema", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "sql.drop-schema" && effect.tag("cascade").is_none()).then(|| {
        Hit::new(RULE.default, effect, "what the schema holds is lost", super::drop_table::save_first(effect))
    })
}
