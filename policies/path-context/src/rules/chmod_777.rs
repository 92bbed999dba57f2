//! `chmod_777`: a recursive mode change that lets everyone change a whole folder.
//!
//! ## Why
//! Every user and program on the machine can then change the files.
//!
//! ## Examples
//! - denied: `chmod -R 777 .`
//! - denied: `chmod -R a+rwx x`
//! - passes: `chmod -R 755 .`
//! - passes: `chmod -R u+w build`
//!
//! ## Instead
//! Give only the permission that is needed, for example with `chmod -R u+w ./build`.
//!
//! ## Settings
//! - `rules`: the pattern `chmod -R 777` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};

use super::starters::Starter;

pub(super) const STARTER: Starter = Starter {
    rule: Rule {
        id: "chmod_777",
        summary: "world-writable files in a whole directory tree",
        default: Outcome::Deny,
        ceiling: Outcome::Deny,
    },
    patterns: &["chmod -R 777"],
    texts: &["chmod -R 777"],
    hits: |effect, _| {
        effect.operation == "fs.mode" && effect.tag("recursive").is_some() && effect.tag("mode").is_some_and(is_open)
    },
};

/// Returns whether a mode lets everyone read, write and execute.
fn is_open(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    digits == "777" || matches!(mode, "a+rwx" | "a=rwx" | "ugo+rwx" | "ugo=rwx" | "+rwx" | "=rwx")
}
