//! `unplanned-command`: a program that no command of the plan starts, or a command of which that cannot be told.
//!
//! ## Why
//! What was not planned disturbs the experiment that runs, and its results are nobody's.
//! ## Example
//! `curl example.org` while the plan has `./blis run` alone
//! ## Settings
//! none

use guard_sdk::{Finding, Outcome, Rule};
use policy_experiment_plan::cut;

pub(crate) const RULE: Rule = Rule {
    id: "unplanned-command",
    summary: "a program that the plan does not name",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

const REMEDY: &str =
    "run a planned command, or add `# nous: ad-hoc` to this one if the experiment needs it outside of the plan";

/// The most programs that a message names.
const NAMED: usize = 12;

pub(crate) fn finding(program: &str, planned: &[String]) -> Finding {
    let mut names: Vec<String> = planned.iter().take(NAMED).map(|name| format!("`{}`", cut(name, 60))).collect();
    if planned.len() > NAMED {
        names.push(format!("{} more", planned.len() - NAMED));
    }
    let message = format!("`{program}` is not in the experiment plan, which has {}", names.join(", "));
    Finding::new(&RULE, message).remedy(REMEDY).tag("program", program)
}

/// What can be seen is planned, but there may be more.
pub(crate) fn unclear(why: &str) -> Finding {
    let message = format!("The command cannot be compared with the experiment plan as a whole: {why}");
    Finding::new(&RULE, message).at(Outcome::Ask).remedy(REMEDY)
}
