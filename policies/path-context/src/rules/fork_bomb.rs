//! `fork_bomb`: a fork bomb.
//!
//! ## Why
//! The machine stops responding until it is switched off.
//!
//! ## Examples
//! - denied: `:(){ :|:& };:`
//! - denied: `b(){ b|b& };b`
//! - passes: `f() { ls | wc -l; }; f`
//! - passes: `echo ':(){ :|:& };:'`
//!
//! ## Instead
//! Limit the number of processes, for example with `xargs -P 4`.
//!
//! ## Settings
//! - `rules`: the pattern `:(){ :|:& };:` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};

use super::starters::Starter;

pub(super) const STARTER: Starter = Starter {
    rule: Rule { id: "fork_bomb", summary: "a fork bomb", default: Outcome::Deny, ceiling: Outcome::Deny },
    patterns: &[":(){ :|:& };:", r":(){ :\|:& };:"],
    texts: &[":(){ :|:& };:"],
    hits: |effect, _| effect.operation == "process.fork-bomb",
};
