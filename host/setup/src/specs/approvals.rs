//! Codex, Hermes Agent and OpenClaw skip a hook until a person approves it there. They record approvals in their own
//! files.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::RegistrationSpec;
use crate::command::{ProgramNames, is_ours};
use crate::install::HookLocation;
use crate::install::json::{Document, Syntax};

/// The steps to approve the hook in Codex.
const IN_CODEX: &str = "start Codex in this folder, type `/hooks`, choose the hook and press `t`";

/// The steps to approve the hook in Hermes Agent.
const IN_HERMES: &str = "start `hermes` in a terminal and consent to the hook";

/// The steps to load the plugin in OpenClaw.
const IN_OPENCLAW: &str = "run `openclaw plugins enable guard-host`, and restart the Gateway";

/// The file with Codex's approvals.
const NOTES_OF_CODEX: &str = "~/.codex/config.toml";

/// The file with Hermes Agent's approvals.
const NOTES_OF_HERMES: &str = "~/.hermes/shell-hooks-allowlist.json";

/// The file with OpenClaw's enabled plugins.
const NOTES_OF_OPENCLAW: &str = "~/.openclaw/openclaw.json";

/// Returns the steps for a person if the file has a hook of this program that isn't approved. `None` if there is
/// nothing to do.
pub(super) fn missing(
    spec: &RegistrationSpec,
    site: HookLocation<'_>,
    file: &Path,
    value: &Value,
    names: &ProgramNames,
) -> Option<&'static str> {
    match spec.capabilities.name {
        "codex" => is_missing_in_codex(spec, site, file, value, names).then_some(IN_CODEX),
        "hermes" => is_missing_in_hermes(spec, site, value, names).then_some(IN_HERMES),
        "openclaw" => is_missing_in_openclaw(spec, site).then_some(IN_OPENCLAW),
        _ => None,
    }
}

/// OpenClaw only loads a plugin from its extensions folder if its settings name the plugin.
fn is_missing_in_openclaw(spec: &RegistrationSpec, site: HookLocation<'_>) -> bool {
    let elsewhere = site.environment.variables.get("OPENCLAW_CONFIG_PATH").map(PathBuf::from);
    let notes = fs::read_to_string(elsewhere.unwrap_or_else(|| spec.place(NOTES_OF_OPENCLAW, site)));
    let notes = notes.unwrap_or_default();
    let notes = Document::parse(&notes, Syntax::Comments).map(|document| document.value(&document.root));
    let plugins = notes.ok().and_then(|notes| notes.get("plugins").cloned()).unwrap_or_default();
    let is_enabled = plugins.pointer("/entries/guard-host/enabled") == Some(&Value::Bool(true));
    let allowed = plugins.get("allow").and_then(Value::as_array);
    !is_enabled && !allowed.is_some_and(|names| names.iter().any(|name| name == "guard-host"))
}

/// Hermes Agent records the event and command of each approved hook. A setting can approve all.
fn is_missing_in_hermes(spec: &RegistrationSpec, site: HookLocation<'_>, value: &Value, names: &ProgramNames) -> bool {
    let is_word = |text: &str| matches!(text.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on");
    let set = value.get("hooks_auto_accept");
    let accepts_all = set == Some(&Value::Bool(true))
        || set.and_then(Value::as_str).is_some_and(is_word)
        || site.environment.variables.get("HERMES_ACCEPT_HOOKS").is_some_and(|text| is_word(text));
    if accepts_all {
        return false;
    }
    let notes = fs::read_to_string(spec.place(NOTES_OF_HERMES, site)).unwrap_or_default();
    let notes: Value = serde_json::from_str(&notes).unwrap_or_default();
    let noted = notes.get("approvals").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let command = |entry: &Value| entry.get("command").and_then(Value::as_str).map(|text| text.trim().to_owned());
    let is_approved = |event: &str, hook: &Value| {
        noted
            .iter()
            .any(|note| note.get("event").and_then(Value::as_str) == Some(event) && command(note) == command(hook))
    };
    let events = value.get("hooks").and_then(Value::as_object).into_iter().flatten();
    let mut own = events.flat_map(|(event, hooks)| {
        let hooks = hooks.as_array().into_iter().flatten();
        hooks.filter(|hook| is_ours(hook, names)).map(move |hook| (event, hook))
    });
    own.any(|(event, hook)| !is_approved(event, hook))
}

/// Only checks that an approval exists. Whether it is for the current entry is unknown, because Codex's digest isn't
/// documented.
fn is_missing_in_codex(
    spec: &RegistrationSpec,
    site: HookLocation<'_>,
    file: &Path,
    value: &Value,
    names: &ProgramNames,
) -> bool {
    let notes = fs::read_to_string(spec.place(NOTES_OF_CODEX, site)).unwrap_or_default();
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

/// Converts `PreToolUse` to `pre_tool_use`.
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
