//! `compose-down-volumes`: `docker compose down` with `--volumes`.
//!
//! ## Why
//! The volumes usually contain the services' databases.
//!
//! ## Examples
//! - asked: `docker-compose down -v`
//! - asked: `docker compose -f x down --volumes`
//! - passes: `docker compose down`
//!
//! ## Instead
//! Stop the services but keep their data: `docker compose down`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, alternative};

pub(crate) const RULE: Rule = Rule {
    id: "compose-down-volumes",
    summary: "deletion of the volumes of composed services",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "container.compose.down" && effect.tag("volumes").is_some()).then(|| {
        Hit::new(
            RULE.default,
            effect,
            "deletes the services' volumes and the databases in them",
            alternative(effect, "stop the services without deleting their volumes"),
        )
    })
}
