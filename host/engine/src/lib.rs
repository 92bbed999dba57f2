//! The sandbox: the one crate of the workspace that knows wasmtime.
//!
//! [`settings`] are shared with the program that compiles, so that artifacts fit.
//!
//! # Invariants
//!
//! - There is no compiler in this crate; it runs artifacts only.
//! - `code.rs` and `memory.rs` are the only files with unsafe blocks. Every byte that the first takes for code was made by
//!   guard-host's own compiler; the second makes the memory of the component that the program carries.
//! - A store serves one call: of one policy, or of the analyzer and the policies that the program carries in one component.
//!   No policy of others sees the memory of another one, and an instance that trapped is not called again.
//! - A policy gets only the facts that its grants allow. Any other import traps, or, with `wasi = "frozen"`, gives an
//!   answer that never changes and holds nothing of the machine.
//! - A guest cannot make a call long: its processor time, memory, stack and the size of its answer have limits.
//! - Whatever goes wrong in a guest becomes a [`FaultKind`].

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

mod bindings;
mod bundle;
mod convert;
pub mod clock;
mod code;
mod fault;
mod guest;
mod imports;
mod instance;
mod memory;
mod meter;
mod policy;
mod scripts;
mod snapshot;
mod wasi;

use std::sync::{Arc, OnceLock};

use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{
    Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig, Store, Trap, UpdateDeadline,
    WasmBacktraceDetails,
};

pub use bundle::{Analyzer, Bundle, Carried, Shared};
pub use code::{Code, check};
pub use instance::{CallResult, Instance};
pub use memory::InitialMemory;
use meter::Meter;
pub use policy::Policy;
pub use scripts::LoadScripts;

use bindings::GuestPre;
use guard_contract::limits::{self, Limits};
use guard_contract::{FaultKind, ImportResolution, Interface, Wasi};
use imports::State;
use scripts::Scripts;

/// Compiles a component to the bytes of an artifact. The program that does it is not this one; see `guard-compiler`.
///
/// # Errors
///
/// [`FaultKind::Contract`] if the bytes are no valid component, [`FaultKind::Artifact`] if there is no compiling here.
pub type Compile = fn(&[u8]) -> Result<Vec<u8>, FaultKind>;

/// Names what an artifact depends on besides the component itself; part of the cache's keys.
///
/// wasmtime refuses an artifact of another configuration by itself; the key saves the attempt.
pub const ENGINE_KEY: &str = concat!("1-", env!("CARGO_PKG_VERSION"), "-", env!("GUARD_WASMTIME"));

/// The settings of every engine, of the program that compiles and of those that run.
///
/// Artifacts carry the settings that they were compiled with, and an engine of other settings refuses them.
#[must_use]
pub fn settings() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        .max_wasm_stack(limits::STACK_BYTES)
        // A fault is told by its kind; frames of stripped guests tell nobody anything and cost space in each artifact.
        .wasm_backtrace_max_frames(None)
        // Said here, because wasmtime otherwise asks the environment, and an artifact depends on the answer.
        .wasm_backtrace_details(WasmBacktraceDetails::Disable)
        .generate_address_map(false)
        .native_unwind_info(false)
        .concurrency_support(false);
    config
}

/// Room for what runs at once: a chain on each of some processors. Only addresses are taken; a guest's own limits say how
/// much of them it may use.
fn pool() -> PoolingAllocationConfig {
    const AT_ONCE: u32 = 256;
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(AT_ONCE)
        .total_core_instances(8 * AT_ONCE)
        .total_memories(AT_ONCE)
        .total_tables(AT_ONCE)
        .max_memories_per_component(16)
        .max_tables_per_component(64)
        .max_tables_per_module(64)
        .max_memories_per_module(16)
        .max_component_instance_size(1 << 20)
        .max_core_instance_size(1 << 20)
        .table_elements(100_000)
        .linear_memory_keep_resident(256 << 10)
        .table_keep_resident(16 << 10)
        .pagemap_scan(Enabled::Auto);
    pool
}

/// The engine that runs guests. There is no compiler in it: it runs artifacts.
#[derive(Clone)]
pub struct Engine {
    inner: Late,
    /// The process ends with the reply.
    ends_soon: bool,
    /// The bundle with its data, where memories are filled by wasmtime.
    whole_bundle: Option<&'static [u8]>,
    /// The contract's imports, defined once for all policies.
    contract: Arc<OnceLock<Linker<State>>>,
    /// The component that the program carries, linked once.
    bundle: Arc<OnceLock<Result<Bundle, FaultKind>>>,
    /// What reads the scripts of commands.
    scripts: Scripts,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engine")
    }
}

impl Engine {
    /// # Errors
    ///
    /// The machine cannot run compiled guests at all.
    pub fn new() -> Result<Self, FaultKind> {
        Engine::with(InstanceAllocationStrategy::OnDemand)
    }

