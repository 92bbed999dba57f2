//! [`Code`]: compiled components, ready to be linked. The only place that treats bytes as code.

use std::path::Path;
use std::thread;
use std::time::Duration;

use guard_contract::{COMPONENT_BYTES, FaultKind};
use wasmtime::component::Component;

use crate::Engine;

/// Maximum attempts to seal a memfd, and the pause between them.
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
    /// The file must have been written by guard-host's own compiler, and no other user may be able to write to it. The
    /// cache ensures both before it passes a path.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Artifact`] if it wasn't compiled for this engine.
    pub fn map(&self, artifact: &Path) -> Result<Code, FaultKind> {
        map(self.inner.get()?, artifact)
    }

    /// Copies an artifact. The bytes must come from guard-host's own compiler: either it has just compiled them, or
    /// their digest is embedded in this program.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Artifact`] if it wasn't compiled for this engine.
    pub fn read(&self, artifact: &[u8]) -> Result<Code, FaultKind> {
        read(self.inner.get()?, artifact)
    }
}

/// [`Engine::map`] for wasmtime's engine. On Windows the file is copied, because a mapped file can't be replaced until
/// the process ends, and Wine can't map code.
#[cfg(windows)]
pub(crate) fn map(engine: &wasmtime::Engine, artifact: &Path) -> Result<Code, FaultKind> {
    read(engine, &std::fs::read(artifact).map_err(|error| FaultKind::Artifact(error.to_string()))?)
}

/// [`Engine::map`] for wasmtime's engine.
#[cfg(not(windows))]
#[expect(unsafe_code, reason = "bytes are taken for code; the contract stands beside the block")]
pub(crate) fn map(engine: &wasmtime::Engine, artifact: &Path) -> Result<Code, FaultKind> {
    // SAFETY: wasmtime runs the file's contents as native code. Only this user can write to the folder and the file,
    // and an authenticated record confirms the file's stamp or digest.
    code(unsafe { Component::deserialize_file(engine, artifact) })
}

/// [`Engine::read`] for wasmtime's engine.
#[expect(unsafe_code, reason = "bytes are taken for code; the contract stands beside the block")]
pub(crate) fn read(engine: &wasmtime::Engine, artifact: &[u8]) -> Result<Code, FaultKind> {
    // SAFETY: wasmtime runs the bytes as native code. They come from guard-host's compiler, in this process or in the
    // build.
    let copied = code(unsafe { Component::deserialize(engine, artifact) })?;
    // For an artifact without a file, wasmtime puts the initial memory into a memfd and seals it. Linux refuses to seal
    // it (`F_ADD_SEALS` fails with `EBUSY`) while one of its pages is in use, which was seen on a busy machine.
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

/// Checks that the bytes are a component of an acceptable size.
///
/// # Errors
///
/// [`FaultKind::Component`] if there are more than [`COMPONENT_BYTES`], [`FaultKind::Contract`] if they aren't a
/// component.
pub fn check(wasm: &[u8]) -> Result<(), FaultKind> {
    if wasm.len() > COMPONENT_BYTES {
        return Err(FaultKind::Component(format!("larger than {} MiB", COMPONENT_BYTES >> 20)));
    }
    // The text format is rejected: with the binary format alone, a digest identifies one component.
    if wasm.starts_with(b"\0asm\x0d\0\x01\0") {
        return Ok(());
    }
    let kind = match wasm {
        _ if wasm.starts_with(b"\0asm\x01\0\0\0") => ", but a core module",
        _ if is_rego(wasm) => ", but Rego: write `source = \"builtin:rego\"`, and this file as `settings-file`",
        _ => "",
    };
    Err(FaultKind::Contract(format!("the file is not a WebAssembly component{kind}")))
}

/// Returns whether the file is a Rego module.
fn is_rego(text: &[u8]) -> bool {
    let lines = str::from_utf8(text).unwrap_or_default().lines().map(str::trim);
    let mut code = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    code.next().is_some_and(|line| line.starts_with("package "))
}
