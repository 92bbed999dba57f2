//! `rm-glob`: `rm` of what an unquoted pattern selects, and `find -delete` of what its tests select.
//!
//! ## Why
//! The command does not say what is deleted; a stray space makes `*.log` mean everything.
//! ## Example
//! `rm *.log` · `rm -f build/*` · `find . -name '*.o' -delete`
//! ## Settings
//! none

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::scene::{Hit, Scene, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "rm-glob",
    summary: "deletion of files that a pattern selects",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let deletes =
        matches!(effect.operation.as_str(), "fs.delete" | "fs.delete.recursive") && effect.tag("glob").is_some();
    let moved = effect.tag("by").is_some_and(|program| !super::is_program(program, &["rm", "unlink", "shred", "find"]));
    (deletes && !moved).then(|| {
        let why = if effect.tag("filtered").is_some() {
            "tests select the files, and the command does not say which ones".to_owned()
        } else {
            format!("`{}` selects the files, and the command does not say which ones", shorten(&effect.target))
        };
        Hit::new(RULE.default, effect, why, "list them first with `ls`, and name them")
    })
}
