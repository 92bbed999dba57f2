//! `dd-to-device`: `dd` that writes to a device.
//!
//! ## Why
//! `dd` overwrites partitions and file systems, starting with the first block.
//!
//! ## Examples
//! - denied: `dd if=/dev/zero of=/dev/sda`
//! - denied: `cat x | dd of=/dev/sdb`
//! - passes: `dd if=/dev/zero of=disk.img bs=1M count=64`
//! - passes: `dd if=x of=/dev/null`
//!
//! ## Instead
//! Write the image to a file.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule =
    Rule { id: "dd-to-device", summary: "dd onto a device", default: Outcome::Deny, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "device.write" && is_by_dd(effect, view)).then(|| {
        let remedy = "write an image to a file, such as `dd if=/dev/zero of=disk.img bs=1M count=64`";
        let name = format!("`{}`", shorten(&effect.target));
        Hit::new(RULE.default, effect, "everything on ", remedy).naming(name, " is overwritten")
    })
}

/// Returns whether `dd` itself writes to the device, not a redirection of its output.
pub(super) fn is_by_dd(effect: &Effect, view: &CallView<'_>) -> bool {
    match effect.tag("by") {
        Some(program) => super::is_program(program, &["dd"]),
        None => view.command(effect).is_some_and(|command| super::is_program(command.word(0), &["dd"])),
    }
}
