//! [`Compiler`]: makes artifacts. Never used while a harness waits, but for an artifact that is missing.
//!
//! An engine with a compiler runs what it compiled without a file; only tests of policies do that.

use std::sync::Arc;

use wasmtime::component::Component;

use super::{Analyzer, Engine, Policy, engine_config};
use guard_contract::COMPONENT_BYTES;
use guard_contract::{FaultKind, Interface, Wasi};

/// The engine with a compiler.
pub struct Compiler {
    inner: wasmtime::Engine,
}

impl std::fmt::Debug for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Compiler")
    }
}

impl Compiler {
    /// # Errors
    ///
    /// The compiler does not support this machine.
    pub fn new() -> Result<Self, FaultKind> {
        let inner = wasmtime::Engine::new(&engine_config()).map_err(|error| FaultKind::Artifact(error.to_string()))?;
        Ok(Compiler { inner })
    }

    /// Compiles a component to the bytes of an artifact.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Contract`] if `wasm` is no valid component.
    pub fn compile(&self, wasm: &[u8]) -> Result<Vec<u8>, FaultKind> {
        check(wasm)?;
        self.inner.precompile_component(wasm).map_err(|error| FaultKind::Contract(format!("{error:#}")))
    }
}

impl Engine {
    /// An engine that also compiles. It maps artifacts as well.
    ///
    /// # Errors
    ///
    /// The compiler does not support this machine.
    pub fn with_compiler() -> Result<Self, FaultKind> {
        Ok(Engine { inner: Compiler::new()?.inner, contract: Arc::default() })
    }

    /// Compiles and links a policy in memory.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Contract`] if `wasm` is no valid component, or no policy.
    pub fn compile(&self, wasm: &[u8], wasi: Wasi) -> Result<(Policy, Interface), FaultKind> {
        let component = self.component(wasm)?;
        let interface = self.interface_of(&component);
        Ok((self.policy(&component, &interface, wasi)?, interface))
    }

    /// Compiles and links the analyzer in memory.
    ///
    /// # Errors
    ///
    /// As [`Engine::compile`].
    pub fn compile_analyzer(&self, wasm: &[u8]) -> Result<Analyzer, FaultKind> {
        let component = self.component(wasm)?;
        self.analyzer(&component, &self.interface_of(&component))
    }

    fn component(&self, wasm: &[u8]) -> Result<Component, FaultKind> {
        check(wasm)?;
        Component::from_binary(&self.inner, wasm).map_err(|error| FaultKind::Contract(format!("{error:#}")))
    }
}

/// The bytes may be a component's.
pub(super) fn check(wasm: &[u8]) -> Result<(), FaultKind> {
    if wasm.len() > COMPONENT_BYTES {
        return Err(FaultKind::Component(format!("larger than {} MiB", COMPONENT_BYTES >> 20)));
    }
    // Text is refused rather than parsed: with bytes of a component alone the digest names one meaning.
    if wasm.starts_with(b"\0asm\x0d\0\x01\0") {
        return Ok(());
    }
    let kind = if wasm.starts_with(b"\0asm\x01\0\0\0") { ", but a core module" } else { "" };
    Err(FaultKind::Contract(format!("the file is not a WebAssembly component{kind}")))
}
