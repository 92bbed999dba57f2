//! [`Scripts`]: the reader of scripts, a component of its own that is loaded when a call first holds a script.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use wasmtime::Store;
use wasmtime::component::Linker;

use crate::bindings::ScriptReaderPre;
use crate::code;
use crate::imports::{State, bound};
use crate::settings::Late;
use guard_contract::limits::Limits;

/// Where the artifact of the reader is. What it gives must be what the build's compiler gave.
pub trait ScriptsArtifact: Send + Sync {
    /// Its file, as [`crate::Engine::map`] takes it; none if there is none.
    fn file(&self) -> Option<PathBuf>;
    /// Its bytes, for where there is no file or none can be mapped; none if there is no such artifact.
    fn bytes(&self) -> Option<Vec<u8>>;
}

/// Where the reader comes from, and the reader once it was linked.
#[derive(Clone)]
pub(crate) struct Scripts {
    engine: Late,
    artifact: Arc<OnceLock<Box<dyn ScriptsArtifact>>>,
    linked: Arc<OnceLock<Option<ScriptReaderPre<State>>>>,
}

impl Scripts {
    pub(crate) fn new(engine: Late) -> Self {
        Scripts { engine, artifact: Arc::default(), linked: Arc::default() }
    }

    pub(crate) fn load_from(&self, artifact: Box<dyn ScriptsArtifact>) {
        // The first one is as good as another.
        let _ = self.artifact.set(artifact);
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
        let (engine, artifact) = (self.engine.get().ok()?, self.artifact.get()?);
        let mapped = artifact.file().and_then(|file| code::map(engine, &file).ok());
        let code = mapped.or_else(|| code::read(engine, &artifact.bytes()?).ok())?;
        ScriptReaderPre::new(Linker::new(engine).instantiate_pre(&code.component).ok()?).ok()
    }
}
