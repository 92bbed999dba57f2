//! `write_outside_safe`: a write outside of safe paths and git repositories, with the tool `Write` or a shell command.
//! Moving a file away is treated as a write.
//!
//! ## Why
//! In a repository, `git diff` shows a mistake. Elsewhere, no one notices it.
//!
//! ## Examples
//! - asked: `Write ~/Downloads/file.txt`
//! - asked: `cp a ~/Downloads/`
//! - passes: `Write ~/random-repo/file.txt`, with `~/random-repo` as a git repository
//!
//! ## Instead
//! Write to the project or to another safe path.
//!
//! ## Settings
//! - `safe_paths`: the safe paths.
//! - `rules`: `outside_safe_paths` in `write`, with its action.

use guard_sdk::{Outcome, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "write_outside_safe",
    summary: "a write outside of safe paths",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};
