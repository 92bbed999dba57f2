//! [`FaultKind`]: the ways in which a guest fails.

use serde::{Deserialize, Serialize};
use wasmtime::Trap;

use super::limits::{Limits, STACK_BYTES};
use super::meter::OverLimit;
use super::{Interface, wasi};

/// What a policy exports.
const POLICY: &str = "guard:policy/policy@0.1.0";

/// What the analyzer exports.
const ANALYZER: &str = "guard:policy/analyzer@0.1.0";

/// What gives a guest the import that it cannot do without, if anything does.
fn way_out(import: &str) -> &'static str {
    if wasi::is_answered(import) {
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
    #[error("it called `{0}`, which no policy may call{way}", way = way_out(.0))]
    ForeignImport(String),
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
    /// Its artifact is missing or cannot be used.
    #[error("its compiled artifact cannot be used: {0}")]
    Artifact(String),
    /// Its component file is missing, too large or cannot be read.
    #[error("its component cannot be read: {0}")]
    Component(String),
    /// It does not pass its own examples.
    #[error("it fails its own example {0}")]
    Example(String),
}

impl FaultKind {
    pub(super) fn refused(function: &str, text: &str) -> Self {
        let end = text.floor_char_boundary(text.len().min(1000));
        FaultKind::Refused { function: function.to_owned(), text: text.get(..end).unwrap_or_default().to_owned() }
    }

    /// Why a component could not be linked. Of one of another version, and of one that is no policy at all, its exports
    /// tell more than the first thing that was missed.
    pub(super) fn of_link(error: &wasmtime::Error, interface: &Interface) -> Self {
        let exported = |part: &str| interface.exports.iter().find(|export| export.starts_with(part));
        if exported(POLICY).is_none() && exported(ANALYZER).is_none() {
            let other = exported(POLICY.split('@').next().unwrap_or_default());
            return FaultKind::Contract(match other {
                Some(other) => format!("it exports `{other}`, which is another version"),
                None => format!("it does not export `{POLICY}`"),
            });
        }
        FaultKind::Contract(format!("{error:#}"))
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

    pub(super) fn of_run(error: &wasmtime::Error, last_words: Option<&str>) -> Self {
        match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => return FaultKind::Time,
            Some(Trap::StackOverflow) => return FaultKind::Stack,
            Some(trap) => return FaultKind::Trap(last_words.unwrap_or(&trap.to_string()).to_owned()),
            None => {}
        }
        if let Some(exit) = error.downcast_ref::<wasi::Exit>() {
            return FaultKind::Trap(last_words.map_or_else(|| exit.to_string(), str::to_owned));
        }
        if error.is::<OverLimit>() {
            return FaultKind::Memory;
        }
        // wasmtime has no type for this one. Its own words are the innermost cause; those around it may be the guest's.
        if let Some(rest) = error.root_cause().to_string().strip_prefix("unknown import: `")
            && let Some((name, _)) = rest.split_once('`')
        {
            return FaultKind::ForeignImport(name.to_owned());
        }
        FaultKind::BadAnswer(format!("{error:#}"))
    }
}
