//! `foreign-permissions`: a change of ownership or permissions that gives a file in a temporary folder to root, lets
//! everyone write to a folder there, or stops everyone from starting a system program.
//! With `strict`, the rule covers every change of owner or mode outside of the project. Changing the mode of a single
//! file in the home or in a temporary folder still passes.
//!
//! ## Why
//! Ownership and permissions protect a file, and nothing records the old ones. ATT&CK T1222.002.
//!
//! ## Examples
//! - asked: `chmod -R a+w /tmp/share`
//! - asked: `sudo chown root /tmp/tool`
//! - asked: `chmod -R 755 /tmp/share`, with `strict`
//! - passes: `chmod -R u+w /tmp/build`
//! - passes: `chmod +x /tmp/run.sh`, with `strict`
//! - passes: `chmod -R u+w build`, with `strict`
//! - passes: `chmod 600 notes.txt`, with `strict`
//!
//! ## Instead
//! Keep the file in the project.
//!
//! ## Settings
//! - `strict`: without it, the rule covers only temporary folders and system programs.

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
    let effect = view
        .analysis
        .effects
        .iter()
        .find(|effect| is_prepared(effect) || view.settings.strict && is_foreign(effect, view))?;
    Some(Hit::new(
        format!("Changes who may use `{}`, which isn't part of the project", shorten(path(effect))),
        "keep the file in the project, or ask the user to change it",
    ))
}

/// Returns whether it is a file that anyone could have prepared and that gets root's permissions, a tree that anyone
/// can change, or a system program that loses its execute permission.
fn is_prepared(effect: &Effect) -> bool {
    if is_in_a_container(effect) {
        return false;
    }
    let path = path(effect);
    let is_below = |folders: &[&str]| folders.iter().any(|folder| is_inside(path, folder));
    let is_temporary = is_below(&["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"]);
    let mode = effect.tag("mode").unwrap_or_default();
    match effect.operation.as_str() {
        "fs.owner" => {
            let owner = effect.tag("owner").and_then(|owner| owner.split([':', '.']).next());
            is_temporary && matches!(owner, Some("root" | "0"))
        }
        "fs.mode" => {
            let taken_away = matches!(mode, "0" | "000" | "0000" | "-x" | "a-x" | "ugo-x" | "a-rwx" | "a=");
            is_temporary && effect.tag("recursive").is_some() && is_world_writable(mode)
                || is_below(&["/bin", "/sbin", "/usr/bin", "/usr/sbin"]) && taken_away
        }
        _ => false,
    }
}

/// Returns whether everyone may then write to the file.
fn is_world_writable(mode: &str) -> bool {
    let is_octal = mode.len() > 2 && mode.bytes().all(|byte| byte.is_ascii_digit());
    let symbolic = |clause: &str| {
        clause.split_once(['+', '=']).is_some_and(|(who, what)| what.contains('w') && who.contains(['o', 'a']))
    };
    if is_octal { mode.ends_with(['2', '3', '6', '7']) } else { mode.split(',').any(symbolic) }
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
