//! `plan-unreadable`: there is a plan, and it cannot be read.
//!
//! ## Why
//! Nothing can be compared with it, and a broken plan must not switch a strict comparison off in silence.
//! ## Example
//! an `experiment_plan.yaml` that is no YAML, or that names no command
//! ## Settings
//! none

use guard_sdk::{Finding, Outcome, Rule};

pub(crate) const RULE: Rule =
    Rule { id: "plan-unreadable", summary: "a plan that cannot be read", default: Outcome::Ask, ceiling: Outcome::Ask };

pub(crate) fn finding(why: &str) -> Finding {
    let message = format!("The command cannot be compared with experiment_plan.yaml: {why}");
    Finding::new(&RULE, message)
        .remedy("repair the plan, or add `# nous: ad-hoc` to a command that need not be planned")
}
