//! Parses tables of cases: commands, and all their effects.
//!
//! A case lists all effects in order, as `operation target`. After ` ; `, details follow that must apply: a severity, a
//! tag, `tag=value`, `uncertain`, or `raw=path`. An empty list means that the command has no relevant effects.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// One command, or several with the same effects.
    pub(crate) command: OneOrMany,
    pub(crate) effects: Vec<String>,
    /// `language text` of every script, if given.
    pub(crate) scripts: Option<Vec<String>>,
    /// Whether the analysis is partial, if given.
    pub(crate) partial: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl Case {
    pub(crate) fn commands(&self) -> &[String] {
        match &self.command {
            OneOrMany::One(command) => std::slice::from_ref(command),
            OneOrMany::Many(commands) => commands,
        }
    }
}

/// Returns every TOML file of a folder of this crate, sorted by name.
pub(crate) fn read<T: DeserializeOwned>(folder: &str) -> Vec<(String, T)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let read = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let table = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.file_name().unwrap().to_string_lossy().into_owned(), table)
    };
    paths.iter().map(read).collect()
}
