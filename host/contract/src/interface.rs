//! [`Interface`]: a component's imports and exports, and how calls of the imports are resolved.

use serde::{Deserialize, Serialize};

use crate::Level;

/// The contract's packages. Calls of other imports trap.
const PACKAGES: [&str; 2] = ["guard:policy/", "guard:facts/"];

/// The package whose exports the host calls.
const CALLED: &str = "guard:policy/";

/// The only WASI interface that every guest gets, because the hash maps of Rust's standard library need it.
const SEED: &str = "wasi:random/insecure-seed@0.2.";

/// A component's imports and exports, by full name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// The imports.
    pub imports: Vec<String>,
    /// The exports.
    pub exports: Vec<String>,
}

/// How a call of an import is resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportResolution {
    /// The contract's function.
    Contract,
    /// Constant values.
    Fixed,
    /// A trap.
    Trap,
}

impl Interface {
    /// Returns how calls of the import of this name are resolved.
    #[must_use]
    pub fn answered(import: &str, wasi: Wasi) -> ImportResolution {
        match import {
            import if PACKAGES.iter().any(|package| import.starts_with(package)) => ImportResolution::Contract,
            import if import.starts_with(SEED) => ImportResolution::Fixed,
            import if wasi == Wasi::Frozen && is_wasi_answered(import) => ImportResolution::Fixed,
            _ => ImportResolution::Trap,
        }
    }

    /// Returns whether the host calls the export of this name.
    #[must_use]
    pub fn is_called(export: &str) -> bool {
        export.starts_with(CALLED)
    }

    /// Returns whether the component imports the analysis.
    #[must_use]
    pub fn wants_analysis(&self) -> bool {
        let analysis_imports = ["guard:policy/analysis@", "guard:facts/earlier@"];
        self.imports.iter().any(|import| analysis_imports.iter().any(|interface| import.starts_with(interface)))
    }

    /// Returns whether the component imports the session's history.
    #[must_use]
    pub fn wants_history(&self) -> bool {
        self.imports.iter().any(|import| import.starts_with("guard:facts/history@"))
    }
}

/// How calls of WASI are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wasi {
    /// A trap.
    #[default]
    Absent,
    /// Constant answers.
    Frozen,
}

/// The interfaces of a frozen WASI, in any version 0.2.
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

/// Returns whether a frozen WASI has this import, which may be followed by `#` and a function.
#[must_use]
pub fn is_wasi_answered(import: &str) -> bool {
    let interface = import.split_once('@').filter(|(_, version)| version.starts_with("0.2."));
    interface.is_some_and(|(name, _)| WASI_INTERFACES.contains(&name))
}

/// A line for one of a policy's journals.
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
    /// The level.
    pub level: Level,
    /// The text of the line.
    pub message: String,
}
