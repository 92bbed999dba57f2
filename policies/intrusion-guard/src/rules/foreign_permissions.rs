//! `foreign-permissions`: with `strict`, a new owner or mode for files outside of the project. In the home and in folders
//! for temporary files, a mode of one file passes.
//!
//! ## Why
//! Who may read and run a file is what protects it, and nothing records the old owner. ATT&CK T1222.002.
//!
//! ## Examples
//! - asked: `chmod -R a+w /tmp/share`, with `strict`
//! - asked: `sudo chown root /tmp/tool`, with `strict`
//! - passes: `chmod +x /tmp/run.sh`, with `strict`
//! - passes: `chmod -R u+w build`, with `strict`
//! - passes: `chmod 600 notes.txt`, with `strict`
//!
//! ## Instead
//! Keep the file in the project.
//!
//! ## Settings
//! - `strict`: without it the rule is off.

use guard_sdk::syntax::Effect;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::places::{is_inside, is_outside};
use crate::view::{View, is_in_a_container, path};

pub(crate) const RULE: Rule = Rule {
    id: "foreign-permissions",
    summary: "changes who may use files outside of the project",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let effect = view.analysis.effects.iter().find(|effect| view.settings.strict && is_foreign(effect, view))?;
    Some(Hit::new(
        format!("Changes who may use `{}`, which isn't part of the project", shorten(path(effect))),
        "keep the file in the project, or ask the user to change it",
    ))
}

fn is_foreign(effect: &Effect, view: &View<'_>) -> bool {
    let changes_owner = effect.operation == "fs.owner";
    if !changes_owner && effect.operation != "fs.mode" || is_in_a_container(effect) {
        return false;
    }
    let facts = view.facts();
    let own = [&facts.cwd, &facts.project_root];
    let is_own = |text: &str| own.iter().any(|folder| is_inside(text, folder));
    let is_elsewhere = path(effect).starts_with('/') && !effect.spellings().any(is_own);
    let widely = changes_owner || effect.tag("recursive").is_some();
    let is_in_home = !facts.home.is_empty() && effect.spellings().any(|text| is_inside(text, &facts.home));
    is_outside(effect, view) && !is_in_home || is_elsewhere && widely
}
