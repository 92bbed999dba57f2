//! `recursive-mode`: a recursive change of mode or owner that reaches the root, a directory of the system, or a home; denied for the root,
//! otherwise asked about.
//!
//! ## Why
//! Programs refuse to run and keys are refused when their modes are wrong, and nothing knows the old ones.
//! ## Example
//! `chmod -R 777 /` · `chown -R u /usr` · `chmod -R 755 ~`
//! ## Settings
//! none

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::reach::{Reach, reach};
use crate::scene::{Hit, Scene};

pub(crate) const RULE: Rule = Rule {
    id: "recursive-mode",
    summary: "a new mode or owner for a whole system",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let changes = matches!(effect.operation.as_str(), "fs.mode" | "fs.owner") && effect.tag("recursive").is_some();
    if !changes {
        return None;
    }
    let outcome = match reach(effect, scene) {
        Reach::Root => Outcome::Deny,
        Reach::System | Reach::Home => Outcome::Ask,
        Reach::WorkingDirectory | Reach::Part => return None,
    };
    let why = "programs and keys with wrong modes or owners stop working, and nothing knows the old ones";
    Some(Hit::new(outcome, effect, why, "name the directory you mean, such as `chmod -R u+w ./build`"))
}
