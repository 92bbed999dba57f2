//! The rules.
//!
//! Their names are those of the original guard's messages and logs, which use underscores.

pub(crate) mod custom;
pub(crate) mod files;
pub(crate) mod starters;

mod blocked_path;
mod chmod_777;
mod dd_to_device;
mod docker_rm;
mod docker_system_prune;
mod edit_outside_safe;
mod fork_bomb;
mod kubectl_delete;
mod mkfs;
mod reboot;
mod rm_outside_safe;
mod rm_rf_home;
mod rm_rf_root;
mod rm_rf_wildcard;
mod service_stop;
mod shutdown;
mod write_outside_safe;
mod write_to_device;

use guard_sdk::Rule;

use starters::STARTERS;

/// Every rule.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which would refuse it")]
pub(crate) const RULES: &[Rule] = &{
    let mut rules = [custom::RULE; STARTERS.len() + 5];
    let mut at = 0;
    while at < STARTERS.len() {
        rules[at] = STARTERS[at].rule;
        at += 1;
    }
    rules[at] = blocked_path::RULE;
    rules[at + 1] = write_outside_safe::RULE;
    rules[at + 2] = edit_outside_safe::RULE;
    rules[at + 3] = rm_outside_safe::RULE;
    rules
};
