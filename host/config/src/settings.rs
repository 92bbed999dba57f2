//! The settings of a policy: from a table or a file to the JSON that `configure` is given.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::trust;
use guard_state::Places;
use guard_state::files;

/// The largest settings file that is read.
const SETTINGS_BYTES: u64 = 1 << 20;

/// A settings file that was read.
pub(super) struct Settings {
    /// The JSON.
    pub(super) settings: String,
    /// What is wrong with the file.
    pub(super) warning: Option<String>,
    /// The digest of what was read; none if there was nothing to read.
    pub(super) sha256: Option<String>,
}

/// Reads a settings file.
///
/// A file that is missing gives the defaults, and so does one that cannot be used, with a warning.
pub(super) fn read(path: &Path) -> Settings {
    let defaults = |warning| Settings { settings: "{}".to_owned(), warning, sha256: None };
    let warning = |error: String| Some(format!("{}: {error}; the defaults hold", path.display()));
    let text = match files::read_text(path, SETTINGS_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return defaults(None),
        // What cannot be read as text is pinned by its bytes.
        Err(error) => return Settings { sha256: trust::digest(path), ..defaults(warning(error.to_string())) },
    };
    let sha256 = Some(trust::digest_of(text.as_bytes()));
    let value = match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => serde_json::from_str::<Map<String, Value>>(&text).map(Value::Object).map_err(|e| e.to_string()),
        Some("toml") => toml::from_str::<toml::Table>(&text).map_err(|e| e.message().to_owned()).and_then(of_table),
        _ => Ok(json!({ "file": path.to_string_lossy(), "text": text })),
    };
    match value {
        Ok(value) => Settings { settings: value.to_string(), warning: None, sha256 },
        Err(error) => Settings { sha256, ..defaults(warning(error)) },
    }
}

/// The JSON of a table.
pub(super) fn of_table(table: toml::Table) -> Result<Value, String> {
    serde_json::to_value(table).map_err(|error| error.to_string())
}

/// Settings that also say, under `places`, where the files of this program lie. Whatever stood there is replaced.
pub(super) fn with_places(
    settings: &str,
    places: &Places,
    others: [(&str, &Path); 3],
    lists: [(&str, &[PathBuf]); 2],
) -> String {
    let Ok(mut settings) = serde_json::from_str::<Map<String, Value>>(settings) else { return settings.to_owned() };
    let text = |path: &Path| Value::from(path.to_string_lossy());
    let named = [
        ("config", places.config.as_path()),
        ("managed", &places.managed),
        ("state", &places.state),
        ("cache", &places.cache),
    ];
    let named = named.into_iter().chain(others).map(|(name, path)| (name.to_owned(), text(path)));
    let lists = lists.map(|(name, paths)| (name.to_owned(), paths.iter().map(|path| text(path)).collect()));
    settings.insert("places".to_owned(), Value::Object(named.chain(lists).collect()));
    Value::Object(settings).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_added_and_outrank_what_was_written() {
        let places = Places::below("/home/u");
        let told = |settings: &str| {
            let others = [("audit", "/log/a.jsonl"), ("sessions", ""), ("program", "/bin/guard-host")];
            let others = others.map(|(name, path)| (name, Path::new(path)));
            let (policies, registrations) = ([PathBuf::from("/p/a.wasm")], [PathBuf::from("/moved/hooks.json")]);
            with_places(settings, &places, others, [("policies", &policies), ("registrations", &registrations)])
        };
        let text = told(r#"{"places":{"config":"/nowhere"},"x":1}"#);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["x"], 1);
        assert_eq!(value["places"]["registrations"], json!(["/moved/hooks.json"]));
        assert_eq!(value["places"]["config"], "/home/u/.config/guard-host/guard.toml");
        assert_eq!(value["places"]["state"], "/home/u/.local/state/guard-host");
        assert_eq!(value["places"]["audit"], "/log/a.jsonl");
        assert_eq!(value["places"]["program"], "/bin/guard-host");
        assert_eq!(value["places"]["policies"], json!(["/p/a.wasm"]));
        assert_eq!(value["places"]["sessions"], "");
        assert_eq!(told("[]"), "[]");
    }
}
