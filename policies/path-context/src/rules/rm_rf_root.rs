//! `rm_rf_root`: deletion of the root of the file system, or of a system directory.
//!
//! ## Why
//! The machine doesn't run without it, and it can't be restored.
//!
//! ## Examples
//! - denied: `rm -rf /`
//! - denied: `rm -rf /*`
//! - passes: `rm -rf build/*`
//! - asked by `rm_outside_safe`: `rm -rf /tmp/test`
//!
//! ## Instead
//! Check with `ls`, and name only the directory that you mean.
//!
//! ## Settings
//! - `rules`: the pattern `rm -rf /` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};
use policy_blast_radius::BlastRadius;

use super::starters::{Starter, deletes_tree, radius};

pub(super) const STARTER: Starter = Starter {
    rule: Rule {
        id: "rm_rf_root",
        summary: "deletion of the root of the file system, or of a part of the system",
        default: Outcome::Deny,
        ceiling: Outcome::Deny,
    },
    patterns: &["rm -rf /"],
    texts: &["rm -rf /"],
    hits: |effect, view| deletes_tree(effect) && radius(effect, view) >= BlastRadius::System,
};
