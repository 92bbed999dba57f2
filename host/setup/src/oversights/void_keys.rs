//! Finds keys of an entry that would loosen a policy which another entry also has. That policy applies unchanged.

use std::cmp::Ordering;
use std::path::Path;

use guard_config::OWN_PRESETS;
use guard_config::problem::entry_location;
use guard_contract::policy::{Entry, Source};
use guard_contract::{Layer, Problem};
use guard_hook::cache::Prepared;
use guard_sdk::globs::Glob;
use guard_sensitive_paths::{Entries, Lists};
use guard_state::AppDirs;
use guard_state::files::read_text;
use serde_json::{Map, Value};

use super::typos::SPECIAL;
use super::{TEXT_BYTES, warning};

/// Lists in a built-in's settings that loosen its rules.
const LOOSENING: [&str; 2] = ["lower", "silence"];

/// Lists of what a built-in's rules let pass. They may apply to what the same entry tightens.
const PASSING: [&str; 2] = ["hosts", "safe"];

/// The list of files that the other lists of files don't cover.
const EXEMPT: &str = "exempt";

/// Lists in a built-in's settings in which `!x` removes a default.
pub(super) const LISTS: [&str; 5] = ["blocked", "confirm", "exempt", "reads", "protected-branches"];

/// The settings table with lists of files.
pub(super) const FILES_TABLE: &str = "files";

/// Settings with an outcome, and their defaults.
const DEFAULTS: [(&str, &str, &str); 4] = [
    ("command-guard", "secret-reads", "deny"),
    ("command-guard", "force-with-lease", "ask"),
    ("command-guard", "new-packages", "allow"),
    ("protected-files", "secret-reads", "ask"),
];

/// The outcomes in settings, milder ones first.
const OUTCOMES: [&str; 4] = ["allow", "warn", "ask", "deny"];

/// The key that the host adds itself.
const PLACES: &str = "places";

