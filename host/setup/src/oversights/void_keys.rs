//! Finds keys of an entry that would loosen a policy which another file also configures. That file's policy applies
//! unchanged.

use guard_config::problem::entry_location;
use guard_contract::policy::Entry;
use guard_contract::{Layer, Problem};
use guard_hook::cache::Prepared;
use guard_state::AppDirs;
use serde_json::{Map, Value};

use super::warning;

/// Lists in a built-in's settings that loosen its rules.
const LOOSENING: [&str; 3] = ["lower", "silence", "exempt"];

/// Lists in a built-in's settings in which `!x` removes a default.
pub(super) const LISTS: [&str; 5] = ["blocked", "confirm", "exempt", "reads", "protected-branches"];

/// The settings table with lists of files.
pub(super) const FILES_TABLE: &str = "files";

/// A key of that table for reads of secrets, and the value that allows them.
const SECRET_READS: (&str, &str) = ("secret-reads", "allow");

/// The key that the host adds itself.
const PLACES: &str = "places";

/// Returns the keys of a user's or project's entry that have no effect, because a file with higher precedence has the
/// same policy.
pub(super) fn void_keys(entry: &Entry, prepared: &Prepared, dirs: &AppDirs) -> Option<Problem> {
    let has_weight = |other: &&Entry| other.layer < entry.layer && other.source == entry.source && !other.watched;
    let other = prepared.members.iter().map(|member| &member.entry).find(has_weight)?;
    let settings: Map<String, Value> = serde_json::from_str(&entry.settings).unwrap_or_default();
    let (mut keys, tightens) = settings_keys(&settings);
    // A policy that tightens something may do so for some tools only, or in watch mode.
    if !tightens && is_written(entry) {
        keys.extend((entry.tools.is_some() && entry.tools != other.tools).then(|| "tools".to_owned()));
        keys.extend((entry.watched && entry.layer == Layer::User).then(|| "mode".to_owned()));
    }
    let (shown, verb) = match keys.as_slice() {
        [] => return None,
        [key] => (format!("`{key}`"), "has"),
        keys => (format!("`{}`", keys.join("`, `")), "have"),
    };
    let text = format!("policy `{}`: {shown} {verb} no effect on the rules of `{}`", entry.name, other.name);
    let hint = match entry.layer {
        Layer::Project => format!("a project can only tighten: remove {shown}, or put it into your own guard.toml"),
        _ => format!("`{}` has that policy, and only that file can loosen it: remove {shown}", dirs.managed.display()),
    };
    let place = entry_location(&entry.settings_source.file, &entry.name);
    Some(Problem { layer: entry.layer, ..warning(place, text, hint) })
}

/// Returns whether the entry is a `[[policy]]` in a file, instead of one from a preset.
fn is_written(entry: &Entry) -> bool {
    entry.settings_source.file.file_name().is_some_and(|name| name == "guard.toml")
}

/// Returns the loosening keys of settings, and whether other keys tighten.
fn settings_keys(settings: &Map<String, Value>) -> (Vec<String>, bool) {
    let (mut keys, mut tightens, mut exempt) = (Vec::new(), false, false);
    let files = settings.get(FILES_TABLE).and_then(Value::as_object);
    for (key, value) in settings.iter().chain(files.into_iter().flatten()) {
        let texts: Vec<&str> = value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        match key.as_str() {
            FILES_TABLE | PLACES => {}
            "exempt" => exempt = !texts.is_empty(),
            name if LOOSENING.contains(&name) => keys.extend((!texts.is_empty()).then(|| name.to_owned())),
            name if name == SECRET_READS.0 && value == SECRET_READS.1 => keys.push(name.to_owned()),
            name if LISTS.contains(&name) => {
                let own = texts.iter().position(|text| !text.starts_with('!'));
                tightens |= own.is_some();
                // A removal may remove what the same list added before it.
                keys.extend(texts.iter().take(own.unwrap_or(texts.len())).map(|text| (*text).to_owned()));
            }
            _ => tightens |= !texts.is_empty() || value.is_object() || value == &Value::Bool(true) || value.is_string(),
        }
    }
    // An exemption may apply to what the same entry adds.
    keys.extend((exempt && !tightens).then(|| "exempt".to_owned()));
    (keys, tightens)
}
