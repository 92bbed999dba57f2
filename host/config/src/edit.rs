//! Edits a `guard.toml`: adds or removes an entry, without changing any other byte.
//!
//! Only works on text. The result is parsed again, and its meaning may only differ in the one entry.

pub mod allow;
mod list;
pub mod place;
#[cfg(test)]
mod tests;
mod undo;

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::layer::{LayerChain, entries};
use super::pins::TrustLevel;
use super::problem::toml_problem;
use guard_contract::Layer;
use guard_contract::Problem;
use guard_contract::exit::Exit;
use guard_contract::grants::GrantSpec;
use guard_contract::policy::{Entry, Source};
use guard_state::AppDirs;
use place::{Entries, PlacementError};

/// The key of the entries.
const POLICY: &str = "policy";

/// A `[[policy]]` to write.
#[derive(Debug, Clone, Default)]
pub struct Addition {
    /// Its name.
    pub name: String,
    /// The component's file, or `builtin:NAME`.
    pub source: String,
    /// The required digest of the component.
    pub sha256: Option<String>,
    /// The tools to which it is limited, or `None` for all tools in its manifest.
    pub tools: Option<Vec<String>>,
    /// Its settings.
    pub settings: Option<Table>,
    /// The file of its settings.
    pub settings_file: Option<String>,
    /// The outcome when the policy fails, or `None` for the default.
    pub on_error: Option<&'static str>,
    /// The WASI setting of the policy, or `None` for the default.
    pub wasi: Option<&'static str>,
    /// The policy's grants, or `None` for the default.
    pub grants: Option<GrantSpec>,
    /// The keys kept from the entry that it replaces.
    pub kept: Table,
}

impl Addition {
    /// Keeps the keys of the replaced entry that it doesn't set itself. Returns these keys.
    pub fn keep(&mut self, replaced: Table) -> Vec<String> {
        let given = self.table().and_then(|table| table.as_table().cloned()).unwrap_or_default();
        let is_given = |key: &str| match key {
            // The component's source and digest are replaced.
            "name" | "source" | "sha256" => true,
            "settings" | "settings-file" => given.contains_key("settings") || given.contains_key("settings-file"),
            _ => given.contains_key(key),
        };
        let mut kept: Table = replaced.into_iter().filter(|(key, _)| !is_given(key)).collect();
        let keys = kept.keys().cloned().collect();
        self.grants = kept.remove("grants").and_then(|grants| grants.try_into().ok()).or(self.grants.take());
        self.kept = kept;
        keys
    }
}

/// The file to edit.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The file's layer.
    pub layer: Layer,
    /// The file's path.
    pub file: &'a Path,
    /// The user's home directory.
    pub home: &'a str,
}

/// A text to which an entry was added.
#[derive(Debug)]
pub struct EditedText {
    /// The text.
    pub text: String,
    /// The entry, as read from the text.
    pub entry: Entry,
    /// Warnings about the file.
    pub warnings: Vec<Problem>,
}

/// The reason why a file wasn't edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file is invalid.
    #[error("{0}")]
    Broken(Problem),
    /// The file already has an entry of this name.
    #[error("`{0}` has a policy `{1}` already")]
    Exists(PathBuf, String),
    /// The file has no entry of this name, but these.
    #[error("`{0}` has no policy `{1}`")]
    Missing(PathBuf, String, Vec<String>),
    /// The entries have a form that can't be edited.
    #[error("`{0}`: {1}")]
    Form(PathBuf, #[source] PlacementError),
    /// The file would be invalid with the new entry.
    #[error("{0}")]
    Unfit(Problem),
}

impl EditError {
    /// Returns the hint that resolves the problem.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            EditError::Broken(problem) => format!("nothing was changed; {}", problem.hint),
            EditError::Exists(..) => "give `--replace`, or another `--name`".to_owned(),
            EditError::Missing(_, _, names) if names.is_empty() => "it has no `[[policy]]` entries".to_owned(),
            EditError::Missing(_, _, names) => format!("it has: {}", names.join(", ")),
            EditError::Form(..) => "nothing was changed; edit the file by hand".to_owned(),
            EditError::Unfit(problem) => problem.hint.clone(),
        }
    }

    /// Returns the exit code for a command that fails with this error.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            EditError::Broken(_) | EditError::Form(..) => Exit::Config,
            EditError::Exists(..) | EditError::Unfit(_) => Exit::Usage,
            EditError::Missing(..) => Exit::NoInput,
        }
    }
}

