//! Reads a policy's settings: from a table or a file to the JSON for `configure`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::folder::{Folder, FolderError, Modules, SETTINGS_BYTES};
use super::json;
use super::pins;
use super::problem::toml_problem;
use guard_contract::Layer;
use guard_contract::Problem;
use guard_state::files;
use guard_state::{AppDirs, FileState};

/// The contents of a settings file or folder.
pub(super) struct Settings {
    /// The JSON.
    pub(super) settings: String,
    /// The reason why the file's settings can't be used.
    pub(super) problem: Option<Problem>,
    /// Whether the file is missing.
    pub(super) is_missing: bool,
    /// The digest of the file or folder, or `None` if it is missing.
    pub(super) sha256: Option<String>,
    /// The file, or the folder with everything in it.
    pub(super) inputs: Vec<PathBuf>,
}

/// Reads a settings file or folder.
///
/// If it is missing or invalid, the result has the defaults and the problem. The caller decides what that means.
pub(super) fn read(layer: Layer, path: &Path, modules: Modules) -> Settings {
    let place = path.to_string_lossy();
    let broken = |text: String, hint: &str| {
        let problem = Problem { layer, place: place.clone().into_owned(), text, hint: hint.to_owned() };
        let (sha256, inputs) = (pins::digest(path), vec![path.to_path_buf()]);
        Settings { settings: "{}".to_owned(), problem: Some(problem), is_missing: false, sha256, inputs }
    };
    let state = FileState::read(path);
    if state == FileState::Missing {
        let missing = broken("there is no such file".to_owned(), "correct `settings-file`, or make the file");
        return Settings { is_missing: true, ..missing };
    }
    if let Some(text) = state.problem() {
        return broken(text, "correct or remove the file");
    }
    if path.is_dir() {
        let of_folder = |error: FolderError| {
            let FolderError { place, text, hint } = error;
            Problem { layer, place, text, hint: hint.to_owned() }
        };
        let folder = match Folder::read(path, modules) {
            Ok(folder) => folder,
            Err(error) => return Settings { problem: Some(of_folder(error)), ..broken(String::new(), "") },
        };
        let (settings, problem) = match folder.settings() {
            Ok(settings) => (settings.to_string(), None),
            Err(error) => ("{}".to_owned(), Some(of_folder(error))),
        };
        let sha256 = Some(folder.digest());
        return Settings { settings, problem, is_missing: false, sha256, inputs: folder.inputs };
    }
    let text = match files::read_text(path, SETTINGS_BYTES) {
        Ok(text) => text,
        // A file that isn't text is pinned by its bytes.
        Err(error) => return broken(error.to_string(), "make it a readable text of at most 1 MiB"),
    };
    let sha256 = Some(pins::digest_of(text.as_bytes()));
    let value = match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => json::object(&text).map_err(|(at, text)| {
            let place = format!("{place}:{at}");
            Problem { layer, place, text, hint: "write one JSON object, without comments".to_owned() }
        }),
        Some("toml") => toml::from_str::<toml::Table>(&text)
            .map_err(|error| toml_problem(layer, &place, &text, &error))
            .and_then(|table| {
                let problem = |text| Problem { layer, place: place.clone().into_owned(), text, hint: String::new() };
                table_to_json(table).map_err(problem)
            }),
        _ => Ok(json!({ "file": place, "text": text })),
    };
    match value {
        Ok(value) => Settings {
            settings: value.to_string(),
            problem: None,
            is_missing: false,
            sha256,
            inputs: vec![path.to_path_buf()],
        },
        Err(problem) => Settings { problem: Some(problem), sha256, ..broken(String::new(), "") },
    }
}

/// Returns the settings for an entry with this `settings-file`, including test modules.
///
/// # Errors
///
/// The file is missing or invalid.
pub fn read_settings(path: &Path) -> Result<Map<String, Value>, Problem> {
    let read = read(Layer::User, path, Modules::All);
    match read.problem {
        Some(problem) => Err(problem),
        None => Ok(serde_json::from_str(&read.settings).unwrap_or_default()),
    }
}

/// The files and folders that [`read_settings`] reads.
#[must_use]
pub fn files_of(path: &Path) -> Vec<PathBuf> {
    read(Layer::User, path, Modules::All).inputs
}

/// Converts a table to JSON.
pub(super) fn table_to_json(table: toml::Table) -> Result<Value, String> {
    serde_json::to_value(table).map_err(|error| error.to_string())
}

/// Adds the paths of this program's files to the settings as `places`, replacing that key.
pub(super) fn with_places(
    settings: &str,
    dirs: &AppDirs,
    others: [(&str, &Path); 3],
    lists: [(&str, &[PathBuf]); 3],
) -> String {
    let Ok(mut settings) = serde_json::from_str::<Map<String, Value>>(settings) else { return settings.to_owned() };
    let text = |path: &Path| Value::from(path.to_string_lossy());
    let named =
        [("config", dirs.config.as_path()), ("managed", &dirs.managed), ("state", &dirs.state), ("cache", &dirs.cache)];
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
        let dirs = AppDirs::under_home("/home/u");
        let told = |settings: &str| {
            let others = [("audit", "/log/a.jsonl"), ("sessions", ""), ("program", "/bin/guard-host")];
            let others = others.map(|(name, path)| (name, Path::new(path)));
            let (policies, registrations) = ([PathBuf::from("/p/a.wasm")], [PathBuf::from("/moved/hooks.json")]);
            let project = [PathBuf::from("/repo/rules.toml")];
            let lists: [(&str, &[PathBuf]); 3] =
                [("policies", &policies), ("project", &project), ("registrations", &registrations)];
            with_places(settings, &dirs, others, lists)
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
        assert_eq!(value["places"]["project"], json!(["/repo/rules.toml"]));
        assert_eq!(value["places"]["sessions"], "");
        assert_eq!(told("[]"), "[]");
    }
}
