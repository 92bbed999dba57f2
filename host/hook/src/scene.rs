//! What the policies of a chain can learn of one call: its [`Scene`].

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use guard_contract::FaultKind;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::syntax::Coverage;
use guard_engine::analysis::{self, analyze};
use guard_engine::facts::{Facts, Resolver};
use guard_engine::{Analyzer, Engine, Scene};

use crate::cache::Artifact;
use crate::programs::STACK_BYTES;

/// Loads the analyzer that this program carries.
///
/// # Errors
///
/// The program was built without it, or it cannot run here.
pub fn analyzer(engine: &Engine) -> Result<Analyzer, FaultKind> {
    let artifact = Artifact::analyzer()?;
    engine.load_analyzer(&artifact.code(engine)?, &artifact.interface)
}

/// The scene of a call, with its analysis. `analyzer` is asked for only when the call runs a command.
pub fn analyzed(
    call: &ToolCall,
    at: &CallContext,
    facts: Arc<dyn Facts>,
    analyzer: impl FnOnce() -> Result<Analyzer, FaultKind>,
) -> Scene {
    let mut scene = bare(call, at, facts);
    scene.analysis = Arc::new(analyze(call, analyzer, at, &*scene.facts, &scene.resolver));
    scene
}

/// The scene of a call that nobody wants analysed.
pub(crate) fn bare(call: &ToolCall, at: &CallContext, facts: Arc<dyn Facts>) -> Scene {
    Scene {
        context: at.facts(call),
        analysis: Arc::new(analysis::empty(Coverage::Partial, None)),
        facts,
        resolver: Arc::new(Resolver::new(&at.cwd, &at.home, &at.project_root)),
    }
}

/// The scenes of the calls of one payload. A thread makes them while the chain is found and its policies start: an
/// analysis needs the call alone.
#[derive(Debug)]
pub(crate) struct Scenes(Option<Receiver<(usize, Scene)>>);

impl Scenes {
    /// Starts the thread, if there is a command to analyse.
    pub(crate) fn start(engine: &Engine, calls: &[ToolCall], at: &CallContext, facts: &Arc<dyn Facts>) -> Self {
        if calls.iter().all(|call| call.command().is_none()) {
            return Scenes(None);
        }
        let (sender, receiver) = channel();
        let (engine, calls, at, facts) = (engine.clone(), calls.to_vec(), at.clone(), facts.clone());
        let work = move || {
            let analyzer = analyzer(&engine);
            for (index, call) in calls.iter().enumerate() {
                if sender.send((index, analyzed(call, &at, facts.clone(), || analyzer.clone()))).is_err() {
                    break;
                }
            }
            // The process ends with the reply; to end the thread before would unmap its memory meanwhile.
            loop {
                thread::park();
            }
        };
        let stack = usize::try_from(STACK_BYTES).unwrap_or(usize::MAX);
        let started = thread::Builder::new().stack_size(stack).spawn(work);
        Scenes(started.is_ok().then_some(receiver))
    }

    /// The scene of the call with this index, once; none if it must be made here.
    pub(crate) fn take(&self, index: usize) -> Option<Scene> {
        let mut made = self.0.as_ref()?.iter();
        made.find_map(|(of, scene)| (of == index).then_some(scene))
    }
}
