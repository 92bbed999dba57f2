//! The sandbox: the one crate of the workspace that knows wasmtime.
//!
//! [`settings`] are shared with the program that compiles, so that artifacts fit.
//!
//! # Invariants
//!
//! - There is no compiler in this crate; it runs artifacts only.
//! - `code.rs` is the only file with unsafe blocks. Every byte that it takes for code was made by guard-host's own
//!   compiler.
//! - A store serves one call of one policy. No policy sees another's memory, and an instance that trapped is not called
//!   again.
//! - A policy gets only the facts that its grants allow. Any other import traps, or, with `wasi = "frozen"`, gives an
//!   answer that never changes and holds nothing of the machine.
//! - A guest cannot make a call long: its processor time, memory, stack and the size of its answer have limits.
//! - Whatever goes wrong in a guest becomes a [`FaultKind`].

mod bindings;
mod convert;
mod disposable;
pub mod analysis;
pub mod clock;
pub mod facts;
mod code;
mod fault;
mod imports;
mod instance;
mod manifest;
mod meter;
mod snapshot;
mod wasi;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{
    Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig, Store, Trap, UpdateDeadline,
    WasmBacktraceDetails,
};

use code::InPlace;
pub use code::{Code, check};
pub use imports::Scene;
pub use instance::{CallResult, Instance};
pub use manifest::{Breach, BreachKind, breaches, check_manifest};
use meter::Meter;
pub use meter::Used;

use bindings::{AnalyzerGuest, AnalyzerGuestPre, Guest, GuestPre};
use convert::Convert;
use guard_contract::grants::Grants;
use guard_contract::limits::{self, Limits};
use guard_contract::syntax::Analysis;
use guard_contract::{Decision, FaultKind, ImportResolution, Interface, JournalLine, LogLine, Manifest, Wasi};
use imports::State;

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
    inner: wasmtime::Engine,
    in_place: InPlace,
    /// The process ends with the reply.
    ends_soon: bool,
    /// The contract's imports, defined once for all policies.
    contract: Arc<OnceLock<Linker<State>>>,
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
    /// in is cleared and used again, which costs less than to ask the system for it each time.
    ///
    /// # Errors
    ///
    /// As [`Engine::new`].
    pub fn for_many_replies() -> Result<Self, FaultKind> {
        // Where the addresses for it cannot be had, each instance asks the system for its own.
        Engine::with(InstanceAllocationStrategy::Pooling(pool())).or_else(|_| Engine::new())
    }

    fn with(strategy: InstanceAllocationStrategy) -> Result<Self, FaultKind> {
        let mut config = settings();
        InPlace::allow(&mut config);
        config.allocation_strategy(strategy);
        let inner = wasmtime::Engine::new(&config).map_err(|error| FaultKind::Artifact(error.to_string()))?;
        Ok(Engine { inner, in_place: InPlace::default(), ends_soon: false, contract: Arc::default() })
    }

    /// An engine for a process that ends with its reply: what a call leaves behind is not taken apart.
    ///
    /// # Errors
    ///
    /// As [`Engine::new`].
    pub fn for_one_reply() -> Result<Self, FaultKind> {
        Ok(Engine { ends_soon: true, ..Engine::new()? })
    }

    /// Moves the clock of time limits on by one [`limits::TICK`].
    pub fn tick(&self) {
        self.inner.increment_epoch();
    }

    /// What a component imports and exports. Slow beside [`Engine::load`]: asked once, when an artifact is made.
    #[must_use]
    pub fn interface(&self, code: &Code) -> Interface {
        let kind = code.component.component_type();
        let imports = kind.imports(&self.inner).map(|(name, _)| name.to_owned()).collect();
        let exports = kind.exports(&self.inner).map(|(name, _)| name.to_owned()).collect();
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
        Ok(Policy { pre, ends_soon: self.ends_soon })
    }

    /// Links the analyzer.
    ///
    /// # Errors
    ///
    /// As [`Engine::load`].
    pub fn load_analyzer(&self, code: &Code, interface: &Interface) -> Result<Analyzer, FaultKind> {
        let link = || AnalyzerGuestPre::new(self.link(&code.component, interface, Wasi::Absent)?);
        let pre = link().map_err(|error| fault::of_link(&error, interface))?;
        Ok(Analyzer { pre, ends_soon: self.ends_soon })
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
        let mut linker = Linker::new(&self.inner);
        imports::define(&mut linker)?;
        Ok(self.contract.get_or_init(|| linker))
    }
}

