//! Changes to a file's hooks, as far as they are visible in the call.

use guard_sdk::Presence;
use guard_sdk::serde_json::{self, Value};
use guard_sdk::syntax::Effect;

use crate::call_view::CallView;
use crate::guarded::Guard;
use crate::harnesses::{KEYS, SWITCHES};
use crate::touch::{GuardedChange, Reach};

/// The maximum size of a text that is read, in bytes. Changes in longer texts aren't noticed.
const TEXT_BYTES: usize = 1 << 20;

/// The maximum depth of values that are searched.
const DEPTH: usize = 32;

/// The effect of a change on a file with hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// The hook is removed, in the described way.
    Removes(&'static str),
    /// The file's new content isn't in the call.
    Unseen(&'static str),
    /// An ordinary edit.
    Edits,
}

/// Returns the change of the hooks.
pub(crate) fn change(touch: &GuardedChange<'_>, view: &CallView<'_>) -> Change {
    let effect = touch.effect;
    match touch.how {
        Reach::LostWithFolder => return Change::Removes("deletes the folder"),
        // The finding about the folder is enough.
        Reach::LostWithAll | Reach::Perhaps => return Change::Edits,
        Reach::Itself => {}
    }
    match effect.kind.as_str() {
        "delete" => Change::Removes("deletes the file"),
        "metadata" if removes_read(effect) => Change::Removes("leaves a file that the harness can't read"),
        "metadata" => Change::Edits,
        _ if effect.command_id == 0 => tool_change(effect, view),
        _ => command_change(effect, view),
    }
}

/// Returns whether a mode removes the owner's permission to read.
fn removes_read(effect: &Effect) -> bool {
    let mode = effect.tag("mode").unwrap_or_default();
    let octal = mode.len() >= 3 && mode.bytes().all(|byte| byte.is_ascii_digit());
    let owner = mode.len().checked_sub(3).and_then(|at| mode.as_bytes().get(at));
    let symbolic = mode
        .split_once('-')
        .is_some_and(|(who, what)| what.starts_with('r') && (who.is_empty() || who.contains(['u', 'a'])));
    if octal { owner.is_some_and(|digit| digit & 4 == 0) } else { symbolic }
}

fn command_change(effect: &Effect, view: &CallView<'_>) -> Change {
    if effect.tag("by").is_some_and(|by| matches!(by, "touch" | "mkdir")) {
        return Change::Edits;
    }
    if switches_off(view.text()) {
        return Change::Removes("turns hooks off");
    }
    // Appending to TOML is an edit. Appending to JSON makes the file invalid.
    let extends = effect.tag("append").is_some() && effect.target.ends_with(".toml");
    if extends { Change::Edits } else { Change::Unseen("changes the file in a way that can't be checked") }
}

fn tool_change(effect: &Effect, view: &CallView<'_>) -> Change {
    let input = view.input();
    let text = |keys: &[&str]| keys.iter().find_map(|key| input.get(*key)?.as_str());
    let pairs = edits(input);
    if pairs.iter().any(|(old, new)| switches_off(new) && !switches_off(old)) {
        return Change::Removes("turns hooks off");
    }
    if pairs.iter().any(|(old, new)| loses(old, new, &view.guard)) {
        return Change::Removes("removes hooks");
    }
    if !pairs.is_empty() || view.call.tool() != "Write" {
        return Change::Edits;
    }
    let Some(content) = text(&["content", "contents", "file_text", "text"]) else {
        return Change::Unseen("doesn't show the file's new content");
    };
    if switches_off(content) {
        Change::Removes("turns hooks off")
    } else if contains_hook(content, &view.guard) || effect.path.exists == Presence::No {
        Change::Edits
    } else {
        Change::Removes("writes it without guard-host's hook")
    }
}

/// Returns the old and new texts of an edit.
fn edits(input: &Value) -> Vec<(&str, &str)> {
    let several = input.get("edits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    std::iter::once(input).chain(several).filter_map(replacement_pair).collect()
}

fn replacement_pair(value: &Value) -> Option<(&str, &str)> {
    let text = |keys: [&str; 3]| keys.iter().find_map(|key| value.get(*key)?.as_str());
    Some((text(["old_string", "old_str", "oldString"])?, text(["new_string", "new_str", "newString"])?))
}

/// Returns whether replacing `old` with `new` removes the hook.
fn loses(old: &str, new: &str, guard: &Guard) -> bool {
    let kept = |line: &str| new.contains(line.trim().trim_end_matches(','));
    let lines = old.lines().filter(|line| guard.is_program_name(line));
    !lines.clone().all(kept) || KEYS.iter().any(|key| old.contains(key) && !new.contains(key))
}

/// Returns whether settings contain a command that runs guard-host.
fn contains_hook(content: &str, guard: &Guard) -> bool {
    match serde_json::from_str::<Value>(content) {
        Ok(value) => value_runs_guard(&value, "", guard, 0),
        // TOML, YAML, JSON with comments, or a script.
        Err(_) => guard.is_program_name(content),
    }
}

/// Returns whether a value contains a command that runs guard-host.
fn value_runs_guard(value: &Value, key: &str, guard: &Guard, depth: usize) -> bool {
    if depth > DEPTH {
        return false;
    }
    match value {
        Value::String(text) => {
            matches!(key, "command" | "exec" | "bash" | "args" | "plugin" | "plugins") && guard.is_program_name(text)
        }
        Value::Array(items) => items.iter().any(|item| value_runs_guard(item, key, guard, depth + 1)),
        Value::Object(map) => map.iter().any(|(key, value)| value_runs_guard(value, key, guard, depth + 1)),
        _ => false,
    }
}

/// Returns whether settings, or a part of them, disable hooks.
pub(crate) fn switches_off(text: &str) -> bool {
    if text.len() > TEXT_BYTES {
        return false;
    }
    let decoded =
        serde_json::from_str::<Value>(text).ok().filter(|_| text.contains("\\u")).map(|value| value.to_string());
    let text = decoded.as_deref().unwrap_or(text);
    let bare: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '\\'))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    SWITCHES.iter().any(|switch| bare.contains(switch))
}
