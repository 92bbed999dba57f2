//! `docker-volume-prune`: `docker volume prune`.
//! With `--force` it is denied. Otherwise it needs confirmation.
//!
//! ## Why
//! The volumes of stopped services are treated as unused, and they often contain databases.
//!
//! ## Examples
//! - denied: `docker volume prune -f`
//! - asked: `docker volume prune`
//! - passes: `docker volume ls`
//!
//! ## Instead
//! List the unused volumes with `docker volume ls --filter dangling=true`, and remove single volumes by name.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "docker-volume-prune",
    summary: "deletion of all unused volumes",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "container.volume.prune").then(|| {
        let outcome = if effect.tag("force").is_some() { Outcome::Deny } else { Outcome::Ask };
        let why = "deletes the volumes of every stopped service, and any databases in them";
        Hit::new(outcome, effect, why, "list them with `docker volume ls --filter dangling=true`, and remove one by name")
    })
}
