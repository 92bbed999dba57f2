//! `write_to_device`: a write to a device by a program other than `dd`.
//!
//! ## Why
//! It overwrites partitions and file systems, starting with the first block.
//!
//! ## Examples
//! - denied: `echo x > /dev/sda`
//! - denied: `cat image | tee /dev/sdb`
//! - passes: `make 2> /dev/null > /dev/stderr`
//!
//! ## Instead
//! Write to a file, such as `disk.img`.
//!
//! ## Settings
//! - `rules`: the pattern `> /dev/sda` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};

use super::starters::{Starter, program};

pub(super) const STARTER: Starter = Starter {
    rule: Rule {
        id: "write_to_device",
        summary: "a write to a device",
        default: Outcome::Deny,
        ceiling: Outcome::Deny,
    },
    patterns: &["> /dev/sda"],
    texts: &["> /dev/sd"],
    hits: |effect, view| effect.operation == "device.write" && program(effect, view) != "dd",
};
