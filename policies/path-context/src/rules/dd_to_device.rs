//! `dd_to_device`: `dd` that writes to a device.
//!
//! ## Why
//! `dd` overwrites partitions and file systems, starting with the first block.
//!
//! ## Examples
//! - denied: `dd if=/dev/zero of=/dev/sda`
//! - passes: `dd if=/dev/zero of=disk.img`
//! - passes: `dd if=/dev/zero of=/dev/null`
//!
//! ## Instead
//! Write the image to a file.
//!
//! ## Settings
//! - `rules`: the pattern `dd if=.* of=/dev/` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};

use super::starters::{Starter, program};

pub(super) const STARTER: Starter = Starter {
    rule: Rule { id: "dd_to_device", summary: "'dd' onto a device", default: Outcome::Deny, ceiling: Outcome::Deny },
    patterns: &["dd if=.* of=/dev/", "dd.*of=/dev/"],
    texts: &["of=/dev/"],
    hits: |effect, view| effect.operation == "device.write" && program(effect, view) == "dd",
};
