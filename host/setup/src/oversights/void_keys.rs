//! Finds keys of an entry that would loosen a policy which another entry also has. That policy applies unchanged.

use std::cmp::Ordering;
use std::path::Path;

use guard_config::OWN_PRESETS;
use guard_config::problem::entry_location;
use guard_contract::policy::Entry;
use guard_contract::{Layer, Problem};
use guard_hook::cache::Prepared;
use guard_state::AppDirs;
use guard_state::files::read_text;
use serde_json::{Map, Value};

use super::{TEXT_BYTES, warning};

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

/// Returns the keys of an entry that have no effect, because another entry has the same policy and applies as well.
pub(super) fn void_keys(entry: &Entry, prepared: &Prepared, dirs: &AppDirs) -> Option<Problem> {
    let settings: Map<String, Value> = serde_json::from_str(&entry.settings).unwrap_or_default();
    let (mut keys, tightens) = settings_keys(&settings);
    let others = prepared.members.iter().map(|member| &member.entry);
    let mut others = others.filter(|other| other.source == entry.source && !other.watched && *other != entry);
    let other = others.find(|other| match other.layer.cmp(&entry.layer) {
        Ordering::Less => true,
        Ordering::Equal => entry.layer != Layer::Project && !tightens && !is_written(other),
        Ordering::Greater => entry.layer == Layer::Managed && is_of_default_preset(other, dirs),
    })?;
    // A policy that tightens something may do so for some tools only, or in watch mode.
    if !tightens && is_written(entry) && other.layer != entry.layer {
        keys.extend((entry.tools.is_some() && entry.tools != other.tools).then(|| "tools".to_owned()));
        keys.extend((entry.watched && entry.layer != Layer::Project).then(|| "mode".to_owned()));
    }
    let (shown, verb) = match keys.as_slice() {
        [] => return None,
        [key] => (format!("`{key}`"), "has"),
        keys => (format!("`{}`", keys.join("`, `")), "have"),
    };
    let text = format!("policy `{}`: {shown} {verb} no effect on the rules of `{}`", entry.name, other.name);
    let (text, hint) = match entry.layer {
        _ if other.layer == entry.layer => {
            (text, format!("put {shown} into a `[[policy]]` with `name = \"{}\"`", other.name))
        }
        Layer::Managed => {
            let text = format!("policy `{}`: {shown} {verb} no effect: {OWN_PRESETS}", entry.name);
            (text, "add a `preset` to this file".to_owned())
        }
        Layer::Project => {
            (text, format!("a project can only tighten: remove {shown}, or put it into your own guard.toml"))
        }
        Layer::User => {
            let file = dirs.managed.display();
            (text, format!("`{file}` has that policy, and only that file can loosen it: remove {shown}"))
        }
    };
    let place = entry_location(&entry.settings_source.file, &entry.name);
    Some(Problem { layer: entry.layer, ..warning(place, text, hint) })
}

/// Returns whether an entry of the user is from a preset that neither the user nor the managed file chose.
fn is_of_default_preset(entry: &Entry, dirs: &AppDirs) -> bool {
    let has_preset = |file: &Path| {
        let text = read_text(file, TEXT_BYTES).unwrap_or_default();
        toml::from_str::<toml::Table>(&text).is_ok_and(|table| table.contains_key("preset"))
    };
    entry.layer == Layer::User && !is_written(entry) && !has_preset(&dirs.managed) && !has_preset(&dirs.config)
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
