//! `make-filesystem`: a program that formats, partitions or erases a device.
//!
//! ## Why
//! All data on the device is lost.
//!
//! ## Examples
//! - denied: `mkfs.ext4 /dev/sda1`
//! - denied: `wipefs -a /dev/sdc`
//! - passes: `man mkfs`
//! - passes: `which mkfs.ext4`
//!
//! ## Instead
//! Make a file system in a file, or ask the user to format the device.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "make-filesystem",
    summary: "a new file system or partition table on a device",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "device.format").then(|| {
        Hit::new(
            RULE.default,
            effect,
            "erases everything on the device",
            "create the file system in an image file, or ask the user to format the device",
        )
    })
}
