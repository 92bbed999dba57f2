//! The rules in the order in which they run.
//!
//! To add a rule, add a file in `rules/`, a line in each list below, and a table in `cases/`.

mod guard_file;
pub(crate) mod guard_command;
mod hook_removed;
mod hook_script;
mod hook_registration;
mod agent_without_hooks;
mod guard_mentioned;

use guard_sdk::{Finding, Rule};

use crate::call_view::CallView;

/// Checks a call and adds its findings.
pub(crate) type Check = fn(&CallView<'_>, &mut Vec<Finding>);

/// Every rule.
pub(crate) const RULES: &[Rule] = &[
    guard_file::RULE,
    guard_command::RULE,
    hook_removed::RULE,
    hook_script::RULE,
    hook_registration::RULE,
    agent_without_hooks::RULE,
    guard_mentioned::RULE,
];

/// The check of each rule, in the same order. The last one only reports if no other rule did.
pub(crate) const CHECKS: &[Check] = &[
    guard_file::check,
    guard_command::check,
    hook_removed::check,
    hook_script::check,
    hook_registration::check,
    agent_without_hooks::check,
    guard_mentioned::check,
];
