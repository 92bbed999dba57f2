//! The analyzer that this program carries, and the scene of a call that it has read.

use std::sync::Arc;

use crate::cache;
use guard_contract::FaultKind;
use guard_contract::call::{CallContext, ToolCall};
use guard_engine::{Analyzer, Engine, Shared};
use guard_facts::{Facts, Scene};

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
    guard_chain::scene::analyzed(call, at, facts, |command, dialect| {
        analyzer().and_then(|analyzer| analyzer.analyze(shared, command, dialect, &at.cwd, &at.home))
    })
}
