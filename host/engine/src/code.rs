//! [`Code`]: compiled components, ready to be linked. The one place that takes bytes for code.

use std::path::Path;
use std::thread;
use std::time::Duration;

use guard_contract::{COMPONENT_BYTES, FaultKind};
use wasmtime::component::Component;

use crate::Engine;

/// Attempts to seal, and the pause between them.
const SEALING: usize = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// A compiled component in memory.
#[derive(Clone)]
pub struct Code {
    pub(crate) component: Component,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Code")
    }
}

impl Engine {
    /// Maps an artifact's file.
    ///
    /// The file must be one that this program's own compiler made and that nobody else could change: the cache ensures
    /// both before a path gets here.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Artifact`] if it is not one of this engine.
    pub fn map(&self, artifact: &Path) -> Result<Code, FaultKind> {
        map(self.inner.get()?, artifact)
    }

    /// Copies an artifact. The bytes must be what this program's own compiler gave: they were compiled just now, or their
    /// digest is one that this program holds.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Artifact`] if it is not one of this engine.
    pub fn read(&self, artifact: &[u8]) -> Result<Code, FaultKind> {
        read(self.inner.get()?, artifact)
    }
}

/// [`Engine::map`] with the engine alone: Windows copies the file. One that is mapped there can't be replaced until the
/// process ends, and not every system that runs its programs maps code.
#[cfg(windows)]
pub(crate) fn map(engine: &wasmtime::Engine, artifact: &Path) -> Result<Code, FaultKind> {
    read(engine, &std::fs::read(artifact).map_err(|error| FaultKind::Artifact(error.to_string()))?)
}

/// [`Engine::map`] with the engine alone.
#[cfg(not(windows))]
#[expect(unsafe_code, reason = "bytes are taken for code; the contract stands beside the block")]
pub(crate) fn map(engine: &wasmtime::Engine, artifact: &Path) -> Result<Code, FaultKind> {
    // SAFETY: wasmtime runs what the file holds as native code. The folder and the file belong to this user and only the
    // user can write to them, and the file's stamp or its digest is the one that an authenticated record holds.
    code(unsafe { Component::deserialize_file(engine, artifact) })
}

/// [`Engine::read`] with the engine alone.
#[expect(unsafe_code, reason = "bytes are taken for code; the contract stands beside the block")]
pub(crate) fn read(engine: &wasmtime::Engine, artifact: &[u8]) -> Result<Code, FaultKind> {
    // SAFETY: wasmtime runs what the bytes hold as native code. They are those that the compiler gave this process or the
    // build.
    let copied = code(unsafe { Component::deserialize(engine, artifact) })?;
    // For an artifact without a file, wasmtime puts the initial memory into a memfd and seals it. Linux refuses to seal while
    // something holds one of its pages (`F_ADD_SEALS`, `EBUSY`); this was seen on a busy machine.
    for _ in 0..SEALING {
        if copied.component.initialize_copy_on_write_image().is_ok() {
            break;
        }
        thread::sleep(PAUSE);
    }
    // If sealing still fails, instantiation reports it.
    Ok(copied)
}

fn code(component: wasmtime::Result<Component>) -> Result<Code, FaultKind> {
    component.map(|component| Code { component }).map_err(|error| FaultKind::Artifact(error.to_string()))
}

/// The bytes may be a component's.
///
/// # Errors
///
/// [`FaultKind::Component`] if there are more than [`COMPONENT_BYTES`], [`FaultKind::Contract`] if they are something
/// else.
pub fn check(wasm: &[u8]) -> Result<(), FaultKind> {
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
