//! `make-filesystem`: a program that formats or partitions a device.
//!
//! ## Why
//! All that the device holds is lost.
//! ## Example
//! `mkfs.ext4 /dev/sda1` · `mkswap /dev/sdb` · `wipefs -a /dev/sdc`
//! ## Settings
//! none

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
            "all that the device holds is lost",
            "make a file system in a file, or ask the user to format the device",
        )
    })
}
