//! The check of four rules: `blocked_path`, `write_outside_safe`, `edit_outside_safe` and `rm_outside_safe`.
//!
//! A write by a shell command is judged like a write by a tool. A file that is moved away counts as written. A deletion
//! in a blocked place is denied like a write; a deletion elsewhere is a matter of the pattern `rm `. Temporary files that
//! shell commands write pass, and so do deletions that lose nothing.

use guard_sdk::Outcome;
use guard_sdk::syntax::Effect;
use policy_blast_radius::{is_disposable, is_temporary};
use policy_text_patterns::Pattern;

use super::{blocked_path, custom, edit_outside_safe, rm_outside_safe, starters, write_outside_safe};
use crate::call_view::{CallView, Verdicts};
use crate::place::Place;
use crate::settings::{Condition, Paths};

pub(crate) fn check(effect: &Effect, view: &CallView<'_>, verdicts: &mut Verdicts) {
    let is_moved = effect.kind == "delete" && effect.tag("by") == Some("mv");
    let is_deleted = effect.kind == "delete" && !is_moved;
    if !(is_deleted || is_moved || effect.kind == "write") || is_deleted && starters::is_caught(effect, view) {
        return;
    }
    let Some(place) = view.place(effect) else { return };
    let is_edit = !view.is_shell() && view.tool() != "Write";
    let rules = if is_edit { &view.settings.edit } else { &view.settings.write };
    let by = name(effect, view);
    let is_elsewhere = place != Place::Safe && !is_deleted && !is_passing(effect, view);
    let mut denied = false;
    for rule in rules {
        for paths in &rule.paths {
            let (found, what) = match paths {
                Paths::Blocked if place == Place::Blocked => (&blocked_path::RULE, format!("'{by}' to a blocked path")),
                Paths::Outside if is_elsewhere => (
                    if is_edit { &edit_outside_safe::RULE } else { &write_outside_safe::RULE },
                    format!("'{by}' outside safe paths"),
                ),
                Paths::Safe if place == Place::Safe && !is_deleted => {
                    (&custom::RULE, format!("'{by}' in a safe path that the settings name"))
                }
                Paths::These(area) if view.map.is_in(area, &effect.path) => {
                    (&custom::RULE, format!("'{by}' to a path that the settings name"))
                }
                Paths::Matching(pattern) if matches_path(pattern, effect) => {
                    (&custom::RULE, format!("'{by}' to a path that a pattern in the settings matches"))
                }
                _ => continue,
            };
            let called = match paths {
                Paths::These(area) => Some(area.as_str()),
                Paths::Matching(pattern) => Some(pattern.text()),
                Paths::Safe => Some("safe_paths"),
                Paths::Blocked | Paths::Outside => None,
            };
            verdicts.add_named(found, called, rule.outcome, &what, &effect.target, Some(place));
            denied |= rule.outcome == Outcome::Deny;
        }
    }
    if is_deleted && !denied && !is_disposable(effect) {
        removal(effect, place, &by, view, verdicts);
    }
}

/// Returns whether a regular expression matches the written or the resolved path.
fn matches_path(pattern: &Pattern, effect: &Effect) -> bool {
    let path = &effect.path;
    let mut texts = [effect.target.as_str(), &path.raw, &path.lexical, &path.canonical].into_iter();
    texts.any(|text| !text.is_empty() && pattern.matches(text))
}

/// The files that pass data between the steps of a workflow.
const OF_WORKFLOWS: &[&str] = &["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"];

/// Returns whether a shell command writes a short-lived file: a temporary one, or data for a workflow's next step.
fn is_passing(effect: &Effect, view: &CallView<'_>) -> bool {
    let name = effect.target.strip_prefix('$').unwrap_or_default();
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let is_written = view.is_shell() && effect.kind == "write";
    is_written && (OF_WORKFLOWS.contains(&name) || is_temporary(effect, &|| &view.facts))
}

fn removal(effect: &Effect, place: Place, by: &str, view: &CallView<'_>, verdicts: &mut Verdicts) {
    for rule in view.settings.bash.iter().filter(|rule| matches!(rule.matter, Condition::Removal)) {
        if !rule.outside {
            verdicts.add(&rm_outside_safe::RULE, rule.outcome, &format!("'{by}'"), &effect.target, Some(place));
        } else if place != Place::Safe {
            verdicts.add(
                &rm_outside_safe::RULE,
                rule.outcome,
                &format!("'{by}' outside safe paths"),
                &effect.target,
                Some(place),
            );
        }
    }
}

/// Returns the tool or program that changes the file.
fn name(effect: &Effect, view: &CallView<'_>) -> String {
    if !view.is_shell() {
        return view.tool().to_owned();
    }
    match effect.tag("by") {
        Some("redirect") | None => "write".to_owned(),
        Some(program) => program.to_owned(),
    }
}