    /// An engine for a process that decides many calls, one after the other or on all processors: what an instance lived
    /// in is cleared and used again, which costs less than to ask the system for it each time. `whole_bundle` is the
    /// bundle's artifact with its data: what the build's compiler gave.
    ///
    /// # Errors
    ///
    /// As [`Engine::new`].
    pub fn for_many_replies(whole_bundle: Option<&'static [u8]>) -> Result<Self, FaultKind> {
        // Where the addresses for it cannot be had, each instance asks the system for its own.
        let pooling = Engine::with(InstanceAllocationStrategy::Pooling(pool()));
        pooling.map(|engine| Engine { whole_bundle, ..engine }).or_else(|_| Engine::new())
    }

    fn with(strategy: InstanceAllocationStrategy) -> Result<Self, FaultKind> {
        let mut config = settings();
        config.allocation_strategy(strategy);
        Ok(Engine::of(Late::from(engine(config)?)))
    }

    fn of(inner: Late) -> Self {
        let scripts = Scripts::new(inner.clone());
        let (contract, bundle) = (Arc::default(), Arc::default());
        Engine { inner, ends_soon: false, whole_bundle: None, contract, bundle, scripts }
    }

    /// An engine for a process that ends with its reply: what a call leaves behind is not taken apart, and what runs all but
    /// the bundle is made when it is first needed. On a machine that cannot run guests each policy has a fault.
    #[must_use]
    pub fn for_one_reply() -> Self {
        Engine { ends_soon: true, ..Engine::of(Late::default()) }
    }

    /// Says where the reader of scripts comes from, if nobody has said so. It is loaded when a call first holds a script;
    /// without it a script may do anything.
    pub fn load_scripts_with(&self, load: Box<LoadScripts>) {
        self.scripts.load_with(load);
    }

    /// Moves the clock of time limits on by one [`limits::TICK`].
    pub fn tick(&self) {
        let inner = self.inner.made();
        if let Some(inner) = inner {
            inner.increment_epoch();
        }
        if let Some(Ok(bundle)) = self.bundle.get() {
            bundle.tick(inner);
        }
    }

    /// What a component imports and exports. Slow beside [`Engine::load`]: asked once, when an artifact is made.
    #[must_use]
    pub fn interface(&self, code: &Code) -> Interface {
        let (kind, engine) = (code.component.component_type(), code.component.engine());
        let imports = kind.imports(engine).map(|(name, _)| name.to_owned()).collect();
        let exports = kind.exports(engine).map(|(name, _)| name.to_owned()).collect();
        Interface { imports, exports }
    }

    /// Links a policy. `interface` is what [`Engine::interface`] gave for it.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Contract`] if it is no policy.
    pub fn load(&self, code: &Code, interface: &Interface, wasi: Wasi) -> Result<Policy, FaultKind> {
        let link = || GuestPre::new(self.link(&code.component, interface, wasi)?);
        let pre = link().map_err(|error| fault::of_link(&error, interface))?;
        Ok(Policy { pre: guest::GuestPre::Own(pre), ends_soon: self.ends_soon })
    }

    /// Links the contract's imports; of all others only what never changes, and traps.
    fn link(&self, component: &Component, interface: &Interface, wasi: Wasi) -> wasmtime::Result<InstancePre<State>> {
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

/// An engine of wasmtime that is made when it is first asked for.
#[derive(Clone, Default)]
struct Late(Arc<OnceLock<Result<wasmtime::Engine, FaultKind>>>);

impl Late {
    fn get(&self) -> Result<&wasmtime::Engine, FaultKind> {
        self.0.get_or_init(|| engine(settings())).as_ref().map_err(Clone::clone)
    }

    fn made(&self) -> Option<&wasmtime::Engine> {
        self.0.get()?.as_ref().ok()
    }
}

impl From<wasmtime::Engine> for Late {
    fn from(engine: wasmtime::Engine) -> Self {
        Late(Arc::new(OnceLock::from(Ok(engine))))
    }
}

/// An engine of wasmtime, which uses what the program carries in place.
fn engine(mut config: Config) -> Result<wasmtime::Engine, FaultKind> {
    code::allow_in_place(&mut config);
    wasmtime::Engine::new(&config).map_err(|error| FaultKind::Artifact(error.to_string()))
}

/// Puts a store under its limits, from now on.
fn bound(store: &mut Store<State>, limits: Limits) -> Meter {
    store.limiter(|state| &mut state.limits);
    let meter = Meter::start(limits);
    store.set_epoch_deadline(meter.first_look());
    store.epoch_deadline_callback(move |_| match meter.left() {
        Some(ticks) => Ok(UpdateDeadline::Continue(ticks)),
        None => Err(Trap::Interrupt.into()),
    });
    store.set_hostcall_fuel(limits::COPY_BYTES);
    meter
}
