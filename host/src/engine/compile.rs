//! [`Compiler`]: makes artifacts. Never used while a harness waits, but for an artifact that is missing.

use super::{FaultKind, engine_config};

/// The largest component that is taken. The largest toolchain output that was seen is 18 MB.
pub const COMPONENT_BYTES: usize = 64 << 20;

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
        if wasm.len() > COMPONENT_BYTES {
            return Err(FaultKind::Component(format!("larger than {} MiB", COMPONENT_BYTES >> 20)));
        }
        // Text is refused rather than parsed: with bytes of a component alone the digest names one meaning.
        if !wasm.starts_with(b"\0asm\x0d\0\x01\0") {
            return Err(FaultKind::Contract("the file is not a WebAssembly component".to_owned()));
        }
        self.inner.precompile_component(wasm).map_err(|error| FaultKind::Contract(format!("{error:#}")))
    }
}