/// A policy that is linked and can be asked, any number of times.
#[derive(Clone)]
pub struct Policy {
    pre: GuestPre<State>,
    ends_soon: bool,
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Policy")
    }
}

/// What a policy is asked.
#[derive(Debug)]
pub struct Question<'a> {
    /// What it can learn of the call.
    pub scene: Scene,
    /// What it may ask for.
    pub grants: Arc<Grants>,
    /// What its answer is held against.
    pub manifest: &'a Manifest,
    /// The tool's name.
    pub tool: &'a str,
    /// The tool's input: JSON.
    pub input: &'a str,
}

/// What a policy gave back: its answer, and what it left behind on the way.
#[derive(Debug)]
pub struct Answer {
    /// The decision, or why there is none.
    pub decision: Result<Decision, FaultKind>,
    /// What it wants written. Kept also when the decision is a fault.
    pub journal: Vec<JournalLine>,
    /// Its trace.
    pub log: Vec<LogLine>,
    /// The imports that it called, in order.
    pub asked: Vec<String>,
    /// What it used of its limits.
    pub used: Used,
}

impl Answer {
    /// The answer of a policy that could not even be asked.
    #[must_use]
    pub fn fault(fault: FaultKind) -> Self {
        Answer { decision: Err(fault), journal: Vec::new(), log: Vec::new(), asked: Vec::new(), used: Used::default() }
    }
}

impl Policy {
    /// Starts an instance and gives it its settings: all that can be done before it is known what a call does. `settings`
    /// is the JSON for `configure`; none if the component holds what it left there. What goes wrong is the answer later.
    #[must_use]
    pub fn ready(&self, limits: Limits, settings: Option<&str>) -> Ready {
        let (mut store, meter) = self.store(limits);
        let guest = run(&mut store, &self.pre, |store, guest| {
            let Some(settings) = settings else { return Ok(Ok(guest)) };
            let refused = guest.guard_policy_policy().call_configure(&mut *store, settings)?.err();
            Ok(refused.map_or(Ok(guest), |text| Err(FaultKind::refused("configure", &text))))
        });
        let used = meter.used(&store.data().limits).processor;
        Ready { store, guest, limits, used, ends_soon: self.ends_soon }
    }

    /// Gives its settings to a fresh instance, and asks nothing.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Refused`], or what else went wrong.
    pub fn configure(&self, limits: Limits, settings: &str) -> Result<(), FaultKind> {
        self.ready(limits, Some(settings)).guest.map(|_| ())
    }

    /// Asks the policy what it is.
    ///
    /// # Errors
    ///
    /// It cannot say so, or what it says breaks the contract.
    pub fn describe(&self, limits: Limits) -> Result<Manifest, FaultKind> {
        let (mut store, _) = self.store(limits);
        let manifest = run(&mut store, &self.pre, |store, guest| {
            Ok(Ok(guest.guard_policy_policy().call_describe(&mut *store)?.convert()))
        })?;
        manifest::check_manifest(&manifest)?;
        Ok(manifest)
    }

    fn store(&self, limits: Limits) -> (Store<State>, Meter) {
        let mut store = Store::new(self.pre.engine(), State::new(limits));
        let meter = bound(&mut store, limits, Duration::ZERO);
        (store, meter)
    }
}

/// An instance that has its settings and waits for a call. It answers one.
pub struct Ready {
    store: Store<State>,
    guest: Result<Guest, FaultKind>,
    limits: Limits,
    /// The processor time that it took so far, maybe on another thread.
    used: Duration,
    ends_soon: bool,
}

