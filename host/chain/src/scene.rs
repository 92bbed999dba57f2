//! The facts that the policies of a chain can learn about one call: its [`Scene`].

use std::sync::Arc;

use guard_contract::FaultKind;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::syntax::{Analysis, Coverage};
use guard_facts::analysis::{self, analyze};
use guard_facts::sources::Sources;
use guard_facts::{Facts, Resolver, Scene};

/// Creates the scene of a call, with its analysis. `read` analyzes a command in a dialect, with the files that it runs.
/// It is only called if the call runs a command.
pub fn with_analysis(
    call: &ToolCall,
    at: &CallContext,
    facts: Arc<dyn Facts>,
    read: impl FnOnce(&str, &str, &Arc<Sources>) -> Result<Analysis, FaultKind>,
) -> Scene {
    let mut scene = without_analysis(call, at, facts);
    let read = |command: &str, dialect: &str| read(command, dialect, &scene.sources);
    scene.analysis = Arc::new(analyze(call, read, at, &*scene.facts, &scene.resolver));
    scene
}

/// Creates the scene of a call that doesn't need an analysis.
pub(crate) fn without_analysis(call: &ToolCall, at: &CallContext, facts: Arc<dyn Facts>) -> Scene {
    let resolver = Resolver::new(&at.cwd, &at.home, &at.project_root);
    Scene::new(at.facts(call), analysis::empty(Coverage::Partial, None), facts, resolver)
}
