//! The tiers, the strictest first. A path in several tiers belongs to the first.

mod production_path;
mod protected_among;
mod protected_path;
mod safe_path;

use guard_sdk::{Finding, Rule};

use crate::Settings;
use crate::paths::{ProjectRoot, Target};

/// Checks one path.
pub(crate) type Check = fn(&Target, &Settings, &ProjectRoot<'_>) -> Option<Finding>;

/// Every rule.
pub(crate) const RULES: &[Rule] =
    &[protected_path::RULE, protected_among::RULE, production_path::RULE, safe_path::RULE];

/// The check of each rule, in the same order.
pub(crate) const CHECKS: &[Check] =
    &[protected_path::check, protected_among::check, production_path::check, safe_path::check];
