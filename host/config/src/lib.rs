//! The configuration: from files to a chain of entries.
//!
//! The load order is also the order of the chain: the managed file, the user's file over a preset, the project's file.
//! In the user's layer an entry replaces the preset's entry of the same name. An entry can be switched off, and can stand
//! beside another one of its layer. A hook whose command line names a built-in policy has it, whatever the preset.
//!
//! # Invariants
//!
//! - Layers do not edit each other.
//! - If the managed file configures or locks a policy, no key of the user's file is milder than the default.
//! - A project's entries come last and can only tighten: their allow counts as abstain, and they get no grant outside
//!   of the project. A trusted project is free of these limits while its file, and every file that it names, has the
//!   digest that was pinned.
//! - A layer that cannot be read makes every verdict at least ask; the managed layer makes it deny.
//! - An edit adds or removes one entry by its place in the text. If the rest of the file would not mean the same
//!   afterwards, nothing is written.

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
pub use options::{AuditLevel, ConfineClass, Fallback, OnMalformed};
pub use overrides::Overrides;
pub use pins::Pins;
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

/// A `guard.toml` to start from: every default, behind a mark.
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
    /// The policies that the managed file lets nobody replace, or loosen.
    pub locked: Vec<String>,
    /// Whose signatures count for policies that are fetched.
    pub signers: Vec<Signer>,
    /// The signers of each layer that wants a signature of one of them on all components of users and projects.
    pub signed_only: Vec<Vec<Signer>>,
    /// The verdict for an unreadable payload.
    pub on_malformed: Option<OnMalformed>,
    /// The verdict in place of an ask when the harness skips prompts.
    pub bypass_ask: BypassAsk,
    /// How the files that a call runs are judged.
    pub scripts: Scripts,
    /// The classes of calls that run confined.
    pub confine: Vec<ConfineClass>,
    /// The whole time of a hook call.
    pub deadline_ms: u32,
    /// The audit log.
    pub audit: Audit,
    /// The size of the cache above which what no chain needs goes.
    pub cache_bytes: u64,
    /// Copies of what calls destroy.
    pub undo: Undo,
    /// Where sessions are kept.
    pub sessions: Sessions,
    /// The server that decides instead of the chain.
    pub remote: Option<Remote>,
    /// Layers that were dropped.
    pub problems: Vec<Problem>,
    /// Warnings, which change no verdict.
    pub warnings: Vec<Problem>,
    /// Entries of the user's and the projects' files that have no effect, because they would loosen policies of other files.
    pub ineffective: Vec<Problem>,
    /// The policies that the managed layer or the user switches off.
    pub disabled: Vec<String>,
    /// The policies that only the hook's command line names.
    pub added_policies: Vec<String>,
    /// How the files of the projects stand.
    pub projects: Vec<(PathBuf, Trust)>,
    /// The components and settings of policies that the managed layer and the user's name.
    pub named: Vec<PathBuf>,
    /// Every file that was looked at, also those that do not exist.
    pub inputs: Vec<PathBuf>,
}

impl Config {
    /// Returns whether this layer may loosen the asks and denies of the policy. No layer may loosen `self-protect`.
    #[must_use]
    pub fn may_loosen(&self, layer: Layer, entry: &Entry) -> bool {
        may_loosen(&self.locked, layer, entry)
    }

    /// Tells the built-ins that want to know it where the files of this program lie.
    pub fn tell_places(&mut self, dirs: &AppDirs, program: &Path) {
        let (registrations, folder) = guard_state::registrations::registered(&dirs.state);
        self.inputs.push(folder);
        for entry in &mut self.entries {
            let Source::Builtin(name) = &entry.source else { continue };
            if guard_builtins::find(name).is_some_and(|builtin| builtin.places) {
                let own = [
                    ("audit", self.audit.path.as_path()),
                    ("sessions", self.sessions.file().unwrap_or(Path::new(""))),
                    ("program", program),
                ];
                let lists = [("policies", self.named.as_slice()), ("registrations", &registrations)];
                entry.settings = settings::with_places(&entry.settings, dirs, own, lists);
            }
        }
    }
}

/// Copies of what calls destroy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Undo {
    /// They are made.
    pub enabled: bool,
    /// Patterns of files that are never copied.
    pub exclude: Vec<String>,
    /// The most bytes for one call.
    pub max_bytes: u64,
    /// How long a call waits, in milliseconds.
    pub max_ms: u32,
    /// A call runs with a warning if the only reason to ask is a loss that a copy restores whole.
    pub instead_of_ask: bool,
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
    /// The outcome of a call whose line cannot be written.
    pub on_error: Outcome,
    /// The folder of the key that seals its lines.
    pub state: PathBuf,
    /// The digest of the configuration and of its policies; empty until they are known.
    pub policies: String,
}
