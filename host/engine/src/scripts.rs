//! [`Scripts`]: the reader of scripts, a component of its own that is loaded when a call first holds a script.

use std::sync::{Arc, OnceLock};

use wasmtime::Store;
use wasmtime::component::Linker;

use crate::bindings::ScriptReaderPre;
use crate::embedded::{EmbeddedComponent, EmbeddedEngine};
use crate::imports::{State, bound};
use guard_contract::limits::Limits;

/// The reader, linked when it is first asked.
#[derive(Clone)]
pub(crate) struct Scripts {
    embedded: EmbeddedEngine,
    linked: Arc<OnceLock<Option<ScriptReaderPre<State>>>>,
}

impl Scripts {
    pub(crate) fn new(embedded: EmbeddedEngine) -> Self {
        Scripts { embedded, linked: Arc::default() }
    }

    /// Returns the effects of a script, as read by an instance of its own, or `None` if no analyzer can read it.
    pub(crate) fn read(&self, language: &str, text: &str) -> Option<String> {
        let pre = self.linked.get_or_init(|| self.link()).as_ref()?;
        let mut store = Store::new(pre.engine(), State::new(Limits::ANALYZER));
        bound(&mut store, Limits::ANALYZER);
        let guest = pre.instantiate(&mut store).ok()?;
        // Whatever goes wrong: the analyzer says that the script was not read.
        guest.guard_bundle_scripts().call_read(&mut store, language, text).ok().flatten()
    }

    fn link(&self) -> Option<ScriptReaderPre<State>> {
        let code = self.embedded.code(EmbeddedComponent::ScriptReader).ok()?;
        let linker = Linker::new(self.embedded.engine.get().ok()?);
        ScriptReaderPre::new(linker.instantiate_pre(&code.component).ok()?).ok()
    }
}
