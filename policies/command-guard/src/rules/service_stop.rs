//! `service-stop`: a command that stops, disables or masks a service.
//!
//! ## Why
//! Users of the service are cut off.
//!
//! ## Examples
//! - asked: `systemctl stop x`
//! - asked: `systemctl disable --now x`
//! - passes: `systemctl status x`
//!
//! ## Instead
//! Look at the service first, such as with `systemctl status NAME`. The message names the command of the program.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, instead};

pub(crate) const RULE: Rule =
    Rule { id: "service-stop", summary: "a service that stops", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (matches!(effect.operation.as_str(), "service.stop" | "service.disable" | "service.mask")).then(|| {
        Hit::new(
            RULE.default,
            effect,
            "whoever uses the service is cut off",
            instead(effect, "look first at how the service is"),
        )
    })
}
