//! [`Scripts`]: the script analyzer, a separate component that is loaded for the first call with a script.

use std::sync::{Arc, OnceLock};

use wasmtime::Store;
use wasmtime::component::Linker;

use crate::bindings::ScriptReaderPre;
use crate::embedded::{EmbeddedComponent, EmbeddedEngine};
use crate::imports::{State, bound};
use guard_contract::limits::Limits;

/// The script analyzer, linked when it is first used.
#[derive(Clone)]
pub(crate) struct Scripts {
    embedded: EmbeddedEngine,
    linked: Arc<OnceLock<Option<ScriptReaderPre<State>>>>,
}

impl Scripts {
    pub(crate) fn new(embedded: EmbeddedEngine) -> Self {
        Scripts { embedded, linked: Arc::default() }
    }

    /// Analyzes a script in a fresh instance, and returns its effects, or `None` if the script can't be analyzed.
    pub(crate) fn read(&self, language: &str, text: &str) -> Option<String> {
        let pre = self.linked.get_or_init(|| self.link()).as_ref()?;
        let mut store = Store::new(pre.engine(), State::new(Limits::ANALYZER));
        bound(&mut store, Limits::ANALYZER);
        let guest = pre.instantiate(&mut store).ok()?;
        // On any fault, the analyzer reports that the script wasn't read.
        guest.guard_bundle_scripts().call_read(&mut store, language, text).ok().flatten()
    }

    fn link(&self) -> Option<ScriptReaderPre<State>> {
        let code = self.embedded.code(EmbeddedComponent::ScriptReader).ok()?;
        let linker = Linker::new(self.embedded.engine.get().ok()?);
        ScriptReaderPre::new(linker.instantiate_pre(&code.component).ok()?).ok()
    }
}
