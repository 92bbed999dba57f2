//! [`Overrides`]: additions to the configuration from a hook's command line.
//!
//! A built-in policy that is named there is in the chain with any preset, because such a registration replaces a script
//! with its own rules and settings file.

use std::path::{Path, PathBuf};

/// Additions to the configuration from a hook's command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The names of the policies to ask, or `None` for the whole chain.
    pub only: Option<Vec<String>>,
    /// A folder with settings files of built-in policies, which takes precedence over the default folder.
    pub settings: Option<PathBuf>,
}

impl Overrides {
    /// Returns the built-in policies that the hook names.
    pub fn builtins(&self) -> impl Iterator<Item = &str> {
        self.only.iter().flatten().map(String::as_str).filter(|name| guard_builtins::find(name).is_some())
    }

    /// Returns the path of a built-in policy's settings file.
    pub(super) fn place(&self, file: &str) -> Option<PathBuf> {
        Some(self.settings.as_ref()?.join(Path::new(file).file_name()?))
    }
}
