//! The settings of wasmtime's engines.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use wasmtime::{Config, Enabled, PoolingAllocationConfig, WasmBacktraceDetails};

use guard_contract::FaultKind;
use guard_contract::limits;

/// Identifies what an artifact depends on besides the component. Part of the cache's keys.
///
/// wasmtime itself refuses an artifact of another configuration. The key avoids the attempt.
pub const ENGINE_KEY: &str = concat!("1-", env!("CARGO_PKG_VERSION"), "-", env!("GUARD_WASMTIME"));

/// The maximum number of functions that a trap lists.
const FRAMES: usize = 8;

/// Returns the settings of all engines, in the compiler and in the programs that run artifacts.
///
/// An artifact records the settings that it was compiled with, and an engine with other settings refuses it.
#[must_use]
pub fn settings() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        .max_wasm_stack(limits::STACK_BYTES)
        // Function names in traps, for policy authors. They cost nothing without a trap.
        .wasm_backtrace_max_frames(NonZeroUsize::new(FRAMES))
        // Set explicitly, because wasmtime's default depends on an environment variable, and artifacts depend on the
        // setting.
        .wasm_backtrace_details(WasmBacktraceDetails::Disable)
        .generate_address_map(false)
        // Windows needs it to unwind stacks.
        .native_unwind_info(cfg!(windows))
        .concurrency_support(false);
    config
}

/// Returns a pool for chains that run at once on several processors. It only reserves address space. A guest's own
/// limits restrict how much of it is used.
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

/// A wasmtime engine that is created on first use.
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

/// Creates a wasmtime engine.
pub(crate) fn engine(config: Config) -> Result<wasmtime::Engine, FaultKind> {
    wasmtime::Engine::new(&config).map_err(|error| FaultKind::Artifact(error.to_string()))
}
