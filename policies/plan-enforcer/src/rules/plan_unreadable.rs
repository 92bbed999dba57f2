//! `plan-unreadable`: a plan that isn't YAML, contains no command, or is larger than 256 KiB.
//! With `NOUS_PLAN_ENFORCEMENT=strict`, every command needs confirmation. Otherwise the command runs, and the journal
//! records it.
//!
//! ## Why
//! No command can be compared with such a plan, and a broken plan must not silently turn off a strict comparison.
//!
//! ## Examples
//! - asked: `./blis run`, with `strict`, and a plan that is no YAML
//! - noted: `./blis run`, with `warn`, and a plan that is no YAML
//! - passes: `./blis run --size 128`, with a plan that can be read
//!
//! ## Instead
//! Fix the plan, or add `# nous: ad-hoc` to a command that needs no plan.

use guard_sdk::{Finding, Outcome, Rule};

pub(crate) const RULE: Rule =
    Rule { id: "plan-unreadable", summary: "a plan that can't be read", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) fn finding(why: &str) -> Finding {
    let message = format!("The command cannot be compared with experiment_plan.yaml: {why}");
    Finding::new(&RULE, message)
        .remedy("repair the plan, or add `# nous: ad-hoc` to a command that need not be planned")
}
