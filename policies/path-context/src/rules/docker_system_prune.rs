//! `docker_system_prune`: `docker system prune`.
//!
//! ## Why
//! It deletes stopped containers, networks and images that the command doesn't name.
//!
//! ## Examples
//! - asked: `docker system prune`
//! - passes: `docker system df`
//!
//! ## Instead
//! Preview the loss with `docker system df`.
//!
//! ## Settings
//! - `rules`: the pattern `docker system prune` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};

use super::starters::Starter;

pub(super) const STARTER: Starter = Starter {
    rule: Rule {
        id: "docker_system_prune",
        summary: "deletion of everything that no container uses",
        default: Outcome::Ask,
        ceiling: Outcome::Deny,
    },
    patterns: &["docker system prune"],
    texts: &["docker system prune"],
    hits: |effect, _| effect.operation == "container.system.prune",
};
