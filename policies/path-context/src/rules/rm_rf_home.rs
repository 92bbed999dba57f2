//! `rm_rf_home`: deletion of a home directory, or of everything in it.
//! The rule judges the effect, not the text, so `rm -rf ~/old` isn't covered.
//!
//! ## Why
//! It contains a person's documents, keys and settings, which are in no repository.
//!
//! ## Examples
//! - denied: `rm -rf ~`
//! - denied: `rm -rf "$HOME"/`
//! - asked by `rm_outside_safe`: `rm -rf ~/Downloads/old-project`
//! - passes: `rm ~/projects/a`
//!
//! ## Instead
//! Check with `ls`, and name only the directory that you mean.
//!
//! ## Settings
//! - `rules`: the pattern `rm -rf ~` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};
use policy_blast_radius::BlastRadius;

use super::starters::{Starter, deletes_tree, radius};

pub(super) const STARTER: Starter = Starter {
    rule: Rule {
        id: "rm_rf_home",
        summary: "deletion of a home directory",
        default: Outcome::Deny,
        ceiling: Outcome::Deny,
    },
    patterns: &["rm -rf ~"],
    texts: &["rm -rf ~"],
    hits: |effect, view| deletes_tree(effect) && radius(effect, view) == BlastRadius::Home,
};
