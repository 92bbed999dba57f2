//! `edit_outside_safe`: an edit outside of safe paths and git repositories, with an edit tool.
//!
//! ## Why
//! In a repository, `git diff` shows a mistake. Elsewhere, no one notices it.
//!
//! ## Examples
//! - asked: `Edit ~/Downloads/file.txt`
//! - asked: `MultiEdit ~/Downloads/file.txt`
//! - passes: `Edit src/main.rs`
//!
//! ## Instead
//! Edit files in the project or in another safe path.
//!
//! ## Settings
//! - `safe_paths`: the safe paths.
//! - `rules`: `outside_safe_paths` in `edit`, with its action.

use guard_sdk::{Outcome, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "edit_outside_safe",
    summary: "an edit outside of safe paths",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};
