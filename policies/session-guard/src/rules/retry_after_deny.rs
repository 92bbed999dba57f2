//! `retry-after-deny`: a call that repeats, by other means, an effect that was denied in this session.
//! In the examples, `rm -rf data` was denied.
//!
//! - The rule compares effects, not texts: the file that is written, deleted or read, or the operation and its target.
//! - It applies only if another rule would also stop the effect in the new call. After `cat .env` was denied,
//!   `cut -d= -f1 .env` passes.
//! - Deleting only files with certain names isn't the same effect as deleting their folder.
//!
//! ## Why
//! A blocked agent tries other ways, but the effect is still unwanted.
//!
//! ## Examples
//! - denied: `find data -delete`
//! - passes: `rm -rf build`
//!
//! ## Instead
//! Follow the advice in the denial, or ask the user to run the command.
//! `guard-host session clear --session ID` deletes the session's history and approvals.
//!
//! ## Settings
//! - `lower = ["retry-after-deny"]` asks instead of denying.

use guard_sdk::paths::below;
use guard_sdk::syntax::{Effect, Severity};
use guard_sdk::text::shorten;
use guard_sdk::{Call, Outcome, Rule};

use super::{Hit, clear_command};
use crate::Settings;
use crate::past::SessionHistory;

pub(crate) const RULE: Rule = Rule {
    id: "retry-after-deny",
    summary: "repeats a denied effect by other means",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(call: &Call<'_>, past: &SessionHistory<'_>, settings: &Settings) -> Option<Hit> {
    let all = &call.analysis().effects;
    // Matching the secret lists is the slowest part.
    if !all.iter().any(is_change) && !all.iter().any(|effect| is_compared(effect, settings)) {
        return None;
    }
    let denied = past.events("denied");
    if denied.is_empty() {
        return None;
    }
    let effects: Vec<&Effect> = all.iter().filter(|effect| is_compared(effect, settings)).collect();
    denied.iter().rev().find_map(|event| {
        let did = event.tags.iter().filter(|(name, _)| name == "effect").map(|(_, value)| value);
        let did: Vec<&String> = did.collect();
        let repeats =
            |effect: &&&Effect| did.iter().any(|did| format_effect(effect) == **did || deletes_more(effect, did));
        let repeated: Vec<String> = effects.iter().filter(repeats).map(|effect| format_effect(effect)).collect();
        if repeated.is_empty() {
            return None;
        }
        let message = event.tags.iter().find(|(name, _)| name == "message").map_or("", |(_, value)| value.as_str());
        let rule = &event.target;
        Some(Hit {
            message: format!("repeats the effect of a call that `{rule}` denied: {}", shorten_reason(message)),
            remedy: format!(
                "use the alternative in that denial, or ask the user to run the command; the user can reset the history \
                 with `{}`",
                clear_command(call)
            ),
            repeated,
        })
    })
}

/// Returns whether the effect is compared: a change, or a secret's read. Other reads aren't, because every `cat` would
/// open the history.
fn is_compared(effect: &Effect, settings: &Settings) -> bool {
    let is_secret = || effect.operation == "secret.read" || settings.files.find_secret(effect).is_some();
    is_change(effect) || effect.kind == "read" && is_known(effect) && is_secret()
}

/// Returns whether the effect is an uncommon change.
fn is_change(effect: &Effect) -> bool {
    effect.kind != "read" && effect.severity != Severity::Routine && is_known(effect) && !is_of_some_names(effect)
}

/// Returns whether a search is limited to some names.
fn is_of_some_names(effect: &Effect) -> bool {
    let is_some = |name: &str| !name.contains('[') && name.contains(|char: char| char.is_alphanumeric());
    effect.tag("every").is_some_and(is_some)
}

fn is_known(effect: &Effect) -> bool {
    let has_target = !effect.path.canonical.is_empty() || !effect.target.is_empty();
    has_target && effect.tag("dry-run").is_none()
}

/// Formats the effect as in the history of denied calls.
fn format_effect(effect: &Effect) -> String {
    match effect.path.canonical.as_str() {
        "" => format!("{} {}", effect.operation, effect.target),
        path => format!("{} {path}", effect.kind),
    }
}

/// Returns whether a deletion covers a folder that contains a path whose deletion was denied, or its content.
fn deletes_more(effect: &Effect, denied: &str) -> bool {
    let Some(path) = denied.strip_prefix("delete ").filter(|_| effect.kind == "delete") else { return false };
    let deleted = effect.path.canonical.trim_end_matches("/*");
    let is_whole = effect.operation == "fs.delete.recursive" || effect.path.canonical.ends_with("/*");
    is_whole && !deleted.is_empty() && below(path, deleted).is_some()
}

/// Returns the reason in a message, without the command and the summary before it.
fn shorten_reason(text: &str) -> String {
    let first = text.split(". ").next().unwrap_or_default();
    let whole = first.strip_prefix("Dangerous command: ").unwrap_or(first);
    let reason = whole.split_once("): ").or_else(|| whole.split_once("`: ")).map_or(whole, |(_, reason)| reason);
    shorten(reason)
}
