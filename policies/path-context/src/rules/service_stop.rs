//! `service_stop`: a command that stops, disables or masks a service.
//!
//! ## Why
//! People who use the service are cut off.
//!
//! ## Examples
//! - asked: `systemctl stop nginx`
//! - asked: `systemctl disable nginx`
//! - passes: `systemctl status nginx`
//! - passes: `systemctl start nginx`
//!
//! ## Instead
//! Check the service first with `systemctl status`.
//!
//! ## Settings
//! - `rules`: the pattern `systemctl (stop|disable|mask)` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};

use super::starters::Starter;

pub(super) const STARTER: Starter = Starter {
    rule: Rule { id: "service_stop", summary: "stopping a service", default: Outcome::Ask, ceiling: Outcome::Deny },
    patterns: &["systemctl (stop|disable|mask)", r"systemctl (stop\|disable\|mask)"],
    texts: &["systemctl stop", "systemctl disable", "systemctl mask"],
    hits: |effect, _| matches!(effect.operation.as_str(), "service.stop" | "service.disable" | "service.mask"),
};