impl std::fmt::Debug for Ready {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ready")
    }
}

impl Ready {
    /// Asks the policy, with what is left of its limits. The decision is checked against the manifest.
    #[must_use]
    pub fn decide(self, question: Question<'_>) -> Answer {
        let Question { scene, grants, manifest, tool, input } = question;
        let Ready { mut store, guest, limits, used, ends_soon } = self;
        let meter = bound(&mut store, limits, used);
        let state = store.data_mut();
        state.scene = Some(scene);
        state.grants = grants;
        let decision = guest.and_then(|guest| {
            let answer = guest.guard_policy_policy().call_decide(&mut store, tool, input);
            answer.map_err(|error| fault::of_call(&error, &store)).and_then(|answer| match answer {
                Ok(decision) => manifest::check_decision(manifest, decision.convert()),
                Err(text) => Err(FaultKind::refused("decide", &text)),
            })
        });
        let state = end(store, ends_soon);
        let Used { processor, memory } = meter.used(&state.limits);
        let used = Used { processor: processor + used, memory };
        Answer { decision, journal: state.journal, log: state.log, asked: state.asked, used }
    }
}

/// What a call left in its store.
fn end(mut store: Store<State>, ends_soon: bool) -> State {
    if !ends_soon {
        return store.into_data();
    }
    let state = std::mem::replace(store.data_mut(), State::new(Limits::DEFAULT));
    // To give gigabytes of addresses back takes longer than the process has left.
    std::mem::forget(store);
    state
}

/// Puts a store under what is left of its limits after `used`.
fn bound(store: &mut Store<State>, limits: Limits, used: Duration) -> Meter {
    store.limiter(|state| &mut state.limits);
    let meter = Meter::start(limits, used);
    store.set_epoch_deadline(meter.left().unwrap_or(1));
    store.epoch_deadline_callback(move |_| match meter.left() {
        Some(ticks) => Ok(UpdateDeadline::Continue(ticks)),
        None => Err(Trap::Interrupt.into()),
    });
    store.set_hostcall_fuel(limits::COPY_BYTES);
    meter
}

fn run<T>(
    store: &mut Store<State>,
    pre: &GuestPre<State>,
    body: impl FnOnce(&mut Store<State>, Guest) -> wasmtime::Result<Result<T, FaultKind>>,
) -> Result<T, FaultKind> {
    let guest = instantiate(store, pre)?;
    body(store, guest).unwrap_or_else(|error| Err(fault::of_call(&error, store)))
}

fn instantiate(store: &mut Store<State>, pre: &GuestPre<State>) -> Result<Guest, FaultKind> {
    pre.instantiate(store).map_err(|error| match fault::of_run(&error, None) {
        // Nothing of the guest's doing: the machine has no room for it now, and may have later.
        FaultKind::BadAnswer(text) => FaultKind::Artifact(text),
        fault => fault,
    })
}

/// The component that understands shell text, linked.
#[derive(Clone)]
pub struct Analyzer {
    pre: AnalyzerGuestPre<State>,
    ends_soon: bool,
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Analyzer")
    }
}

impl Analyzer {
    /// Analyses one text in a store of its own.
    ///
    /// # Errors
    ///
    /// It ran out of its limits or trapped. The caller must take the text for unparsed.
    pub fn analyze(&self, source: &str, dialect: &str, cwd: &str, home: &str) -> Result<Analysis, FaultKind> {
        let limits = Limits::ANALYZER;
        let mut store = Store::new(self.pre.engine(), State::new(limits));
        bound(&mut store, limits, Duration::ZERO);
        let analyze = |store: &mut Store<State>| {
            let guest: AnalyzerGuest = self.pre.instantiate(&mut *store)?;
            guest.guard_policy_analyzer().call_analyze(&mut *store, source, dialect, cwd, home)
        };
        let analysis = analyze(&mut store);
        if self.ends_soon {
            std::mem::forget(store);
        }
        analysis.map(Convert::convert).map_err(|error| fault::of_run(&error, None))
    }
}
