//! The configuration: from files to a chain of entries.
//!
//! Load order, which is also the order of the chain: the managed file, the user's file over a preset, the project's
//! file. Layers do not edit each other. In the user's layer an entry replaces the preset's entry of the same name; a
//! project's entries only come after, and can only tighten.

pub mod edit;
pub mod layers;
mod load;
pub mod options;
mod problem;
mod project;
mod settings;
pub mod trust;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use load::{load, locked};
pub(crate) use load::{of_builtin, unconfigured};
pub use options::{AuditLevel, BypassAsk, OnMalformed};
pub use problem::Problem;
pub(crate) use problem::{line_and_column, nearest_key};
pub use trust::Trust;

use crate::builtin;
use crate::policy::{Entry, Source};
use crate::session::Sessions;

/// A `guard.toml` to start from: every default, behind a mark.
pub const STARTER: &str = include_str!("config/starter.toml");

/// Where the files of this program lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The managed configuration.
    pub managed: PathBuf,
    /// The user's configuration.
    pub config: PathBuf,
    /// State: the key, the audit log, sessions.
    pub state: PathBuf,
    /// What can be made anew: artifacts and prepared chains.
    pub cache: PathBuf,
    /// The user's home directory; empty if there is none.
    pub home: String,
}

impl Places {
    /// The usual places below a home directory. No variable but the home itself moves them, so that a repository's
    /// settings cannot.
    #[must_use]
    pub fn below(home: &str) -> Self {
        let home_dir = Path::new(home);
        Places {
            managed: PathBuf::from("/etc/guard-host/guard.toml"),
            config: home_dir.join(".config/guard-host/guard.toml"),
            state: home_dir.join(".local/state/guard-host"),
            cache: home_dir.join(".cache/guard-host"),
            home: home.to_owned(),
        }
    }

    /// The flags that name these places, for another process of this program.
    #[must_use]
    pub fn arguments(&self) -> [(&'static str, &Path); 3] {
        [("--config", &self.config), ("--state", &self.state), ("--cache", &self.cache)]
    }

    /// The configuration file of a project.
    #[must_use]
    pub fn project_file(project_root: &str) -> PathBuf {
        Path::new(project_root).join(".guard/guard.toml")
    }
}

/// A resolved configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// The chain.
    pub entries: Vec<Entry>,
    /// What an unreadable payload gives.
    pub on_malformed: OnMalformed,
    /// What becomes of an ask when the harness skips prompts.
    pub bypass_ask: BypassAsk,
    /// The whole time of a hook call.
    pub deadline_ms: u32,
    /// The audit log.
    pub audit: Audit,
    /// Where sessions are kept.
    pub sessions: Sessions,
    /// Layers that were dropped.
    pub problems: Vec<Problem>,
    /// What deserves a word but changes no verdict.
    pub warnings: Vec<String>,
    /// How the files of the projects stand.
    pub projects: Vec<(PathBuf, Trust)>,
    /// The components and settings of policies that the managed layer and the user's name.
    pub named: Vec<PathBuf>,
    /// Every file that was looked at, also those that do not exist.
    pub inputs: Vec<PathBuf>,
}

impl Config {
    /// Tells the built-ins that want to know it where the files of this program lie.
    pub fn tell_places(&mut self, places: &Places, program: &Path) {
        let (registrations, folder) = crate::install::registered(&places.state);
        self.inputs.push(folder);
        for entry in &mut self.entries {
            let Source::Builtin(name) = &entry.source else { continue };
            if builtin::find(name).is_some_and(|builtin| builtin.places) {
                let own = [
                    ("audit", self.audit.path.as_path()),
                    ("sessions", self.sessions.file().unwrap_or(Path::new(""))),
                    ("program", program),
                ];
                let lists = [("policies", self.named.as_slice()), ("registrations", &registrations)];
                entry.settings = settings::with_places(&entry.settings, places, own, lists);
            }
        }
    }
}

/// The audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// Which calls are logged.
    pub level: AuditLevel,
    /// The log file.
    pub path: PathBuf,
    /// The size at which it is rotated.
    pub max_bytes: u64,
}
