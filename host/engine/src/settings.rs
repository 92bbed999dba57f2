//! The settings of engines, and wasmtime's engines made with them.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use wasmtime::{Config, Enabled, PoolingAllocationConfig, WasmBacktraceDetails};

use guard_contract::FaultKind;
use guard_contract::limits;

/// Names what an artifact depends on besides the component itself; part of the cache's keys.
///
/// wasmtime refuses an artifact of another configuration by itself; the key saves the attempt.
pub const ENGINE_KEY: &str = concat!("1-", env!("CARGO_PKG_VERSION"), "-", env!("GUARD_WASMTIME"));

/// The most functions that a trap names.
const FRAMES: usize = 8;

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
        // The names of functions, for the author of a policy that traps. They cost nothing until then.
        .wasm_backtrace_max_frames(NonZeroUsize::new(FRAMES))
        // Said here, because wasmtime otherwise asks the environment, and an artifact depends on the answer.
        .wasm_backtrace_details(WasmBacktraceDetails::Disable)
        .generate_address_map(false)
        // Windows finds its way through a stack by it.
        .native_unwind_info(cfg!(windows))
        .concurrency_support(false);
    config
}

/// Room for what runs at once: a chain on each of some processors. Only addresses are taken; a guest's own limits say how
/// much of them it may use.
pub(crate) fn pool() -> PoolingAllocationConfig {
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

/// An engine of wasmtime that is made when it is first asked for.
#[derive(Clone, Default)]
pub(crate) struct LazyEngine(Arc<OnceLock<Result<wasmtime::Engine, FaultKind>>>);

impl LazyEngine {
    pub(crate) fn get(&self) -> Result<&wasmtime::Engine, FaultKind> {
        self.0.get_or_init(|| engine(settings())).as_ref().map_err(Clone::clone)
    }

    pub(crate) fn built(&self) -> Option<&wasmtime::Engine> {
        self.0.get()?.as_ref().ok()
    }
}

impl From<wasmtime::Engine> for LazyEngine {
    fn from(engine: wasmtime::Engine) -> Self {
        LazyEngine(Arc::new(OnceLock::from(Ok(engine))))
    }
}

/// An engine of wasmtime.
pub(crate) fn engine(config: Config) -> Result<wasmtime::Engine, FaultKind> {
    wasmtime::Engine::new(&config).map_err(|error| FaultKind::Artifact(error.to_string()))
}
