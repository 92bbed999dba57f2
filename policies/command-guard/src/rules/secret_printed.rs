//! `secret-printed`: a tool that takes a secret out of its store and prints it.
//!
//! ## Why
//! What a command prints goes to the model and into logs.
//! ## Example
//! `gpg --export-secret-keys` · `kubectl config view --raw`
//! ## Settings
//! `secret-reads`: `allow` silences it

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::Answer;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "secret-printed",
    summary: "a tool that prints a secret",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "secret.read" && view.settings.secret_reads != Answer::Allow).then(|| {
        let why = "what a command prints goes to the model and into logs";
        Hit::new(RULE.default, effect, why, "let the program that needs the secret ask the store for it")
    })
}
