//! `shred-file`: `shred` and similar programs, which overwrite a file before they delete it.
//!
//! ## Why
//! Not even a recovery tool can restore the file.
//!
//! ## Examples
//! - asked: `shred -u notes.txt`
//! - asked: `wipe a`
//! - passes: `rm notes.txt`
//! - passes: `shred --help`
//!
//! ## Instead
//! Move the file aside with `mv`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "shred-file",
    summary: "unrecoverable deletion",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    let shreds = effect.kind == "delete"
        && effect.tag("by").is_some_and(|program| super::is_program(program, &["shred", "srm", "wipe", "scrub"]));
    shreds.then(|| {
        let name = format!("`{}`", shorten(&effect.target));
        Hit::new(RULE.default, effect, "no tool can recover ", "move it aside with `mv` instead")
            .naming(name, "")
    })
}
