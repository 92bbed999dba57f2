//! [`Engine`]: runs guests. It contains no compiler and only runs artifacts.

use std::sync::{Arc, OnceLock};

use wasmtime::InstanceAllocationStrategy;
use wasmtime::component::{Component, InstancePre, Linker};

use crate::bindings::GuestPre;
use crate::bundle::Bundle;
use crate::code::Code;
use crate::embedded::{EmbeddedArtifacts, EmbeddedEngine};
use crate::imports::{self, State};
use crate::policy::Policy;
use crate::scripts::Scripts;
use crate::settings::{LazyEngine, engine, pool, settings};
use crate::{fault, guest, wasi};
use guard_contract::{FaultKind, ImportResolution, Interface, Wasi};

/// Compiles a component to the bytes of an artifact, in another program: `guard-compiler`.
///
/// # Errors
///
/// [`FaultKind::Contract`] if the bytes aren't a valid component, [`FaultKind::Artifact`] if the compiler isn't
/// available.
pub type Compile = fn(&[u8]) -> Result<Vec<u8>, FaultKind>;

/// An engine that runs guests. It contains no compiler and only runs artifacts.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: LazyEngine,
    /// Whether the process ends after the reply, so that memory needn't be freed.
    pub(crate) ends_soon: bool,
    /// The linker with the contract's imports, defined once for all policies.
    contract: Arc<OnceLock<Linker<State>>>,
    /// The embedded component, linked once.
    pub(crate) bundle: Arc<OnceLock<Result<Bundle, FaultKind>>>,
    pub(crate) embedded: EmbeddedEngine,
    /// The script analyzer.
    pub(crate) scripts: Scripts,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engine")
    }
}

impl Engine {
    /// # Errors
    ///
    /// The machine can't run compiled guests.
    pub fn new() -> Result<Self, FaultKind> {
        Engine::with_strategy(InstanceAllocationStrategy::OnDemand)
    }

    /// Creates an engine for a process that decides many calls, in sequence or in parallel. Instances reuse memory,
    /// which is cheaper than allocating it from the system each time.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::new`].
    pub fn for_many_replies() -> Result<Self, FaultKind> {
        // If the address space for the pool can't be reserved, each instance allocates its own memory.
        Engine::with_strategy(InstanceAllocationStrategy::Pooling(pool())).or_else(|_| Engine::new())
    }

    fn with_strategy(strategy: InstanceAllocationStrategy) -> Result<Self, FaultKind> {
        let mut config = settings();
        config.allocation_strategy(strategy);
        Ok(Engine::from_lazy(LazyEngine::from(engine(config)?)))
    }

    fn from_lazy(inner: LazyEngine) -> Self {
        let embedded = EmbeddedEngine::new(inner.clone());
        let scripts = Scripts::new(embedded.clone());
        Engine { inner, ends_soon: false, contract: Arc::default(), bundle: Arc::default(), embedded, scripts }
    }

    /// Creates an engine for a process that ends after one reply, so that memory needn't be freed. On a machine that
    /// can't run guests, each policy reports a fault.
    #[must_use]
    pub fn for_one_reply() -> Self {
        Engine { ends_soon: true, ..Engine::from_lazy(LazyEngine::default()) }
    }

    /// Sets the source of the embedded components. Only the first call has an effect.
    pub fn load_embedded_from(&self, artifacts: Box<dyn EmbeddedArtifacts>) {
        self.embedded.load_from(artifacts);
    }

    /// Advances the clock of the time limits by one [`guard_contract::limits::TICK`].
    pub fn tick(&self) {
        if let Some(inner) = self.inner.built() {
            inner.increment_epoch();
        }
    }

    /// Returns the imports and exports of a component. Slow compared with [`Engine::load`]: called once, when an
    /// artifact is made.
    #[must_use]
    pub fn interface(&self, code: &Code) -> Interface {
        let (kind, engine) = (code.component.component_type(), code.component.engine());
        let imports = kind.imports(engine).map(|(name, _)| name.to_owned()).collect();
        let exports = kind.exports(engine).map(|(name, _)| name.to_owned()).collect();
        Interface { imports, exports }
    }

    /// Links a policy. `interface` is the result of [`Engine::interface`] for it.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Contract`] if it isn't a policy.
    pub fn load(&self, code: &Code, interface: &Interface, wasi: Wasi) -> Result<Policy, FaultKind> {
        let link = || GuestPre::new(self.link(&code.component, interface, wasi)?);
        let pre = link().map_err(|error| fault::link_fault(&error, interface))?;
        Ok(Policy { pre: guest::GuestPre::Own(pre), ends_soon: self.ends_soon })
    }

    /// Links the contract's imports. All other imports trap or, with a frozen WASI, return constant answers.
    pub(crate) fn link(
        &self,
        component: &Component,
        interface: &Interface,
        wasi: Wasi,
    ) -> wasmtime::Result<InstancePre<State>> {
        let contract = self.contract()?;
        let answered = |wanted| move |import: &&String| Interface::answered(import, wasi) == wanted;
        if interface.imports.iter().filter(answered(ImportResolution::Contract)).count() == interface.imports.len() {
            return contract.instantiate_pre(component);
        }
        let mut linker = contract.clone();
        for import in interface.imports.iter().filter(answered(ImportResolution::Fixed)) {
            wasi::define(&mut linker, import)?;
        }
        linker.define_unknown_imports_as_traps(component)?;
        linker.instantiate_pre(component)
    }

    fn contract(&self) -> wasmtime::Result<&Linker<State>> {
        if let Some(contract) = self.contract.get() {
            return Ok(contract);
        }
        let mut linker = Linker::new(self.inner.get().map_err(wasmtime::Error::from)?);
        imports::define(&mut linker)?;
        Ok(self.contract.get_or_init(|| linker))
    }
}
