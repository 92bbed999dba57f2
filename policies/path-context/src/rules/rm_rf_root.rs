//! `rm_rf_root`: deletion of the root of the file system, or of a directory of the system.
//!
//! ## Why
//! The machine does not run without it, and it can't be restored.
//!
//! ## Examples
//! - denied: `rm -rf /`
//! - denied: `rm -rf /*`
//! - passes: `rm -rf build/*`
//! - asked by `rm_outside_safe`: `rm -rf /tmp/test`
//!
//! ## Instead
//! Name the one directory that you mean, after a look at it with `ls`.
//!
//! ## Settings
//! - `rules`: the pattern `rm -rf /` of `bash`, with its action.

use guard_sdk::{Outcome, Rule};
use policy_blast_radius::BlastRadius;

use super::starters::{Starter, radius, takes_tree};

pub(super) const STARTER: Starter = Starter {
    rule: Rule {
        id: "rm_rf_root",
        summary: "deletion of the root of the file system, or of a part of the system",
        default: Outcome::Deny,
        ceiling: Outcome::Deny,
    },
    patterns: &["rm -rf /"],
    texts: &["rm -rf /"],
    hits: |effect, view| takes_tree(effect) && radius(effect, view) >= BlastRadius::System,
};
