//! The rules, one file each.

pub(crate) mod ad_hoc;
pub(crate) mod plan_unreadable;
pub(crate) mod unplanned_command;

use guard_sdk::Rule;

/// Every rule.
pub(crate) const RULES: &[Rule] = &[unplanned_command::RULE, plan_unreadable::RULE, ad_hoc::RULE];
