//! [`Interface`]: what a component needs and offers, and what its calls of the host meet.

use serde::{Deserialize, Serialize};

use crate::Level;

/// The contract's packages; imports outside of them trap.
const PACKAGES: [&str; 2] = ["guard:policy/", "guard:facts/"];

/// The one whose exports are called.
const CALLED: &str = "guard:policy/";

/// The one WASI interface that every guest gets: the hash maps of Rust's library need it.
const SEED: &str = "wasi:random/insecure-seed@0.2.";

/// The imports and exports of a component, by full name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// The imports that the component needs of a host.
    pub imports: Vec<String>,
    /// The exports that the component offers.
    pub exports: Vec<String>,
}

/// The resolution of a call of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportResolution {
    /// The contract's function.
    Contract,
    /// Values that are always the same.
    Fixed,
    /// A trap.
    Trap,
}

impl Interface {
    /// Returns the resolution of a call of the import of that name.
    #[must_use]
    pub fn answered(import: &str, wasi: Wasi) -> ImportResolution {
        match import {
            import if PACKAGES.iter().any(|package| import.starts_with(package)) => ImportResolution::Contract,
            import if import.starts_with(SEED) => ImportResolution::Fixed,
            import if wasi == Wasi::Frozen && is_wasi_answered(import) => ImportResolution::Fixed,
            _ => ImportResolution::Trap,
        }
    }

    /// The host calls what the export of that name offers. Others are never called.
    #[must_use]
    pub fn is_called(export: &str) -> bool {
        export.starts_with(CALLED)
    }

    /// The component asks for the analysis of a call.
    #[must_use]
    pub fn wants_analysis(&self) -> bool {
        let told = ["guard:policy/analysis@", "guard:facts/earlier@"];
        self.imports.iter().any(|import| told.iter().any(|interface| import.starts_with(interface)))
    }

    /// The component asks what the session did before.
    #[must_use]
    pub fn wants_history(&self) -> bool {
        self.imports.iter().any(|import| import.starts_with("guard:facts/history@"))
    }
}

/// The resolution of calls of WASI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wasi {
    /// A trap.
    #[default]
    Absent,
    /// Answers that are always the same.
    Frozen,
}

/// The interfaces that a frozen WASI answers, of any version 0.2.
pub const WASI_INTERFACES: [&str; 18] = [
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:cli/terminal-stderr",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
];

/// A frozen WASI answers the calls of that import; it may be followed by `#` and a function.
#[must_use]
pub fn is_wasi_answered(import: &str) -> bool {
    let interface = import.split_once('@').filter(|(_, version)| version.starts_with("0.2."));
    interface.is_some_and(|(name, _)| WASI_INTERFACES.contains(&name))
}

/// A line that a policy wants in one of its journals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalLine {
    /// The stream's name.
    pub stream: String,
    /// The JSON object, without `ts`.
    pub object: String,
}

/// A line of a policy's trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    /// How much it matters.
    pub level: Level,
    /// The text of the line.
    pub message: String,
}
