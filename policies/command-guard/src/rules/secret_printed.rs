//! `secret-printed`: a tool that prints a secret from a secret store or from a variable.
//!
//! ## Why
//! The output of a command is sent to the model and written to logs.
//!
//! ## Examples
//! - asked: `gpg --export-secret-keys`
//! - asked: `printenv DB_PASSWORD`
//! - asked: `node -p process.env`
//! - asked: `env | sort`
//! - passes: `gpg --list-keys`
//! - passes: `export GITHUB_TOKEN=$(gh auth token)`
//!
//! ## Instead
//! Let the program that needs the secret read it from the store.
//!
//! ## Settings
//! - `secret-reads`: `allow` turns the rule off.

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
        let why = "prints a secret to the model and into logs";
        Hit::new(RULE.default, effect, why, "let the program that needs the secret read it from the store")
    })
}
