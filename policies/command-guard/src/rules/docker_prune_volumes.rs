//! `docker-prune-volumes`: `docker system prune` with both `--all` and `--volumes`, and the same command of podman.
//!
//! ## Why
//! The volumes of stopped services are treated as unused, so their data is deleted.
//!
//! ## Examples
//! - denied: `docker system prune -a --volumes`
//! - denied: `docker --context x system prune -fa --volumes`
//! - passes: `docker system df`
//! - asked by `docker-system-prune`: `docker system prune -a`
//!
//! ## Instead
//! Preview the loss with `docker system df -v`, and leave out `--volumes`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "docker-prune-volumes",
    summary: "deletion of all unused images, containers and volumes",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    is_total(effect).then(|| {
        let why = "deletes every stopped container, and volumes that no container uses, with any databases in them";
        Hit::new(RULE.default, effect, why, "see what would be deleted with `docker system df -v`, and leave out the volumes")
    })
}

/// Returns whether a prune removes all images and the volumes, too.
pub(super) fn is_total(effect: &Effect) -> bool {
    effect.operation == "container.system.prune" && effect.tag("all").is_some() && effect.tag("volumes").is_some()
}
