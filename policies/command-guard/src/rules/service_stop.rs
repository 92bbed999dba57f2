//! `service-stop`: a service that is stopped, disabled or masked.
//!
//! ## Why
//! Whoever uses the service is cut off.
//! ## Example
//! `systemctl stop x` · `systemctl disable --now x`
//! ## Settings
//! none

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "service-stop", summary: "a service that stops", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (matches!(effect.operation.as_str(), "service.stop" | "service.disable" | "service.mask")).then(|| {
        Hit::new(
            RULE.default,
            effect,
            "whoever uses the service is cut off",
            "look at it first with `systemctl status`",
        )
    })
}
