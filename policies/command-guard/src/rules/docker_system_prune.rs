//! `docker-system-prune`: `docker system prune` without `--all` or without `--volumes`, and `docker image prune
//! --all`.
//! `docker-prune-volumes` covers the command with both options.
//!
//! ## Why
//! It deletes stopped containers, networks and images that the command doesn't name.
//!
//! ## Examples
//! - asked: `docker system prune`
//! - asked: `docker image prune -af`
//! - passes: `docker system df`
//! - passes: `docker image prune`
//!
//! ## Instead
//! Preview the loss with `docker system df`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "docker-system-prune",
    summary: "deletion of everything that no container uses",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "container.system.prune" && !super::docker_prune_volumes::is_total(effect)
        || effect.operation == "container.image.prune" && effect.tag("all").is_some())
    .then(|| {
        Hit::new(
            RULE.default,
            effect,
            "deletes stopped containers, networks and images without naming them",
            "see what is there with `docker system df`",
        )
    })
}
