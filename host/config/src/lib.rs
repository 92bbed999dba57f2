//! The configuration: reads files and builds a chain of entries.
//!
//! The chain's order is the load order: the managed file, the preset with the user's file, the project's file. In the
//! user's layer, an entry replaces the preset's entry of the same name. An entry can be disabled, or placed next to
//! another one of its layer. A built-in policy that is named on the hook's command line is in the chain with any
//! preset.
//!
//! # Invariants
//!
//! - Layers don't change each other.
//! - If the managed file configures or locks a policy, no key of the user's file can be milder than the default.
//! - A project's entries come last and can only tighten: their allow counts as abstain, and they get no grants outside
//!   the project. These limits don't apply to a trusted project as long as its file and every file that it names have
//!   the pinned digests.
//! - If a layer can't be read, every verdict is at least an ask. If the managed layer can't be read, it is a deny.
//! - An edit adds or removes one entry in the text. If it would change the meaning of the rest of the file, nothing is
//!   written.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

pub mod overrides;
mod builtin;
pub mod bundle;
pub mod edit;
mod entry;
mod folder;
mod json;
mod layer;
mod load;
pub mod lock;
mod loosening;
pub mod options;
mod order;
mod pins;
pub mod problem;
mod project;
pub mod remote;
mod settings;
pub mod signers;
mod tools;
pub mod trust;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use builtin::{builtin_entry, unconfigured};
pub use guard_contract::verdict::BypassAsk;
pub use load::{load, load_with};
pub use loosening::{OWN_PRESETS, is_void_allow};
pub use options::{AuditLevel, ConfineClass, Fallback, OnMalformed};
pub use overrides::Overrides;
pub use pins::{Pins, trust_command};
pub use problem::{line_and_column, nearest, refused_settings};
pub use project::{Candidate, candidate};
pub use remote::Remote;
pub use settings::{files_of, read_settings};
pub use signers::Signer;
pub use tools::check as check_tool;

use guard_contract::Layer;
use guard_contract::Outcome;
use guard_contract::Problem;
use guard_contract::allow::Allow;
use guard_contract::policy::{Entry, Source, may_loosen};
use guard_contract::readings::Arguments;
use guard_contract::scripts::Scripts;
use guard_state::AppDirs;
use guard_state::session::Sessions;
pub use trust::Trust;

/// A `guard.toml` to start from, with every default commented out.
pub const STARTER: &str = include_str!("starter.toml");

/// A resolved configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// The chain.
    pub entries: Vec<Entry>,
    /// The meanings of the arguments of unknown tools.
    pub tools: Vec<Arguments>,
    /// Rules for calls that may run without a prompt.
    pub allows: Vec<Allow>,
    /// The policies that only the managed file can replace or loosen.
    pub locked: Vec<String>,
    /// The trusted signers of fetched policies.
    pub signers: Vec<Signer>,
    /// For each layer that requires signatures on all components of users and projects, its signers.
    pub signed_only: Vec<Vec<Signer>>,
    /// The verdict for an unreadable payload.
    pub on_malformed: Option<OnMalformed>,
    /// The verdict in place of an ask when the harness skips prompts.
    pub bypass_ask: BypassAsk,
    /// How the files that a call runs are judged.
    pub scripts: Scripts,
    /// The classes of calls that run confined.
    pub confine: Vec<ConfineClass>,
    /// The time limit of a call in milliseconds.
    pub deadline_ms: u32,
    /// The audit log.
    pub audit: Audit,
    /// The size of the cache above which files that no chain needs are removed, in bytes.
    pub cache_bytes: u64,
    /// Copies of what calls destroy.
    pub undo: Undo,
    /// The location of the session files.
    pub sessions: Sessions,
    /// The server that decides instead of the chain.
    pub remote: Option<Remote>,
    /// The problems of layers that were discarded.
    pub problems: Vec<Problem>,
    /// Warnings, which don't change verdicts.
    pub warnings: Vec<Problem>,
    /// Entries of the user's and the projects' files that have no effect, because they would loosen policies of other files.
    pub ineffective: Vec<Problem>,
    /// The policies that the managed layer or the user disables.
    pub disabled: Vec<String>,
    /// The policies that only the hook's command line names.
    pub added_policies: Vec<String>,
    /// The trust in the projects' files.
    pub projects: Vec<(PathBuf, Trust)>,
    /// The component and settings files that the managed and the user's layer name.
    pub named: Vec<PathBuf>,
    /// The files and folders outside of `.guard` that the projects' files name or reach by a link.
    pub project_files: Vec<PathBuf>,
    /// Every file that was examined, including ones that don't exist.
    pub inputs: Vec<PathBuf>,
}

impl Config {
    /// Returns whether this layer may loosen the asks and denies of the policy. No layer may loosen `self-protect`.
    #[must_use]
    pub fn may_loosen(&self, layer: Layer, entry: &Entry) -> bool {
        may_loosen(&self.locked, layer, entry)
    }

    /// Adds the paths of this program's files to the settings of the built-in policies that need them.
    pub fn tell_places(&mut self, dirs: &AppDirs, program: &Path) {
        let (registrations, folder) = guard_state::registrations::list_registered(&dirs.state);
        self.inputs.push(folder);
        for entry in &mut self.entries {
            let Source::Builtin(name) = &entry.source else { continue };
            if guard_builtins::find(name).is_some_and(|builtin| builtin.places) {
                let own = [
                    ("audit", self.audit.path.as_path()),
                    ("sessions", self.sessions.file().unwrap_or(Path::new(""))),
                    ("program", program),
                ];
                let lists = [
                    ("policies", self.named.as_slice()),
                    ("project", self.project_files.as_slice()),
                    ("registrations", &registrations),
                ];
                entry.settings = settings::with_places(&entry.settings, dirs, own, lists);
            }
        }
    }
}

/// Copies of what calls destroy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Undo {
    /// Whether copies are made.
    pub enabled: bool,
    /// Patterns of files that are never copied.
    pub exclude: Vec<String>,
    /// The maximum number of bytes copied for one call.
    pub max_bytes: u64,
    /// The maximum time that a call waits, in milliseconds.
    pub max_ms: u32,
    /// Whether a call runs with a warning if the only reason to ask is a loss that a copy restores completely.
    pub instead_of_ask: bool,
}

/// The audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// Which calls are logged.
    pub level: AuditLevel,
    /// The log file.
    pub path: PathBuf,
    /// The size at which it is rotated, in bytes.
    pub max_bytes: u64,
    /// The outcome of a call whose line can't be written.
    pub on_error: Outcome,
    /// The socket of the journal that also gets the lines.
    pub journal: Option<PathBuf>,
    /// The folder with the key that seals its lines.
    pub state: PathBuf,
    /// The digest of the configuration and its policies. Empty until they are known.
    pub policies: String,
}
