//! `rm_outside_safe`: a deletion outside of safe paths and git repositories.
//! Deleting a whole repository is judged by the folder that contains it.
//!
//! ## Why
//! The files can't be restored, because no repository has a copy.
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
//! - `safe_paths`: the safe paths.
//! - `rules`: the pattern `rm ` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "rm_outside_safe",
    summary: "a deletion outside of safe paths",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};
