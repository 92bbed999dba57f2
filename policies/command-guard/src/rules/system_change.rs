//! `system-change`: a lasting change to the machine: mounts, the kernel, users, the firewall, network interfaces,
//! timers, services that start at boot, or package repositories.
//! The rule also covers an upgrade of all packages, and a build that is installed as the administrator.
//!
//! ## Why
//! The change remains after the session, and other programs on the machine depend on these parts.
//!
//! ## Examples
//! - asked: `ip link set eth0 down`
//! - asked: `systemctl enable x`
//! - asked: `apt-get upgrade -y`
//! - asked: `sudo make install`
//! - passes: `ip addr show`
//! - passes: `apt-get install -y jq`
//!
//! ## Instead
//! Explain the change, so that the user can confirm it.

use guard_sdk::syntax::{Effect, Severity};
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "system-change",
    summary: "a change to the system",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

/// Returns whether the operation is about installed packages and their sources.
fn is_of_packages(operation: &str) -> bool {
    matches!(operation, "system.install" | "system.package.upgrade" | "system.repository.add" | "system.trust.change")
}

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    let operation = effect.operation.as_str();
    let outlives = match effect.kind.as_str() {
        // In a container, the change disappears with the container.
        "system" if is_of_packages(operation) && effect.tag("where") == Some("container") => false,
        // Installing or upgrading a single package is routine.
        "system" if operation == "system.package.upgrade" => effect.target.is_empty(),
        "system" => !operation.starts_with("system.package."),
        _ => matches!(
            operation,
            "network.firewall.change" | "network.interface.change" | "service.enable" | "execute.scheduled"
        ),
    };
    (outlives && effect.severity == Severity::Notable && effect.tag("dry-run").is_none()).then(|| {
        let why = "changes the machine beyond this session";
        Hit::new(RULE.default, effect, why, "say why it is needed, so that the user can approve it")
    })
}
