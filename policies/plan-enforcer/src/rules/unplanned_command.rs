//! `unplanned-command`: a program that no command in the plan starts.
//! With `NOUS_PLAN_ENFORCEMENT=strict`, the command is denied. If only part of the command is understood and that part
//! is planned, it needs confirmation.
//! With `warn`, the command runs, and the journal records it.
//!
//! ## Why
//! An unplanned program disturbs the running experiment, and its results belong to no arm.
//!
//! ## Examples
//! - denied: `curl https://example.org`, with `strict`, and a plan that does not name curl
//! - noted: `curl https://example.org`, with `warn`
//! - passes: `./blis run --size 128`, with a plan that has `./blis run --size 4`
//! - passes: `env X=1 nohup time ./blis run`, with the same plan
//! - passes: `mkdir -p out && ./blis run | tee out/log | tail -5`, with the same plan
//!
//! ## Instead
//! Run a planned command, or add `# nous: ad-hoc` to a command that the experiment needs outside of the plan.

use guard_experiment_plan::cut;
use guard_sdk::{Finding, Outcome, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "unplanned-command",
    summary: "a program that isn't in the plan",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

const REMEDY: &str =
    "run a planned command, or add `# nous: ad-hoc` to this one if the experiment needs it outside of the plan";

/// The maximum number of programs in a message.
const NAMED: usize = 12;

pub(crate) fn finding(program: &str, planned: &[String]) -> Finding {
    let mut names: Vec<String> = planned.iter().take(NAMED).map(|name| format!("`{}`", cut(name, 60))).collect();
    if planned.len() > NAMED {
        names.push(format!("{} more", planned.len() - NAMED));
    }
    let message = format!("`{program}` is not in the experiment plan, which has {}", names.join(", "));
    Finding::new(&RULE, message).remedy(REMEDY).tag("program", program)
}

/// Returns the finding for a command whose visible part is planned, but that wasn't fully understood.
pub(crate) fn unclear(why: &str) -> Finding {
    let message = format!("The command cannot be compared with the experiment plan as a whole: {why}");
    Finding::new(&RULE, message).at(Outcome::Ask).remedy(REMEDY)
}
