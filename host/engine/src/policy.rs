//! [`Policy`]: decides calls, in an instance of its own or in the one that the embedded policies share.

use wasmtime::Store;

use crate::bundle::SharedInstance;
use crate::fault;
use crate::guest::{Guest, GuestPre};
use crate::imports::{State, bound};
use crate::meter::Meter;
use guard_contract::limits::Limits;
use guard_contract::manifest;
use guard_contract::{FaultKind, Manifest};
use guard_facts::{Answer, Question};

/// A linked policy that can be asked any number of times.
#[derive(Clone)]
pub struct Policy {
    pub(crate) pre: GuestPre,
    pub(crate) ends_soon: bool,
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Policy")
    }
}

impl Policy {
    /// Asks the policy about a call, under these limits. `settings` is the JSON for `configure`, or `None` if the
    /// component is a snapshot that was taken after `configure`. The decision is checked against the manifest.
    ///
    /// An embedded policy answers in the shared instance. If that fails, it is asked again in an instance of its own,
    /// so that it isn't blamed for another policy's fault.
    #[must_use]
    pub fn ask(
        &self,
        shared: &mut SharedInstance,
        limits: Limits,
        settings: Option<&str>,
        question: &Question<'_>,
    ) -> Answer {
        if let GuestPre::Bundled(pre, name) = &self.pre
            && let Some(settings) = settings
            && let Some(answer) = shared.ask(pre, name, limits, settings, question, self.ends_soon)
        {
            return answer;
        }
        self.ask_alone(limits, settings, question)
    }

    fn ask_alone(&self, limits: Limits, settings: Option<&str>, question: &Question<'_>) -> Answer {
        let (mut store, meter) = self.store(limits);
        let guest = run(&mut store, &self.pre, |store, guest| {
            let configured = settings.map_or(Ok(Ok(())), |settings| guest.configure(store, settings))?;
            Ok(configured.map(|()| guest))
        });
        store.data_mut().begin(question);
        let decision = guest.and_then(|guest| {
            let decision = guest.decide(&mut store, question.tool, question.input);
            decision.unwrap_or_else(|error| Err(fault::call_fault(&error, &store)))
        });
        let decision = decision.and_then(|decision| manifest::check_decision(question.manifest, decision));
        let state = end(store, self.ends_soon);
        let used = meter.usage(&state.limits);
        Answer::new(decision, state.view, used)
    }

    /// Runs `configure` in a fresh instance.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Refused`] if the policy rejects the settings, or another fault.
    pub fn configure(&self, limits: Limits, settings: &str) -> Result<(), FaultKind> {
        let (mut store, _) = self.store(limits);
        run(&mut store, &self.pre, |store, guest| guest.configure(store, settings))
    }

    /// Runs `describe` in a fresh instance.
    ///
    /// # Errors
    ///
    /// `describe` fails, or its answer violates the contract.
    pub fn describe(&self, limits: Limits) -> Result<Manifest, FaultKind> {
        let (mut store, _) = self.store(limits);
        let manifest = run(&mut store, &self.pre, |store, guest| Ok(Ok(guest.describe(store)?)))?;
        manifest::check_manifest(&manifest)?;
        Ok(manifest)
    }

    pub(crate) fn store(&self, limits: Limits) -> (Store<State>, Meter) {
        let mut store = Store::new(self.pre.engine(), State::new(limits));
        let meter = bound(&mut store, limits);
        (store, meter)
    }
}

/// Returns the state that a call left in its store.
pub(crate) fn end(mut store: Store<State>, ends_soon: bool) -> State {
    if !ends_soon {
        return store.into_data();
    }
    let state = std::mem::replace(store.data_mut(), State::new(Limits::DEFAULT));
    // Freeing gigabytes of address space takes longer than ending the process.
    std::mem::forget(store);
    state
}

fn run<T>(
    store: &mut Store<State>,
    pre: &GuestPre,
    body: impl FnOnce(&mut Store<State>, Guest) -> wasmtime::Result<Result<T, FaultKind>>,
) -> Result<T, FaultKind> {
    let guest = instantiate(store, pre)?;
    body(store, guest).unwrap_or_else(|error| Err(fault::call_fault(&error, store)))
}

pub(crate) fn instantiate(store: &mut Store<State>, pre: &GuestPre) -> Result<Guest, FaultKind> {
    pre.instantiate(store).map_err(|error| fault::start_fault(&error, matches!(pre, GuestPre::Bundled(..))))
}
