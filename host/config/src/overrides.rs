//! [`Overrides`]: what a hook's own command line adds to the configuration.
//!
//! A hook that names a built-in policy has it, whatever the preset: such a registration takes the place of one script,
//! which brought its rules and its settings file with it.

use std::path::{Path, PathBuf};

/// Additions to the configuration from a hook's command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The policies that the hook asks; `None`: all of the chain.
    pub only: Option<Vec<String>>,
    /// A folder with settings files of built-in policies, which outranks where a preset looks for them.
    pub settings: Option<PathBuf>,
}

impl Overrides {
    /// The built-in policies that the hook names.
    pub fn builtins(&self) -> impl Iterator<Item = &str> {
        self.only.iter().flatten().map(String::as_str).filter(|name| guard_builtins::find(name).is_some())
    }

    /// Where a built-in's settings file is looked for.
    pub(super) fn place(&self, file: &str) -> Option<PathBuf> {
        Some(self.settings.as_ref()?.join(Path::new(file).file_name()?))
    }
}
