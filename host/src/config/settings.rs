//! The settings of a policy: from a table or a file to the JSON that `configure` is given.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::Places;

/// The largest settings file that is read.
const SETTINGS_BYTES: u64 = 1 << 20;

/// The JSON of a settings file, and what is wrong with it.
///
/// A file that is missing gives the defaults, and so does one that cannot be used, with a warning.
pub(super) fn read(path: &Path) -> (String, Option<String>) {
    let defaults = || "{}".to_owned();
    let text = match read_text(path) {
        Ok(Some(text)) => text,
        Ok(None) => return (defaults(), None),
        Err(error) => return (defaults(), Some(format!("{}: {error}; the defaults hold", path.display()))),
    };
    let value = match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => serde_json::from_str::<Map<String, Value>>(&text).map(Value::Object).map_err(|e| e.to_string()),
        Some("toml") => toml::from_str::<toml::Table>(&text).map_err(|e| e.message().to_owned()).and_then(of_table),
        _ => Ok(json!({ "file": path.to_string_lossy(), "text": text })),
    };
    match value {
        Ok(value) => (value.to_string(), None),
        Err(error) => (defaults(), Some(format!("{}: {error}; the defaults hold", path.display()))),
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
    audit: &Path,
    program: &Path,
    policies: &[PathBuf],
) -> String {
    let Ok(mut settings) = serde_json::from_str::<Map<String, Value>>(settings) else { return settings.to_owned() };
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let value = json!({
        "config": text(&places.config),
        "managed": text(&places.managed),
        "state": text(&places.state),
        "cache": text(&places.cache),
        "audit": text(audit),
        "program": text(program),
        "policies": policies.iter().map(|path| text(path)).collect::<Vec<_>>(),
    });
    settings.insert("places".to_owned(), value);
    Value::Object(settings).to_string()
}

fn read_text(path: &Path) -> Result<Option<String>, String> {
    match fs::metadata(path) {
        // A pipe would be waited for.
        Ok(data) if !data.is_file() => return Err("it is not a file".to_owned()),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    }
    let mut text = String::new();
    let read = fs::File::open(path).and_then(|file| file.take(SETTINGS_BYTES + 1).read_to_string(&mut text));
    match read {
        Ok(_) if text.len() as u64 > SETTINGS_BYTES => Err("larger than 1 MiB".to_owned()),
        Ok(_) => Ok(Some(text)),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_added_and_outrank_what_was_written() {
        let places = Places::below("/home/u");
        let told = |settings: &str| {
            let policies = [PathBuf::from("/p/a.wasm")];
            let text =
                with_places(settings, &places, Path::new("/log/a.jsonl"), Path::new("/bin/guard-host"), &policies);
            serde_json::from_str::<Value>(&text).unwrap()
        };
        let value = told(r#"{"places":{"config":"/nowhere"},"x":1}"#);
        assert_eq!(value["x"], 1);
        assert_eq!(value["places"]["config"], "/home/u/.config/guard-host/guard.toml");
        assert_eq!(value["places"]["state"], "/home/u/.local/state/guard-host");
        assert_eq!(value["places"]["audit"], "/log/a.jsonl");
        assert_eq!(value["places"]["program"], "/bin/guard-host");
        assert_eq!(value["places"]["policies"], json!(["/p/a.wasm"]));
        assert_eq!(with_places("[]", &places, Path::new("/a"), Path::new("/b"), &[]), "[]");
    }
}
