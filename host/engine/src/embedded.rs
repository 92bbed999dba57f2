//! The embedded components, and the source of their artifacts.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use guard_contract::FaultKind;

use crate::code::{self, Code};
use crate::settings::LazyEngine;

/// A component that is embedded in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddedComponent {
    /// The analyzer and the policies of the presets.
    Bundle,
    /// The script analyzer. Few calls contain a script, so it is loaded for the first one that does.
    ScriptReader,
}

/// A source of the embedded components' artifacts. Implementations return only what the build's compiler wrote.
pub trait EmbeddedArtifacts: Send + Sync {
    /// Returns a file for [`crate::Engine::map`], written if it is missing. `None` if no file can be written.
    fn file(&self, of: EmbeddedComponent) -> Option<PathBuf>;
    /// Returns the bytes, for when no file can be mapped. `None` in a program that was built without the component.
    fn bytes(&self, of: EmbeddedComponent) -> Option<Vec<u8>>;
}

/// The engine that runs the embedded components, and the source of their artifacts.
#[derive(Clone)]
pub(crate) struct EmbeddedEngine {
    pub(crate) engine: LazyEngine,
    artifacts: Arc<OnceLock<Box<dyn EmbeddedArtifacts>>>,
}

impl EmbeddedEngine {
    pub(crate) fn new(engine: LazyEngine) -> Self {
        EmbeddedEngine { engine, artifacts: Arc::default() }
    }

    pub(crate) fn load_from(&self, artifacts: Box<dyn EmbeddedArtifacts>) {
        // Sources don't differ, so the first one is kept.
        let _ = self.artifacts.set(artifacts);
    }

    pub(crate) fn code(&self, of: EmbeddedComponent) -> Result<Code, FaultKind> {
        let missing = || FaultKind::Component("this program was built without policies".to_owned());
        let (engine, artifacts) = (self.engine.get()?, self.artifacts.get().ok_or_else(missing)?);
        match artifacts.file(of).map(|file| code::map(engine, &file)) {
            Some(Ok(code)) => Ok(code),
            _ => code::read(engine, &artifacts.bytes(of).ok_or_else(missing)?),
        }
    }
}