impl Target<'_> {
    /// Adds the entry to the text: at the end or, with `replace`, instead of the entry of the same name.
    ///
    /// # Errors
    ///
    /// [`EditError`] has the reasons.
    pub fn add(&self, text: Option<&str>, addition: &Addition, replace: bool) -> Result<EditedText, EditError> {
        let before = text.unwrap_or_default();
        let limits = self.trust_level(before)?;
        let entries =
            Entries::parse(before, POLICY).map_err(|error| EditError::Form(self.file.to_path_buf(), error))?;
        let there = entries.position(&addition.name);
        let block = addition.block(if before.contains("\r\n") { "\r\n" } else { "\n" });
        let after = match there {
            Some(_) if !replace => return Err(EditError::Exists(self.file.to_path_buf(), addition.name.clone())),
            Some(index) => entries.replace(index, &block),
            None => entries.append(text, &block),
        };
        let chain = self.read(&after, limits).map_err(EditError::Unfit)?;
        let mut wanted = self.table(before)?;
        let wanted_entries = wanted.entry(POLICY).or_insert_with(|| Value::Array(Vec::new())).as_array_mut();
        if let (Some(list), Some(new)) = (wanted_entries, addition.table()) {
            match there.and_then(|index| list.get_mut(index)) {
                Some(old) => *old = new,
                None => list.push(new),
            }
        }
        self.compare(&wanted, &after)?;
        let warnings = chain.warnings;
        let entry = chain.entries.into_iter().find(|entry| entry.name == addition.name);
        let entry = entry.ok_or_else(|| EditError::Form(self.file.to_path_buf(), PlacementError::Unsafe))?;
        Ok(EditedText { text: after, entry, warnings })
    }

    /// Removes the entry of this name from the text. `None` if nothing else is in the file.
    ///
    /// # Errors
    ///
    /// [`EditError`] has the reasons.
    pub fn remove(&self, text: Option<&str>, name: &str) -> Result<Option<String>, EditError> {
        let before = text.unwrap_or_default();
        self.trust_level(before)?;
        let entries =
            Entries::parse(before, POLICY).map_err(|error| EditError::Form(self.file.to_path_buf(), error))?;
        let Some(index) = entries.position(name) else {
            return Err(EditError::Missing(self.file.to_path_buf(), name.to_owned(), entries.names()));
        };
        let after = entries.remove(index);
        let mut wanted = self.table(before)?;
        if let Some(list) = wanted.get_mut(POLICY).and_then(Value::as_array_mut) {
            list.remove(index);
            if list.is_empty() {
                wanted.remove(POLICY);
            }
        }
        self.compare(&wanted, after.as_deref().unwrap_or_default())?;
        Ok(after)
    }

    /// Returns the names of the entries in a text.
    ///
    /// # Errors
    ///
    /// The file is invalid.
    pub fn names(&self, text: &str) -> Result<Vec<String>, EditError> {
        let chain = self.read(text, TrustLevel::Candidate).map_err(EditError::Broken)?;
        Ok(chain.entries.into_iter().map(|entry| entry.name).collect())
    }

    /// Finds the entry in a text by name or, without one, by source.
    ///
    /// # Errors
    ///
    /// The file is invalid.
    pub fn written(
        &self,
        text: &str,
        name: Option<&str>,
        source: &Source,
    ) -> Result<Option<(Entry, Table)>, EditError> {
        let chain = self.read(text, TrustLevel::Candidate).map_err(EditError::Broken)?;
        let is_meant = |entry: &Entry| name.map_or(entry.source == *source, |name| entry.name == name);
        let Some(entry) = chain.entries.into_iter().find(is_meant) else { return Ok(None) };
        let mut table = self.table(text)?;
        let list = match table.remove(POLICY) {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        };
        let named = |value: &Value| value.get("name").and_then(Value::as_str) == Some(&entry.name);
        let own = list.into_iter().find(named);
        Ok(own.and_then(|own| Some((entry, own.as_table()?.clone()))))
    }

    /// Returns the entry as it would be read from a file without others.
    ///
    /// # Errors
    ///
    /// The entry would make the layer invalid.
    pub fn entry(&self, addition: &Addition) -> Result<Entry, Problem> {
        let mut entries = self.read(&addition.block("\n"), TrustLevel::Candidate)?.entries;
        entries.pop().ok_or_else(|| Problem {
            layer: self.layer,
            place: String::new(),
            text: "it holds no entry".to_owned(),
            hint: String::new(),
        })
    }

    fn read(&self, text: &str, trust_level: TrustLevel<'_>) -> Result<LayerChain, Problem> {
        entries(self.layer, self.file, self.home, text, trust_level)
    }

    /// Returns the trust level for checking the file: a file within its layer's limits must stay within them. One that
    /// needs trust may continue to.
    fn trust_level(&self, text: &str) -> Result<TrustLevel<'static>, EditError> {
        match self.read(text, TrustLevel::OfLayer) {
            Ok(_) => Ok(TrustLevel::OfLayer),
            Err(_) => self.read(text, TrustLevel::Candidate).map(|_| TrustLevel::Candidate).map_err(EditError::Broken),
        }
    }

    fn table(&self, text: &str) -> Result<Table, EditError> {
        let name = self.file.to_string_lossy();
        toml::from_str(text).map_err(|error| EditError::Broken(toml_problem(self.layer, &name, text, &error)))
    }

    /// Checks that the text means what is wanted and nothing else.
    fn compare(&self, wanted: &Table, text: &str) -> Result<(), EditError> {
        match toml::from_str::<Table>(text) {
            Ok(table) if table == *wanted => Ok(()),
            _ => Err(EditError::Form(self.file.to_path_buf(), PlacementError::Unsafe)),
        }
    }
}

