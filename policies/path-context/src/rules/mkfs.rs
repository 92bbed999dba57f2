//! `mkfs`: a new file system on a device.
//!
//! ## Why
//! All data on the device is lost.
//!
//! ## Examples
//! - denied: `mkfs.ext4 /dev/sda1`
//! - denied: `mkfs /dev/sda`
//! - passes: `man mkfs.ext4`
//!
//! ## Instead
//! Make a file system in a file, or ask the user to format the device.
//!
//! ## Settings
//! - `rules`: the pattern `mkfs\.` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};

use super::starters::Starter;

pub(super) const STARTER: Starter = Starter {
    rule: Rule { id: "mkfs", summary: "a new file system on a device", default: Outcome::Deny, ceiling: Outcome::Deny },
    patterns: &[r"mkfs\.", "mkfs.*"],
    texts: &["mkfs"],
    hits: |effect, _| effect.operation == "device.format",
};
