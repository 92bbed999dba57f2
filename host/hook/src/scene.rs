//! Creates the scene of a call with its analysis.

use std::sync::Arc;

use guard_contract::FaultKind;
use guard_contract::call::{CallContext, ToolCall};
use guard_engine::{Analyzer, SharedInstance};
use guard_facts::{Facts, Scene};

/// Creates the scene of a call, with its analysis. `analyzer` is only called if the call runs a command.
pub fn analyzed(
    call: &ToolCall,
    at: &CallContext,
    facts: Arc<dyn Facts>,
    analyzer: impl FnOnce() -> Result<Analyzer, FaultKind>,
    shared: &mut SharedInstance,
) -> Scene {
    guard_chain::scene::with_analysis(call, at, facts, |command, dialect, sources| {
        analyzer()?.analyze(shared, command, dialect, (&at.cwd, &at.home), Some(sources.clone()))
    })
}
