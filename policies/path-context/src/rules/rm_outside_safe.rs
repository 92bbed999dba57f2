//! `rm_outside_safe`: a deletion outside of safe places and git repositories. A whole repository belongs to the
//! folder around it.
//!
//! ## Why
//! The file can't be restored, and no repository has a copy.
//!
//! ## Examples
//! - asked: `rm ~/Downloads/old`
//! - asked: `rm -rf ~/random-repo`, with `~/random-repo` as a git repository
//! - passes: `rm ~/projects/a`
//! - passes: `rm ~/random-repo/file.txt`, with `~/random-repo` as a git repository
//!
//! ## Instead
//! Move the file aside with `mv`, or let the user delete it.
//!
//! ## Settings
//! - `safe_paths`: the safe places.
//! - `rules`: the pattern `rm ` of `bash`, with its action.

use guard_sdk::{Outcome, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "rm_outside_safe",
    summary: "a deletion outside of safe places",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};
