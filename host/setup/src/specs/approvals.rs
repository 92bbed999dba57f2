//! Codex skips a hook until a person has approved it there, and notes the approval in its own settings.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::RegistrationSpec;
use crate::command::{Names, is_ours};
use crate::install::Site;

/// What a person does so that the hook is asked.
pub(super) const REMEDY: &str = "start Codex in this folder, type `/hooks`, choose the hook and press `t`";

/// Where Codex notes what was approved.
const NOTES: &str = "~/.codex/config.toml";

/// A hook of this program in the file that nobody has approved. Whether a note is of the entry as it stands now, nobody
/// can tell: it is a digest of Codex's own.
pub(super) fn is_missing(spec: &RegistrationSpec, site: Site<'_>, file: &Path, value: &Value, names: &Names) -> bool {
    if spec.capabilities.name != "codex" {
        return false;
    }
    let notes = fs::read_to_string(spec.place(NOTES, site)).unwrap_or_default();
    let notes: toml::Table = toml::from_str(&notes).unwrap_or_default();
    let state = notes.get("hooks").and_then(|hooks| hooks.get("state"));
    let is_approved = |event: &str, group: usize, handler: usize| {
        let key = format!("{}:{}:{group}:{handler}", file.display(), snake_case(event));
        state.and_then(|state| state.get(&key)?.get("trusted_hash")).is_some()
    };
    let events = value.get("hooks").and_then(Value::as_object).into_iter().flatten();
    let mut own = events.flat_map(|(event, groups)| {
        let groups = groups.as_array().into_iter().flatten().enumerate();
        groups.flat_map(move |(at, group)| {
            let handlers = group.get("hooks").and_then(Value::as_array).into_iter().flatten().enumerate();
            handlers.map(move |(index, handler)| (event, at, index, handler))
        })
    });
    own.any(|(event, group, index, handler)| is_ours(handler, names) && !is_approved(event, group, index))
}

/// `PreToolUse` as `pre_tool_use`.
fn snake_case(event: &str) -> String {
    let mut out = String::with_capacity(event.len() + 4);
    for letter in event.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}
