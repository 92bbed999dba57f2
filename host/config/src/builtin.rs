//! Entries of the built-in policies.

use guard_builtins::Builtin;
use guard_contract::grants::GrantSpec;
use guard_contract::policy::{Entry, SettingsSource, Source};
use guard_contract::{Layer, Limits, Outcome, Wasi};

use serde_json::{Map, Value};

use super::options::Preset;

/// Returns the built-in policies of a preset.
pub(super) fn preset_entries(preset: Preset, layer: Layer, watched: bool) -> Vec<Entry> {
    let members = guard_builtins::all().iter().filter(|builtin| builtin.presets.contains(&preset.name()));
    let entry = |builtin: &Builtin| {
        let mut entry = Entry { watched, ..builtin_entry(builtin, layer) };
        add_strict(&mut entry, preset);
        entry
    };
    members.map(entry).collect()
}

/// Sets the key `strict` of a built-in policy if the preset requires it, unless its settings contain the key.
/// Unreadable settings aren't changed, because the policy rejects them itself.
pub(super) fn add_strict(entry: &mut Entry, preset: Preset) {
    let Source::Builtin(name) = &entry.source else { return };
    let is_strict = |builtin: &Builtin| builtin.strict.contains(&preset.name());
    if !guard_builtins::find(name).is_some_and(is_strict) {
        return;
    }
    if let Ok(mut settings) = serde_json::from_str::<Map<String, Value>>(&entry.settings) {
        settings.entry("strict").or_insert(Value::Bool(true));
        entry.settings = Value::Object(settings).to_string();
    }
}

/// Returns the entry of a built-in policy with its default settings and grants.
#[must_use]
pub fn builtin_entry(builtin: &Builtin, layer: Layer) -> Entry {
    let mut grants = GrantSpec::default();
    for grant in builtin.grants {
        grants.add(grant);
    }
    Entry {
        tools: Some(builtin.tools)
            .filter(|tools| !tools.is_empty())
            .map(|tools| tools.iter().map(|&tool| tool.to_owned()).collect()),
        may_allow: builtin.may_allow,
        grants,
        ..unconfigured(builtin.name.to_owned(), Source::Builtin(builtin.name.to_owned()), layer)
    }
}

/// Creates an entry without any configuration.
#[must_use]
pub fn unconfigured(name: String, source: Source, layer: Layer) -> Entry {
    Entry {
        name,
        layer,
        project: String::new(),
        trusted: false,
        source,
        address: None,
        signer: None,
        refused: None,
        pinned: None,
        tools: None,
        settings: "{}".to_owned(),
        settings_source: SettingsSource::default(),
        on_error: Outcome::Ask,
        watched: false,
        may_allow: false,
        wasi: Wasi::Absent,
        limits: Limits::DEFAULT,
        grants: GrantSpec::default(),
    }
}
