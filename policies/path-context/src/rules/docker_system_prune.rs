//! `docker_system_prune`: `docker system prune`.
//!
//! ## Why
//! Stopped containers, networks and images go without being named.
//!
//! ## Examples
//! - asked: `docker system prune`
//! - passes: `docker system df`
//!
//! ## Instead
//! List the contents with `docker system df`.
//!
//! ## Settings
//! - `rules`: the pattern `docker system prune` of `bash`, with its action.

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
