//! The components that the program carries, and where their artifacts come from.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use guard_contract::FaultKind;

use crate::code::{self, Code};
use crate::settings::LazyEngine;

/// A component that the program carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddedComponent {
    /// The analyzer and the policies of the presets.
    Bundle,
    /// The reader of scripts. Few calls hold a script, so it is loaded when one first does.
    ScriptReader,
}

/// The source of their artifacts. Implementations return only what the build's compiler wrote.
pub trait EmbeddedArtifacts: Send + Sync {
    /// A file for [`crate::Engine::map`], written if it is missing. `None` if no file can be kept.
    fn file(&self, of: EmbeddedComponent) -> Option<PathBuf>;
    /// The bytes, used when no file can be mapped. `None` in a program built without the component.
    fn bytes(&self, of: EmbeddedComponent) -> Option<Vec<u8>>;
}

/// The engine that runs these components, and their artifacts.
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
        // The first ones are as good as others.
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
