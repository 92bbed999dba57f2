//! [`FaultKind`]: the ways in which a guest can fail.

use serde::{Deserialize, Serialize};

use crate::interface::is_wasi_answered;
use crate::limits::{Limits, STACK_BYTES};

/// Returns the hint for providing the import that a guest needs, or an empty text if there is no way to do so.
fn import_hint(import: &str) -> &'static str {
    if is_wasi_answered(import) {
        "; `wasi = \"frozen\"` in its entry of guard.toml gives it a WASI that stands still"
    } else {
        ""
    }
}

/// The reason why a guest gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum FaultKind {
    /// It exceeded its time limit.
    #[error("it took longer than its time limit")]
    Time,
    /// It exceeded its memory limit.
    #[error("it wanted more memory than its limit")]
    Memory,
    /// It recursed too deeply.
    #[error("it ran out of stack")]
    Stack,
    /// It trapped. The text is its last log line, or wasmtime's description of the trap.
    #[error("it trapped: {0}")]
    Trap(String),
    /// It called a function that the host doesn't provide.
    #[error("it called `{0}`, which no policy may call{way}", way = import_hint(.0))]
    ForeignImport(String),
    /// Its settings can't be read.
    #[error("its settings cannot be used: {0}")]
    Settings(String),
    /// It returned an error.
    #[error("its `{function}` failed: {text}")]
    Refused {
        /// The exported function.
        function: String,
        /// The guest's text.
        text: String,
    },
    /// Its answer violates the contract.
    #[error("its answer breaks the contract: {0}")]
    BadAnswer(String),
    /// It doesn't export the contract's interface in a version that this host supports.
    #[error("it does not fit the contract guard:policy@0.1.0: {0}")]
    Contract(String),
    /// It hasn't been compiled yet.
    #[error("it is not compiled yet")]
    NotReady,
    /// Its artifact is missing or can't be used.
    #[error("its compiled artifact cannot be used: {0}")]
    Artifact(String),
    /// The system has no memory for an instance. The guest didn't run.
    #[error("the machine cannot start it now: {0}")]
    NoRoom(String),
    /// Its component file is missing, too large, or can't be read.
    #[error("its component cannot be read: {0}")]
    Component(String),
    /// The configuration forbids it, or it hasn't been fetched yet.
    #[error("it is not used: {text}")]
    Unused {
        /// The reason.
        text: String,
        /// The hint that resolves the problem.
        hint: String,
    },
    /// It fails its own examples.
    #[error("it fails its own example {0}")]
    Example(String),
}

impl FaultKind {
    /// Creates the fault for an error that the guest returned. The text is cut to 1,000 bytes.
    #[must_use]
    pub fn refused(function: &str, text: &str) -> Self {
        let end = text.floor_char_boundary(text.len().min(1000));
        FaultKind::Refused { function: function.to_owned(), text: text.get(..end).unwrap_or_default().to_owned() }
    }

    /// Returns whether the guest rejected its settings.
    #[must_use]
    pub fn is_refused_settings(&self) -> bool {
        matches!(self, FaultKind::Refused { function, .. } if function == "configure")
    }

    /// Returns the remedy, if it does not depend on the caller.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        match self {
            FaultKind::Unused { hint, .. } => Some(hint.clone()),
            FaultKind::NoRoom(_) => Some(
                "free memory or raise the limits of the process (each guest reserves 4 GiB of addresses: `ulimit -v`), \
                 and try again"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// Returns whether the cause is the machine and not the guest, so that a later attempt may succeed.
    #[must_use]
    pub fn is_of_machine(&self) -> bool {
        matches!(self, FaultKind::Artifact(_) | FaultKind::NoRoom(_))
    }

    /// Describes the fault, with the limit that was exceeded, if any.
    #[must_use]
    pub fn under(&self, limits: Limits) -> String {
        match self {
            FaultKind::Time => format!("{self} of {} ms", limits.time_ms),
            FaultKind::Memory => format!("{self} of {} MiB", limits.memory_mib),
            FaultKind::Stack => format!("{self}, of which it has {} KiB", STACK_BYTES >> 10),
            _ => self.to_string(),
        }
    }
}
