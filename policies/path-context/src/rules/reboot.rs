//! `reboot`: a command that restarts the machine.
//!
//! ## Why
//! Everyone who uses the machine is cut off, and unsaved work is lost.
//!
//! ## Examples
//! - asked: `reboot`
//! - asked: `systemctl reboot`
//! - passes: `grep reboot notes.txt`
//!
//! ## Instead
//! Let the user restart the machine.
//!
//! ## Settings
//! - `rules`: the pattern `reboot` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};

use super::starters::{Starter, program};

pub(super) const STARTER: Starter = Starter {
    rule: Rule { id: "reboot", summary: "restart of the machine", default: Outcome::Ask, ceiling: Outcome::Deny },
    patterns: &["reboot"],
    texts: &["reboot"],
    hits: |effect, view| effect.operation == "power.reboot" && program(effect, view) != "shutdown",
};
