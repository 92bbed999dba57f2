//! [`FaultKind`]: the ways in which a guest fails.

use serde::{Deserialize, Serialize};
use wasmtime::Trap;

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
    #[error("it called `{0}`, which no policy may call")]
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

    pub(super) fn of_link(error: &wasmtime::Error) -> Self {
        FaultKind::Contract(format!("{error:#}"))
    }

    pub(super) fn of_run(error: &wasmtime::Error, last_words: Option<&str>) -> Self {
        match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => return FaultKind::Time,
            Some(Trap::StackOverflow) => return FaultKind::Stack,
            Some(trap) => return FaultKind::Trap(last_words.unwrap_or(&trap.to_string()).to_owned()),
            None => {}
        }
        let text = format!("{error:#}");
        if let Some((_, rest)) = text.split_once("unknown import: `")
            && let Some((name, _)) = rest.split_once('`')
        {
            return FaultKind::ForeignImport(name.to_owned());
        }
        if text.contains("forcing trap when growing memory") || text.contains("forcing trap when growing table") {
            return FaultKind::Memory;
        }
        FaultKind::BadAnswer(text)
    }
}