impl Addition {
    /// Formats the entry, with each line ended by `newline`.
    fn block(&self, newline: &str) -> String {
        let mut lines = vec!["[[policy]]".to_owned()];
        let mut line = |key: &str, value: Option<Value>| {
            lines.extend(value.map(|value| format!("{key} = {value}")));
        };
        line("name", Some(self.name.as_str().into()));
        line("source", Some(self.source.as_str().into()));
        line("sha256", self.sha256.as_deref().map(Value::from));
        line("tools", self.tools.clone().map(Value::from));
        line("settings", self.settings.clone().map(Value::from));
        line("settings-file", self.settings_file.as_deref().map(Value::from));
        line("on-error", self.on_error.map(Value::from));
        line("wasi", self.wasi.map(Value::from));
        for (key, value) in &self.kept {
            line(key, Some(value.clone()));
        }
        if let Some(grants) = self.grants.as_ref().and_then(|grants| Table::try_from(grants).ok()) {
            lines.push("[policy.grants]".to_owned());
            let is_given = |value: &Value| match value {
                Value::Array(list) => !list.is_empty(),
                Value::Table(table) => !table.is_empty(),
                _ => true,
            };
            lines.extend(
                grants.iter().filter(|(_, value)| is_given(value)).map(|(key, value)| format!("{key} = {value}")),
            );
        }
        lines.into_iter().flat_map(|line| [line, newline.to_owned()]).collect()
    }

    /// Returns the entry as a TOML table.
    fn table(&self) -> Option<Value> {
        let text: Table = toml::from_str(&self.block("\n")).ok()?;
        text.get(POLICY)?.as_array()?.first().cloned()
    }

    /// Returns the path of a component for an entry: absolute or, in a project's file, relative to that file. `None` if
    /// it is outside the project.
    #[must_use]
    pub fn path(layer: Layer, root: &str, path: &str) -> Option<String> {
        if layer != Layer::Project {
            return Some(path.to_owned());
        }
        let inside = Path::new(path).strip_prefix(root).ok()?;
        let below = inside.strip_prefix(AppDirs::project_file("").parent()?).map(Path::to_path_buf);
        Some(below.unwrap_or_else(|_| Path::new("..").join(inside)).to_string_lossy().into_owned())
    }
}
