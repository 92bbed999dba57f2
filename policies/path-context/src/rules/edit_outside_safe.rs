//! `edit_outside_safe`: an edit outside of safe places and git repositories, by an edit tool.
//!
//! ## Why
//! In a repository `git diff` shows a mistake. Elsewhere it goes unnoticed.
//!
//! ## Examples
//! - asked: `Edit ~/Downloads/file.txt`
//! - asked: `MultiEdit ~/Downloads/file.txt`
//! - passes: `Edit src/main.rs`
//!
//! ## Instead
//! Edit files of the project or of another safe place.
//!
//! ## Settings
//! - `safe_paths`: the safe places.
//! - `rules`: the entry `outside_safe_paths` of `edit`, with its action.

use guard_sdk::{Outcome, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "edit_outside_safe",
    summary: "an edit outside of safe places",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};
