//! `fork-bomb`: a function that starts itself twice, or an endless loop that starts background processes.
//!
//! ## Why
//! The machine stops responding until it is switched off.
//!
//! ## Examples
//! - denied: `:(){ :|:& };:`
//! - denied: `while true; do work & done`
//! - passes: `while true; do work & wait; done`
//! - passes: `for i in 1 2 3; do work $i & done; wait`
//!
//! ## Instead
//! Limit the number of processes, for example with `xargs -P 4`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "fork-bomb",
    summary: "a fork bomb",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "process.fork-bomb").then(|| {
        Hit::new(
            RULE.default,
            effect,
            "starts processes until the machine stops responding",
            "limit the number of processes, for example with `xargs -P 4`",
        )
    })
}
