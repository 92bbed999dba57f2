//! What the policies of a chain can learn of one call: its [`Scene`].

use std::sync::Arc;

use crate::cache;
use guard_contract::FaultKind;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::syntax::Coverage;
use guard_engine::analysis::{self, analyze};
use guard_engine::facts::{Facts, Resolver};
use guard_engine::{Analyzer, Engine, Scene, Shared};

/// Loads the analyzer that this program carries.
///
/// # Errors
///
/// The program was built without it, or it cannot run here.
pub fn analyzer(engine: &Engine) -> Result<Analyzer, FaultKind> {
    cache::bundle(engine).map(|bundle| bundle.analyzer())
}

/// The scene of a call, with its analysis. `analyzer` is asked for only when the call runs a command.
pub fn analyzed(
    call: &ToolCall,
    at: &CallContext,
    facts: Arc<dyn Facts>,
    analyzer: impl FnOnce() -> Result<Analyzer, FaultKind>,
    shared: &mut Shared,
) -> Scene {
    let mut scene = bare(call, at, facts);
    scene.analysis = Arc::new(analyze(call, analyzer, at, &*scene.facts, &scene.resolver, shared));
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
