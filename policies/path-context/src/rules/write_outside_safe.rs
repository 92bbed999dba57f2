//! `write_outside_safe`: a write outside of safe places and git repositories, by the tool `Write` or by a shell
//! command. A file that a command moves away is treated as written.
//!
//! ## Why
//! In a repository `git diff` shows a mistake. Elsewhere it goes unnoticed.
//!
//! ## Examples
//! - asked: `Write ~/Downloads/file.txt`
//! - asked: `cp a ~/Downloads/`
//! - passes: `Write ~/random-repo/file.txt`, with `~/random-repo` as a git repository
//!
//! ## Instead
//! Write to the project or to another safe place.
//!
//! ## Settings
//! - `safe_paths`: the safe places.
//! - `rules`: the entry `outside_safe_paths` of `write`, with its action.

use guard_sdk::{Outcome, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "write_outside_safe",
    summary: "a write outside of safe places",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};
