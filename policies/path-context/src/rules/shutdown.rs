//! `shutdown`: a command that shuts the machine down, and `shutdown` with any options.
//!
//! ## Why
//! Everyone who uses the machine is cut off, and unsaved work is lost.
//!
//! ## Examples
//! - asked: `shutdown -h now`
//! - asked: `sudo shutdown -r now`
//! - passes: `./shutdown_test.sh`
//! - passes: `git commit -m shutdown`
//!
//! ## Instead
//! Let the user shut the machine down.
//!
//! ## Settings
//! - `rules`: the pattern `shutdown` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};

use super::starters::{Starter, program};

pub(super) const STARTER: Starter = Starter {
    rule: Rule { id: "shutdown", summary: "shutdown of the machine", default: Outcome::Ask, ceiling: Outcome::Deny },
    patterns: &["shutdown"],
    texts: &["shutdown"],
    hits: |effect, view| {
        effect.operation == "power.off" || effect.kind == "power" && program(effect, view) == "shutdown"
    },
};
