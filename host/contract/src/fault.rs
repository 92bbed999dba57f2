//! [`FaultKind`]: the ways in which a guest fails.

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

/// Why a guest gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum FaultKind {
    /// The wall clock of its limit ran out.
    #[error("it took longer than its time limit")]
    Time,
    /// It wanted more memory than its limit.
    #[error("it wanted more memory than its limit")]
    Memory,
    /// It recursed too deeply.
    #[error("it ran out of stack")]
    Stack,
    /// It trapped. The text is its last log line or wasmtime's word for the trap.
    #[error("it trapped: {0}")]
    Trap(String),
    /// It called a function that the host does not offer.
    #[error("it called `{0}`, which no policy may call{way}", way = import_hint(.0))]
    ForeignImport(String),
    /// Its settings cannot be read.
    #[error("its settings cannot be used: {0}")]
    Settings(String),
    /// It answered with an error of its own.
    #[error("its `{function}` failed: {text}")]
    Refused {
        /// The exported function.
        function: String,
        /// The guest's text.
        text: String,
    },
    /// Its answer breaks the contract.
    #[error("its answer breaks the contract: {0}")]
    BadAnswer(String),
    /// It does not export the contract's interface in a version that this host speaks.
    #[error("it does not fit the contract guard:policy@0.1.0: {0}")]
    Contract(String),
    /// It is not compiled yet.
    #[error("it is not compiled yet")]
    NotReady,
    /// Its artifact is missing or cannot be used.
    #[error("its compiled artifact cannot be used: {0}")]
    Artifact(String),
    /// The system gives no room for an instance now: the guest did nothing.
    #[error("the machine cannot start it now: {0}")]
    NoRoom(String),
    /// Its component file is missing, too large or cannot be read.
    #[error("its component cannot be read: {0}")]
    Component(String),
    /// The configuration does not let it be used, or it is yet to be fetched.
    #[error("it is not used: {text}")]
    Unused {
        /// Why not.
        text: String,
        /// The hint that resolves the problem.
        hint: String,
    },
    /// It does not pass its own examples.
    #[error("it fails its own example {0}")]
    Example(String),
}

impl FaultKind {
    /// The guest gave an error of its own. Of its text the first 1,000 bytes are kept.
    #[must_use]
    pub fn refused(function: &str, text: &str) -> Self {
        let end = text.floor_char_boundary(text.len().min(1000));
        FaultKind::Refused { function: function.to_owned(), text: text.get(..end).unwrap_or_default().to_owned() }
    }

    /// It does not take its settings.
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

    /// It is no property of the guest: another time or another machine may do it.
    #[must_use]
    pub fn is_of_machine(&self) -> bool {
        matches!(self, FaultKind::Artifact(_) | FaultKind::NoRoom(_))
    }

    /// The fault with the limit that was reached, if it is one of those.
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
