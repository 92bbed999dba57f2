//! Snapshots: a component that holds in its memory what `configure` left there.
//!
//! Made when a policy is made ready, never while a harness waits. During that `configure` every import but `log` traps,
//! so that no fact of a call is frozen in. Which components can be taken is up to `wasmtime-wizer`; any other stays as
//! it is.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use wasmtime::Store;
use wasmtime::component::{Component, Instance, Lift, Linker, WasmList};
use wasmtime_wizer::{ComponentInstanceState, Wizer};

use super::bindings::{Bundle, Guest};
use super::imports::{State, bound};
use super::{Compile, Engine, check};
use crate::convert::Convert;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::policy::SELF_PROTECT;
use guard_contract::{FaultKind, Interface, Limits, Wasi};
use guard_facts::analysis::fill_paths;
use guard_facts::fixed::FixedFacts;
use guard_facts::{Facts, Resolver, Scene};

/// How the reasons begin.
const NO_SNAPSHOT: &str = "it cannot be taken";

impl Engine {
    /// The component after it was given its settings. Needs a clock that ticks.
    ///
    /// # Errors
    ///
    /// Why it cannot be taken.
    pub fn snapshot(
        &self,
        wasm: &[u8],
        limits: Limits,
        settings: &str,
        compile: Compile,
    ) -> Result<Vec<u8>, FaultKind> {
        check(wasm)?;
        let fail = |error: wasmtime::Error| FaultKind::Component(format!("{NO_SNAPSHOT}: {error:#}"));
        let mut wizer = Wizer::new();
        wizer.keep_init_func(true);
        let (context, instrumented) = wizer.instrument_component(wasm).map_err(fail)?;
        let code = self.read(&compile(&instrumented)?)?;
        let interface = self.interface(&code);
        let (mut store, instance) = self.configured(&code.component, &interface, limits, settings)?;
        // The rest is the host's own work.
        store.set_epoch_deadline(u64::MAX / 2);
        store.set_hostcall_fuel(usize::MAX);
        let mut held = Held { store, instance, memories: HashMap::new(), failed: None };
        let taken = ready(wizer.snapshot_component(&context, &mut held));
        match (taken, held.failed) {
            (Some(taken), None) => taken.map_err(fail),
            (_, failed) => Err(FaultKind::Component(format!("{NO_SNAPSHOT}: {}", failed.unwrap_or_default()))),
        }
    }

    /// For each list of policies and commands, the memory of a fresh instance of the bundle after each of the policies has
    /// decided the commands, with its default settings. For the build, which marks in it what runs.
    ///
    /// # Errors
    ///
    /// It is not the bundle, or something in it fails.
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
        super::imports::define_for_bundle(&mut linker).map_err(fail)?;
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
            let mut held = Held { store, instance, memories: HashMap::new(), failed: None };
            let _ = ready(wizer.snapshot_component(&context, &mut held));
            let missing = || FaultKind::Component("it has no memory".to_owned());
            held.memories.into_values().next().ok_or_else(missing)
        };
        lists.iter().map(memory_after).collect()
    }

    fn configured(
        &self,
        component: &Component,
        interface: &Interface,
        limits: Limits,
        settings: &str,
    ) -> Result<(Store<State>, Instance), FaultKind> {
        let linked = self.link(component, interface, Wasi::Absent);
        let pre = linked.map_err(|error| super::fault::of_link(&error, interface))?;
        let mut store = Store::new(self.inner.get()?, State::new(limits));
        bound(&mut store, limits);
        let configure = |store: &mut Store<State>| {
            let instance = pre.instantiate(&mut *store)?;
            let guest = Guest::new(&mut *store, &instance)?;
            Ok((instance, guest.guard_policy_policy().call_configure(&mut *store, settings)?))
        };
        match configure(&mut store) {
            Ok((instance, Ok(()))) => Ok((store, instance)),
            Ok((_, Err(text))) => Err(FaultKind::refused("configure", &text)),
            Err(error) => Err(super::fault::of_run(&error, None)),
        }
    }
}

