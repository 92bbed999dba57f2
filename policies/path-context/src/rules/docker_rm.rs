//! `docker_rm`: removal of a container.
//!
//! ## Why
//! Data in the container that isn't in a volume is lost.
//!
//! ## Examples
//! - asked: `docker rm x`
//! - asked: `docker container rm x`
//! - passes: `docker run --rm alpine ls`
//!
//! ## Instead
//! Check the container first with `docker inspect`.
//!
//! ## Settings
//! - `rules`: the pattern `docker rm` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};

use super::starters::Starter;

pub(super) const STARTER: Starter = Starter {
    rule: Rule { id: "docker_rm", summary: "removal of a container", default: Outcome::Ask, ceiling: Outcome::Deny },
    patterns: &["docker rm"],
    texts: &["docker rm"],
    hits: |effect, _| effect.operation == "container.remove",
};
