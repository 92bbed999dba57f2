//! The rules, most severe first: what is blocked is never only asked about.

mod secret_file;
mod sensitive_file;

use guard_sdk::syntax::Effect;
use guard_sdk::{Finding, Rule};

use crate::Settings;

/// Looks at one change of a file.
pub(crate) type Check = fn(&Effect, &Settings) -> Option<Finding>;

/// Every rule.
pub(crate) const RULES: &[Rule] = &[secret_file::RULE, sensitive_file::RULE];

/// The check of every rule, in the same order.
pub(crate) const CHECKS: &[Check] = &[secret_file::check, sensitive_file::check];
