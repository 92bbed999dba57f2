//! The contents of the bundle's memory after decisions. Only used by the build, which finds out which functions run.

use std::sync::Arc;

use wasmtime::Store;
use wasmtime::component::Linker;
use wasmtime_wizer::Wizer;

use crate::bindings::Bundle;
use crate::convert::Convert;
use crate::imports::{self, State, bound};
use crate::snapshot::{InspectedInstance, ready};
use crate::{Compile, Engine};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::policy::SELF_PROTECT;
use guard_contract::{FaultKind, Limits};
use guard_facts::analysis::fill_paths;
use guard_facts::fixed::FixedFacts;
use guard_facts::{Facts, Resolver, Scene};

impl Engine {
    /// For each list of policies and commands, returns the memory of a fresh instance of the bundle after the policies
    /// have decided the commands with their default settings. The build instruments the bundle so that this memory
    /// shows which functions ran.
    ///
    /// # Errors
    ///
    /// The component isn't the bundle, or something in it fails.
    pub fn memories_after(
        &self,
        wasm: &[u8],
        lists: &[(Vec<&str>, Vec<&str>)],
        compile: Compile,
    ) -> Result<Vec<Vec<u8>>, FaultKind> {
        let fail = |error: wasmtime::Error| FaultKind::Component(format!("{error:#}"));
        let mut wizer = Wizer::new();
        wizer.keep_init_func(true);
        let (context, instrumented) = wizer.instrument_component(wasm).map_err(fail)?;
        let (code, engine) = (self.read(&compile(&instrumented)?)?, self.inner.get()?);
        let mut linker = Linker::new(engine);
        imports::define_for_bundle(&mut linker).map_err(fail)?;
        let linked = linker.instantiate_pre(&code.component).map_err(fail)?;
        let memory_after = |(policies, commands): &(Vec<&str>, Vec<&str>)| {
            let mut store = Store::new(engine, State::new(Limits::PREPARE));
            bound(&mut store, Limits::PREPARE);
            let instance = linked.instantiate(&mut store).map_err(fail)?;
            let bundle = Bundle::new(&mut store, &instance).map_err(fail)?;
            for command in commands {
                decide(&mut store, &bundle, policies, command).map_err(fail)?;
            }
            store.set_hostcall_fuel(usize::MAX);
            let mut inspected = InspectedInstance::new(store, instance);
            let _ = ready(wizer.snapshot_component(&context, &mut inspected));
            let missing = || FaultKind::Component("it has no memory".to_owned());
            inspected.memories.into_values().next().ok_or_else(missing)
        };
        lists.iter().map(memory_after).collect()
    }
}

/// The settings that the host passes to self-protect.
const PLACES: &str = r#"{"places":{"audit":"/home/u/.local/state/guard-host/audit.jsonl","cache":"/home/u/.cache/guard-host",
"config":"/home/u/.config/guard-host/guard.toml","managed":"/etc/guard-host/guard.toml","policies":["/home/u/x.wasm"],
"program":"/usr/bin/guard-host","registrations":["/home/u/.claude/settings.json"],"sessions":"",
"state":"/home/u/.local/state/guard-host"}}"#;

/// Has policies decide a command, as in an empty project.
fn decide(store: &mut Store<State>, bundle: &Bundle, policies: &[&str], command: &str) -> wasmtime::Result<()> {
    let analysis = bundle.guard_bundle_analyzer().call_analyze(&mut *store, command, "bash", "/repo", "/home/u")?;
    let facts: Arc<dyn Facts> = Arc::new(FixedFacts::default());
    let resolver = Resolver::new("/repo", "/home/u", "/repo");
    let mut analysis = analysis.convert();
    fill_paths(&mut analysis, &*facts, &resolver);
    let context = CallContext::default().facts(&ToolCall::new("Bash", serde_json::Map::new()));
    store.data_mut().view.scene = Some(Scene::new(context, analysis, facts, resolver));
    let input = serde_json::json!({ "command": command }).to_string();
    for policy in policies {
        let settings = if *policy == SELF_PROTECT { PLACES } else { "{}" };
        // The answers don't matter here.
        let _ = bundle.guard_bundle_policies().call_configure(&mut *store, policy, settings)?;
        let _ = bundle.guard_bundle_policies().call_decide(&mut *store, policy, "Bash", &input)?;
    }
    Ok(())
}
