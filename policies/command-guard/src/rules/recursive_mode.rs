//! `recursive-mode`: a recursive change of mode or owner that reaches far more than one directory.
//!
//! Denied for the root; asked about for a home, a directory of the system, and, of mode, the working directory.
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
    summary: "a new mode or owner for far more than one directory",
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
        // Handing the working directory back to its user is common; a mode for all of its files is seldom right.
        Reach::WorkingDirectory if effect.operation == "fs.mode" => Outcome::Ask,
        Reach::WorkingDirectory | Reach::Part => return None,
    };
    let why = "programs and keys with wrong modes or owners stop working, and nothing knows the old ones";
    Some(Hit::new(outcome, effect, why, "name the directory you mean, such as `chmod -R u+w ./build`"))
}
