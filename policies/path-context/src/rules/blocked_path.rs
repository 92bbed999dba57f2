//! `blocked_path`: a write to or a deletion in a blocked path, either as written or after following links.
//!
//! ## Why
//! Changes to the system and to a person's keys are hard to notice and hard to undo.
//!
//! ## Examples
//! - denied: `Write /etc/hosts`
//! - denied: `rm ~/.ssh/id_rsa`
//! - denied: `mv /etc/hosts /repo/b`
//! - passes: `Write ~/projects/myapp/src/main.py`
//! - passes: `Edit src/main.rs`
//!
//! ## Instead
//! Tell the user which change is needed, and let them make it.
//!
//! ## Settings
//! - `blocked_paths`: the blocked paths.
//! - `rules`: `blocked_paths` in `write` and `edit`, with its action.

use guard_sdk::{Outcome, Rule};

pub(crate) const RULE: Rule =
    Rule { id: "blocked_path", summary: "a change in a blocked path", default: Outcome::Deny, ceiling: Outcome::Deny };
