//! `write-block-device`: a redirection, or a program other than `dd`, that writes to a block device.
//!
//! ## Why
//! It overwrites partitions and file systems, starting with the first block.
//!
//! ## Examples
//! - denied: `echo x > /dev/sda`
//! - denied: `cat x | sudo tee /dev/nvme0n1`
//! - denied: `cp img /dev/mmcblk0`
//! - passes: `echo x > /dev/null`
//! - passes: `echo x > dev/sda`
//!
//! ## Instead
//! Write to a file, such as `disk.img`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "write-block-device",
    summary: "a write to a block device",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "device.write" && !super::dd_to_device::is_by_dd(effect, view)).then(|| {
        let name = format!("`{}`", shorten(&effect.target));
        Hit::new(RULE.default, effect, "everything on ", "write to a file instead, such as `disk.img`")
            .naming(name, " is overwritten")
    })
}
