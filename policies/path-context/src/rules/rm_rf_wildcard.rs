//! `rm_rf_wildcard`: forced deletion of the whole working directory.
//!
//! ## Why
//! The loss depends on the shell's current directory, and includes uncommitted work.
//!
//! ## Examples
//! - denied: `rm -rf *`
//! - denied: `rm -rf ./*`
//! - passes: `rm -rf build/*`
//! - passes: `rm -rf '*'`
//!
//! ## Instead
//! Check with `ls`, and name only the directory that you mean.
//!
//! ## Settings
//! - `rules`: the pattern `rm -rf \*` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};
use policy_blast_radius::BlastRadius;

use super::starters::{Starter, radius};

pub(super) const STARTER: Starter = Starter {
    rule: Rule {
        id: "rm_rf_wildcard",
        summary: "deletion of the whole working directory",
        default: Outcome::Deny,
        ceiling: Outcome::Deny,
    },
    patterns: &[r"rm -rf \*"],
    texts: &["rm -rf *"],
    hits: |effect, view| {
        let is_forced = effect.operation == "fs.delete.recursive" && effect.tag("force").is_some();
        let is_rm = effect.tag("by").is_none_or(|program| program.eq_ignore_ascii_case("rm"));
        is_forced && is_rm && radius(effect, view) == BlastRadius::WorkingDirectory
    },
};
