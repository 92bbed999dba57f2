//! Snapshots: components whose initial memory is the state after `configure`.
//!
//! They are taken when a policy is prepared, never while a harness waits. During that `configure`, every import except
//! `log` traps, so that a snapshot contains no fact of a call. A component that `wasmtime-wizer` can't handle has no
//! snapshot.

use std::collections::HashMap;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wasmtime::Store;
use wasmtime::component::{Component, Instance, Lift, WasmList};
use wasmtime_wizer::{ComponentInstanceState, Wizer};

use super::bindings::Guest;
use super::imports::{State, bound};
use super::{Compile, Engine, check};
use guard_contract::{FaultKind, Interface, Limits, Wasi};

/// Prefix of the reasons.
const NO_SNAPSHOT: &str = "it cannot be taken";

impl Engine {
    /// Returns the component in the state after `configure` with these settings. Needs a running clock.
    ///
    /// # Errors
    ///
    /// The reason why there can't be a snapshot.
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
        let (mut store, instance) = self.start_configured(&code.component, &interface, limits, settings)?;
        // The remaining work is the host's.
        store.set_epoch_deadline(u64::MAX / 2);
        store.set_hostcall_fuel(usize::MAX);
        let mut inspected = InspectedInstance::new(store, instance);
        let bytes = ready(wizer.snapshot_component(&context, &mut inspected));
        match (bytes, inspected.failed) {
            (Some(bytes), None) => bytes.map_err(fail),
            (_, failed) => Err(FaultKind::Component(format!("{NO_SNAPSHOT}: {}", failed.unwrap_or_default()))),
        }
    }

    fn start_configured(
        &self,
        component: &Component,
        interface: &Interface,
        limits: Limits,
        settings: &str,
    ) -> Result<(Store<State>, Instance), FaultKind> {
        let linked = self.link(component, interface, Wasi::Absent);
        let pre = linked.map_err(|error| super::fault::link_fault(&error, interface))?;
        let mut store = Store::new(self.inner.get()?, State::new(limits));
        bound(&mut store, limits);
        let instance = pre.instantiate(&mut store).map_err(|error| super::fault::start_fault(&error, false))?;
        let configure = |store: &mut Store<State>| {
            let guest = Guest::new(&mut *store, &instance)?;
            guest.guard_policy_policy().call_configure(&mut *store, settings)
        };
        match configure(&mut store) {
            Ok(Ok(())) => Ok((store, instance)),
            Ok(Err(text)) => Err(FaultKind::refused("configure", &text)),
            Err(error) => Err(super::fault::run_fault(&error, None)),
        }
    }
}

/// Runs a future that never waits to its end. `None` if it does wait.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// An instance whose memories and globals `wasmtime-wizer` reads.
pub(crate) struct InspectedInstance {
    store: Store<State>,
    instance: Instance,
    /// Cached, because each is requested twice and must be the same.
    pub(crate) memories: HashMap<String, Vec<u8>>,
    failed: Option<String>,
}

impl InspectedInstance {
    pub(crate) fn new(store: Store<State>, instance: Instance) -> Self {
        InspectedInstance { store, instance, memories: HashMap::new(), failed: None }
    }

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

impl ComponentInstanceState for InspectedInstance {
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
