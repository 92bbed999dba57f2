//! [`AppDirs`]: the paths of this program's files.

use std::path::{Path, PathBuf};

use guard_platform::account;
use guard_platform::paths::{native, under};

/// The paths of this program's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppDirs {
    /// The managed configuration.
    pub managed: PathBuf,
    /// The user's configuration.
    pub config: PathBuf,
    /// State: the key, the audit log, sessions.
    pub state: PathBuf,
    /// The state folder that records which projects are trusted.
    pub trust: PathBuf,
    /// Files that can be rebuilt: artifacts and prepared chains.
    pub cache: PathBuf,
    /// The user's home directory; empty if unknown.
    pub home: String,
}

impl AppDirs {
    /// Returns the default paths below a home directory. No environment variable except the home itself changes them,
    /// so a repository's settings can't.
    #[must_use]
    pub fn under_home(home: &str) -> Self {
        let home_dir = native(home);
        AppDirs {
            managed: under(&account::settings_of_machine(), "guard-host/guard.toml"),
            config: under(&home_dir, ".config/guard-host/guard.toml"),
            state: under(&home_dir, ".local/state/guard-host"),
            trust: under(&home_dir, ".local/state/guard-host"),
            cache: under(&home_dir, ".cache/guard-host"),
            home: home.to_owned(),
        }
    }

    /// The folder of the machine's settings, `/etc`. The managed configuration has its own folder in it.
    #[must_use]
    pub fn machine(&self) -> &Path {
        self.managed.ancestors().nth(2).unwrap_or(Path::new("/etc"))
    }

    /// The command-line flags for these paths, for another process of this program.
    #[must_use]
    pub fn arguments(&self) -> [(&'static str, &Path); 3] {
        [("--config", &self.config), ("--state", &self.state), ("--cache", &self.cache)]
    }

    /// The configuration file of a project.
    #[must_use]
    pub fn project_file(project_root: &str) -> PathBuf {
        under(&native(project_root), ".guard/guard.toml")
    }
}
