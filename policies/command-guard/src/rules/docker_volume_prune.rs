//! `docker-volume-prune`: `docker volume prune`.
//! With `--force` it is denied. Otherwise it needs confirmation.
//!
//! ## Why
//! A volume counts as unused once its container is removed, and it often contains a database.
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
        let why = "deletes every volume that no container uses, and any databases in it";
        Hit::new(outcome, effect, why, "list them with `docker volume ls --filter dangling=true`, and remove one by name")
    })
}
