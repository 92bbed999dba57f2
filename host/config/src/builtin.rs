//! Entries of the policies that the program carries.

use guard_builtins::Builtin;
use guard_contract::grants::GrantSpec;
use guard_contract::policy::{Entry, SettingsSource, Source};
use guard_contract::{Layer, Limits, Outcome, Wasi};

use super::options::Preset;

/// The built-ins of a preset.
pub(super) fn preset_entries(preset: Preset, layer: Layer, watched: bool) -> Vec<Entry> {
    let members = guard_builtins::all().iter().filter(|builtin| builtin.presets.contains(&preset.name()));
    members.map(|builtin| Entry { watched, ..of_builtin(builtin, layer) }).collect()
}

/// The entry of a built-in with its default settings and grants.
#[must_use]
pub fn of_builtin(builtin: &Builtin, layer: Layer) -> Entry {
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

/// An entry of which no configuration says anything.
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
