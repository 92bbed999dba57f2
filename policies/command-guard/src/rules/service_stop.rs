//! `service-stop`: a command that stops, restarts, disables or masks a service.
//! Restarting your own program passes: with `systemctl --user`, with `pm2` and similar tools, or in a container.
//!
//! ## Why
//! People who use the service are cut off.
//!
//! ## Examples
//! - asked: `systemctl stop x`
//! - asked: `systemctl disable --now x`
//! - asked: `sudo systemctl restart x`
//! - passes: `systemctl status x`
//! - passes: `pm2 restart x`
//!
//! ## Instead
//! Check the service first, for example with `systemctl status NAME`. The message suggests the right command.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, alternative};

pub(crate) const RULE: Rule =
    Rule { id: "service-stop", summary: "stopping a service", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    let why = match effect.operation.as_str() {
        "service.stop" | "service.disable" | "service.mask" => "cuts off everyone who uses the service",
        "service.restart" if !is_of_user(effect) => "cuts off everyone who uses the service until it runs again",
        _ => return None,
    };
    Some(Hit::new(RULE.default, effect, why, alternative(effect, "check the state of the service first")))
}

/// Returns whether the service is a user's program or a container's.
fn is_of_user(effect: &Effect) -> bool {
    effect.tag("user").is_some()
        || effect.tag("where") == Some("container")
        || matches!(effect.tag("client"), Some("pm2" | "supervisorctl" | "circusctl" | "monit"))
}
