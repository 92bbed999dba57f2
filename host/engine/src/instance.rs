//! [`Instance`]: one instance of a policy that is called several times, for conformance tests.
//!
//! The hook uses a fresh instance for each call, so only this can test how a policy behaves across calls.

use std::sync::Arc;
use std::time::Duration;

use wasmtime::Store;

use super::fault;
use super::guest::Guest;
use super::imports::{State, bound};
use super::meter::Meter;
use super::policy::{Policy, instantiate};
use guard_contract::FaultKind;
use guard_contract::JournalLine;
use guard_contract::grants::Grants;
use guard_contract::limits::Limits;
use guard_contract::{Decision, Manifest};
use guard_facts::{Scene, Used};

/// The result of one call of an export.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult<T> {
    /// The answer, checked only for its shape, or the reason why it is missing.
    pub answer: Result<T, FaultKind>,
    /// The journal lines that the guest wants to write.
    pub journal: Vec<JournalLine>,
    /// The resources used. For the first call, this includes the instance's start.
    pub used: Used,
}

/// A running policy. After a trap, every call returns a fault.
pub struct Instance {
    store: Store<State>,
    guest: Guest,
    limits: Limits,
    /// The meter of the start, until the first call takes it.
    started: Option<Meter>,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Instance")
    }
}

impl Policy {
    /// Starts an instance. `limits` apply to each of its calls.
    ///
    /// # Errors
    ///
    /// It doesn't start within the limits.
    pub fn start(&self, limits: Limits, grants: Arc<Grants>) -> Result<Instance, FaultKind> {
        let (mut store, meter) = self.store(limits);
        store.data_mut().view.grants = grants;
        let guest = instantiate(&mut store, &self.pre)?;
        Ok(Instance { store, guest, limits, started: Some(meter) })
    }
}

impl Policy {
    /// Measures the processor time of `configure`: the minimum over `runs` fresh instances.
    ///
    /// # Errors
    ///
    /// The policy rejects the settings.
    pub fn measure_configure(&self, limits: Limits, settings: &str, runs: usize) -> Result<Duration, FaultKind> {
        let mut least = Duration::MAX;
        for _ in 0..runs {
            let mut instance = self.start(limits, Arc::default())?;
            // Excludes the start, because a snapshot doesn't save it.
            instance.started = None;
            let result = instance.configure(settings);
            result.answer?;
            least = least.min(result.used.processor);
        }
        Ok(least)
    }
}

impl Instance {
    /// Calls the policy's `describe`.
    pub fn describe(&mut self) -> CallResult<Manifest> {
        self.call(None, |guest, store| Ok(Ok(guest.describe(store)?)))
    }

    /// Calls the policy's `configure`.
    pub fn configure(&mut self, settings: &str) -> CallResult<()> {
        self.call(None, |guest, store| guest.configure(store, settings))
    }

    /// Calls the policy's `decide`.
    pub fn decide(&mut self, scene: Scene, tool: &str, input: &str) -> CallResult<Decision> {
        self.call(Some(scene), |guest, store| guest.decide(store, tool, input))
    }

    fn call<T>(
        &mut self,
        scene: Option<Scene>,
        body: impl FnOnce(&Guest, &mut Store<State>) -> wasmtime::Result<Result<T, FaultKind>>,
    ) -> CallResult<T> {
        let meter = self.started.take().unwrap_or_else(|| bound(&mut self.store, self.limits));
        let view = &mut self.store.data_mut().view;
        view.scene = scene;
        view.log.clear();
        let answer = body(&self.guest, &mut self.store);
        let answer = answer.unwrap_or_else(|error| Err(fault::call_fault(&error, &self.store)));
        let state = self.store.data_mut();
        state.view.scene = None;
        CallResult { answer, journal: std::mem::take(&mut state.view.journal), used: meter.usage(&state.limits) }
    }
}
