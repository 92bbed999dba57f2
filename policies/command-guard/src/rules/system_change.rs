//! `system-change`: a change to mounts, the kernel, users, the firewall, network interfaces, timers, or services that
//! start at boot.
//!
//! ## Why
//! The change outlives the session, and other programs on the machine depend on it.
//!
//! ## Examples
//! - asked: `ip link set eth0 down`
//! - asked: `systemctl enable x`
//! - passes: `ip addr show`
//! - passes: `apt-get install -y jq`
//!
//! ## Instead
//! Say what the change is for, so that the user can confirm it.

use guard_sdk::syntax::{Effect, Severity};
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "system-change",
    summary: "a change to the machine's set-up",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    let operation = effect.operation.as_str();
    let outlives = match effect.kind.as_str() {
        // Installing a package is everyday work.
        "system" => !operation.starts_with("system.package."),
        _ => matches!(
            operation,
            "network.firewall.change" | "network.interface.change" | "service.enable" | "execute.scheduled"
        ),
    };
    (outlives && effect.severity == Severity::Notable && effect.tag("dry-run").is_none()).then(|| {
        let why = "the change stays when this session is over, and other programs depend on it";
        Hit::new(RULE.default, effect, why, "say what it is for, so that the user can confirm it")
    })
}
