//! [`Scripts`]: the reader of scripts, a component of its own that is loaded when a call first holds a script.

use std::sync::{Arc, OnceLock};

use wasmtime::Store;
use wasmtime::component::Linker;

use crate::bindings::ScriptReaderPre;
use crate::code;
use crate::imports::{State, bound};
use crate::settings::Late;
use guard_contract::limits::Limits;

/// Gives the artifact of the reader; none if there is none. What it gives must be what the build's compiler gave.
pub type LoadScripts = dyn Fn() -> Option<Vec<u8>> + Send + Sync;

/// Where the reader comes from, and the reader once it was linked.
#[derive(Clone)]
pub(crate) struct Scripts {
    engine: Late,
    load: Arc<OnceLock<Box<LoadScripts>>>,
    linked: Arc<OnceLock<Option<ScriptReaderPre<State>>>>,
}

impl Scripts {
    pub(crate) fn new(engine: Late) -> Self {
        Scripts { engine, load: Arc::default(), linked: Arc::default() }
    }

    pub(crate) fn load_with(&self, load: Box<LoadScripts>) {
        // The first one is as good as another.
        let _ = self.load.set(load);
    }

    /// What a script does, said by an instance of its own; none if nobody can say.
    pub(crate) fn read(&self, language: &str, text: &str) -> Option<String> {
        let pre = self.linked.get_or_init(|| self.link()).as_ref()?;
        let mut store = Store::new(pre.engine(), State::new(Limits::ANALYZER));
        bound(&mut store, Limits::ANALYZER);
        let guest = pre.instantiate(&mut store).ok()?;
        // Whatever goes wrong: the analyzer says that the script was not read.
        guest.guard_bundle_scripts().call_read(&mut store, language, text).ok().flatten()
    }

    fn link(&self) -> Option<ScriptReaderPre<State>> {
        let engine = self.engine.get().ok()?;
        let code = code::read(engine, &self.load.get()?()?).ok()?;
        ScriptReaderPre::new(Linker::new(engine).instantiate_pre(&code.component).ok()?).ok()
    }
}