/// What the host tells self-protect in each call.
const PLACES: &str = r#"{"places":{"audit":"/home/u/.local/state/guard-host/audit.jsonl","cache":"/home/u/.cache/guard-host",
"config":"/home/u/.config/guard-host/guard.toml","managed":"/etc/guard-host/guard.toml","policies":["/home/u/x.wasm"],
"program":"/usr/bin/guard-host","registrations":["/home/u/.claude/settings.json"],"sessions":"",
"state":"/home/u/.local/state/guard-host"}}"#;

/// Has policies decide a command, as in an empty project.
fn decide(store: &mut Store<State>, bundle: &Bundle, policies: &[&str], command: &str) -> wasmtime::Result<()> {
    let analysis = bundle.guard_bundle_analyzer().call_analyze(&mut *store, command, "bash", "/repo", "/home/u")?;
    let facts: Arc<dyn Facts> = Arc::new(FixedFacts::default());
    let resolver = Arc::new(Resolver::new("/repo", "/home/u", "/repo"));
    let mut analysis = analysis.convert();
    fill_paths(&mut analysis, &*facts, &resolver);
    let context = CallContext::default().facts(&ToolCall::new("Bash", serde_json::Map::new()));
    store.data_mut().view.scene = Some(Scene { context, analysis: Arc::new(analysis), facts, resolver });
    let input = serde_json::json!({ "command": command }).to_string();
    for policy in policies {
        let settings = if *policy == SELF_PROTECT { PLACES } else { "{}" };
        // What they say does not matter here.
        let _ = bundle.guard_bundle_policies().call_configure(&mut *store, policy, settings)?;
        let _ = bundle.guard_bundle_policies().call_decide(&mut *store, policy, "Bash", &input)?;
    }
    Ok(())
}

/// Runs to its end what never waits.
fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// An instance whose memories and globals are read.
struct Held {
    store: Store<State>,
    instance: Instance,
    /// Each is asked for twice, and must be the same.
    memories: HashMap<String, Vec<u8>>,
    failed: Option<String>,
}

impl Held {
    fn read<R: Lift + Send + Sync + 'static, T>(
        &mut self,
        instance: &str,
        name: &str,
        take: impl FnOnce(&mut Store<State>, R) -> T,
    ) -> Option<T> {
        let read = || {
            let found = self.instance.get_export_index(&mut self.store, None, instance);
            let found = found.and_then(|index| self.instance.get_export_index(&mut self.store, Some(&index), name));
            let index = found.ok_or_else(|| wasmtime::format_err!("`{name}` is not there"))?;
            let function = self.instance.get_typed_func::<(), (R,)>(&mut self.store, index)?;
            let (value,) = function.call(&mut self.store, ())?;
            Ok::<T, wasmtime::Error>(take(&mut self.store, value))
        };
        let value: Result<T, wasmtime::Error> = read();
        value.map_err(|error| self.failed = Some(format!("{error:#}"))).ok()
    }
}

impl ComponentInstanceState for Held {
    async fn call_func_ret_list_u8(&mut self, instance: &str, func: &str, contents: impl FnOnce(&[u8]) + Send) {
        if !self.memories.contains_key(func) {
            let bytes = self.read(instance, func, |store, list: WasmList<u8>| list.as_le_slice(&*store).to_vec());
            self.memories.insert(func.to_owned(), bytes.unwrap_or_default());
        }
        contents(self.memories.get(func).map_or(&[], Vec::as_slice));
    }

    async fn call_func_ret_s32(&mut self, instance: &str, func: &str) -> i32 {
        self.read(instance, func, |_, value| value).unwrap_or_default()
    }

    async fn call_func_ret_s64(&mut self, instance: &str, func: &str) -> i64 {
        self.read(instance, func, |_, value| value).unwrap_or_default()
    }

    async fn call_func_ret_f32(&mut self, instance: &str, func: &str) -> u32 {
        self.read(instance, func, |_, value: f32| value.to_bits()).unwrap_or_default()
    }

    async fn call_func_ret_f64(&mut self, instance: &str, func: &str) -> u64 {
        self.read(instance, func, |_, value: f64| value.to_bits()).unwrap_or_default()
    }
}