/// Returns the keys of an entry that have no effect, because another entry has the same policy and applies as well.
pub(super) fn void_keys(entry: &Entry, prepared: &Prepared, dirs: &AppDirs) -> Option<Problem> {
    let settings: Map<String, Value> = serde_json::from_str(&entry.settings).unwrap_or_default();
    let tightens = tightens(entry, &settings);
    let others = prepared.members.iter().map(|member| &member.entry);
    let mut others = others.filter(|other| other.source == entry.source && !other.watched && *other != entry);
    let other = others.find(|other| match other.layer.cmp(&entry.layer) {
        Ordering::Less => true,
        Ordering::Equal => entry.layer != Layer::Project && !tightens && !is_written(other),
        Ordering::Greater => entry.layer == Layer::Managed && is_of_default_preset(other, dirs),
    })?;
    let mut keys = loosening_keys(entry, &settings, other);
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

/// Returns the keys and values of an entry's settings, and those in its table of files.
fn pairs(settings: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    let files = settings.get(FILES_TABLE).and_then(Value::as_object);
    let pairs = settings.iter().chain(files.into_iter().flatten());
    pairs.map(|(key, value)| (key.as_str(), value)).filter(|(key, _)| *key != FILES_TABLE && *key != PLACES)
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Returns whether a key of an entry's settings makes its rules stricter than the defaults.
fn tightens(entry: &Entry, settings: &Map<String, Value>) -> bool {
    pairs(settings).any(|(key, value)| match key {
        EXEMPT => texts(value).any(|text| text.starts_with('!')),
        key if LISTS.contains(&key) => texts(value).any(|text| !text.starts_with('!')),
        _ => tightens_otherwise(entry, key, value),
    })
}

/// Returns whether a key other than a list of files or branches makes an entry's rules stricter than the defaults.
fn tightens_otherwise(entry: &Entry, key: &str, value: &Value) -> bool {
    if LISTS.contains(&key) || LOOSENING.contains(&key) || PASSING.contains(&key) {
        return false;
    }
    match (rank(value), default_outcome(entry, key)) {
        (Some(rank), Some(default)) => rank > default,
        _ => texts(value).next().is_some() || value.is_object() || value == &Value::Bool(true) || value.is_string(),
    }
}

/// Returns the keys and entries of lists in an entry's settings that have no effect, because they only loosen rules that
/// the other entry has too.
fn loosening_keys(entry: &Entry, settings: &Map<String, Value>, other: &Entry) -> Vec<String> {
    let others: Map<String, Value> = serde_json::from_str(&other.settings).unwrap_or_default();
    let tightens = tightens(entry, settings);
    let is_stricter = pairs(settings).any(|(key, value)| tightens_otherwise(entry, key, value));
    let listed: Vec<String> = pairs(settings)
        .filter(|(key, _)| LISTS.contains(key) && *key != EXEMPT)
        .flat_map(|(_, value)| added(value))
        .collect();
    let mut keys = Vec::new();
    for (key, value) in pairs(settings) {
        match key {
            EXEMPT => {
                let all: Vec<&str> = texts(value).filter(|text| !text.starts_with('!')).collect();
                let is_void = |text: &&str| !is_stricter && !overlaps_any(key, text, &listed);
                let void: Vec<&str> = all.iter().copied().filter(is_void).collect();
                match void.len() {
                    count if count > 0 && count == all.len() => keys.push(key.to_owned()),
                    _ => keys.extend(void.into_iter().map(str::to_owned)),
                }
            }
            _ if LOOSENING.contains(&key) || PASSING.contains(&key) && !tightens => {
                keys.extend(texts(value).next().map(|_| key.to_owned()));
            }
            _ if LISTS.contains(&key) => keys.extend(void_removals(key, value, settings)),
            _ => {
                let default = || default_outcome(entry, key);
                let outcome = others.get(key).and_then(rank).or_else(default);
                let is_milder = rank(value).zip(outcome).is_some_and(|(own, other)| own < other);
                let is_off = value == &Value::Bool(false) && others.get(key) == Some(&Value::Bool(true));
                keys.extend((is_milder || is_off).then(|| key.to_owned()));
            }
        }
    }
    keys
}

/// Returns the entries `!x` of a list that remove nothing that the list itself adds before them.
fn void_removals(key: &str, value: &Value, settings: &Map<String, Value>) -> Vec<String> {
    // `reads` adds to `blocked`.
    let blocked = settings.get("blocked").filter(|_| key == "reads");
    let mut before: Vec<String> = blocked.map(added).unwrap_or_default();
    let mut void = Vec::new();
    for text in texts(value) {
        match text.strip_prefix('!') {
            Some(removed) if !overlaps_any(key, removed, &before) => void.push(text.to_owned()),
            Some(_) => {}
            None => before.push(text.to_owned()),
        }
    }
    void
}

/// Returns the entries of a list that add something.
fn added(value: &Value) -> Vec<String> {
    texts(value).filter(|text| !text.starts_with('!')).map(str::to_owned).collect()
}

/// Returns whether a pattern of a list may match something that one of the others matches.
fn overlaps_any(key: &str, pattern: &str, others: &[String]) -> bool {
    others.iter().any(|other| match key {
        "protected-branches" => {
            let [one, other] = [pattern, other].map(Glob::of_name);
            one.is_ok_and(|one| other.is_ok_and(|other| one.overlaps(&other, true)))
        }
        _ => covers(pattern, other) || covers(other, pattern) || pattern.contains(SPECIAL) && other.contains(SPECIAL),
    })
}

/// Returns whether an entry of a list of files covers a path or a pattern.
pub(super) fn covers(entry: &str, path: &str) -> bool {
    let entries = Entries::try_from(vec![entry.to_owned()]);
    entries.is_ok_and(|entries| Lists::settings_only(&[Some(entries)], None).secret(path).is_some())
}

/// Returns the position of an outcome, milder ones first.
fn rank(value: &Value) -> Option<usize> {
    OUTCOMES.iter().position(|outcome| value == outcome)
}

fn default_outcome(entry: &Entry, key: &str) -> Option<usize> {
    let Source::Builtin(builtin) = &entry.source else { return None };
    let (.., default) = DEFAULTS.iter().find(|(policy, name, _)| builtin == policy && *name == key)?;
    OUTCOMES.iter().position(|outcome| outcome == default)
}
