//! [`Code`]: compiled components, ready to be linked. The one place that takes bytes for code.

#[cfg(target_os = "linux")]
use std::{fs::File, io::Write as _, os::fd::AsRawFd as _};

use std::ops::Range;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use guard_contract::{COMPONENT_BYTES, FaultKind};
use rustix::mm::{MprotectFlags, mprotect};
use wasmtime::component::Component;
use wasmtime::{Config, CustomCodeMemory};

use crate::Engine;

/// A compiled component in memory.
#[derive(Clone)]
pub struct Code {
    pub(crate) component: Component,
}

impl Code {
    /// The code, if wasmtime could make what its guests' memories begin with; else that of a file in memory.
    ///
    /// Of an artifact that lies in no file wasmtime makes a file in memory for that, and seals it. On a busy machine the
    /// kernel has refused to seal; it does so if something else holds one of the pages for longer than some 150 ms
    /// (`F_ADD_SEALS`, `EBUSY`). An artifact in a file needs no such file.
    fn or_from_file(self, engine: &wasmtime::Engine, artifact: &[u8]) -> Code {
        if self.component.initialize_copy_on_write_image().is_ok() {
            return self;
        }
        #[cfg(target_os = "linux")]
        if let Some(mapped) = read_through_file(engine, artifact) {
            return mapped;
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (engine, artifact);
        // Its start says what is wrong.
        self
    }
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

/// [`Engine::map`] with the engine alone.
#[expect(unsafe_code, reason = "bytes are taken for code; the contract stands beside the block")]
pub(crate) fn map(engine: &wasmtime::Engine, artifact: &Path) -> Result<Code, FaultKind> {
    // SAFETY: wasmtime runs what the file holds as native code. The folder and the file belong to this user and only the
    // user can write to them, and the file's stamp or its digest is the one that an authenticated record holds.
    code(unsafe { Component::deserialize_file(engine, artifact) })
}

/// Uses an artifact of this program. `is_executable`: the build put it into an executable, read-only section, at the start
/// of a page, and it is used where it lies: nothing is opened, mapped or protected. A second engine of the process gets a
/// copy.
///
/// The bytes must be what the build's compiler gave.
#[expect(unsafe_code, reason = "bytes are taken for code; the contract stands beside the block")]
pub(crate) fn carried(
    engine: &wasmtime::Engine,
    artifact: &'static [u8],
    is_executable: bool,
) -> Result<Code, FaultKind> {
    if !(is_executable && claim(artifact)) {
        return read(engine, artifact);
    }
    // SAFETY: the bytes are what the build's compiler gave, they are part of the program's read-only, executable section
    // for as long as it runs, and nothing writes to them.
    let used = code(unsafe { Component::deserialize_raw(engine, NonNull::from(artifact)) })?;
    Ok(used.or_from_file(engine, artifact))
}

/// [`Engine::read`] with the engine alone.
#[expect(unsafe_code, reason = "bytes are taken for code; the contract stands beside the block")]
pub(crate) fn read(engine: &wasmtime::Engine, artifact: &[u8]) -> Result<Code, FaultKind> {
    // SAFETY: wasmtime runs what the bytes hold as native code. They are those that the compiler gave this process or the
    // build.
    let copied = code(unsafe { Component::deserialize(engine, artifact) })?;
    Ok(copied.or_from_file(engine, artifact))
}

/// Maps a file in memory that holds a copy of the artifact, if such a file can be had.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "bytes are taken for code; the contract stands beside the block")]
fn read_through_file(engine: &wasmtime::Engine, artifact: &[u8]) -> Option<Code> {
    let mut file = File::from(rustix::fs::memfd_create(c"artifact", rustix::fs::MemfdFlags::CLOEXEC).ok()?);
    file.write_all(artifact).ok()?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    // SAFETY: as in `read`; a process that could change the file is one of this user, and could change those that `map`
    // takes.
    let component = unsafe { Component::deserialize_file(engine, path) }.ok()?;
    Some(Code { component })
}

/// Lets engines of this configuration run artifacts in place.
pub(crate) fn allow_in_place(config: &mut Config) {
    config.with_custom_code_memory(Some(Arc::new(CodeMemory)));
}

/// Where the artifacts lie that this process runs in place.
static CLAIMED: Mutex<Vec<Range<usize>>> = Mutex::new(Vec::new());

/// Whether nobody in this process has used the artifact so far: wasmtime knows code by its address, and none twice.
fn claim(artifact: &'static [u8]) -> bool {
    let range = artifact.as_ptr_range();
    let range = range.start as usize..range.end as usize;
    let mut claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_new = !claimed.contains(&range);
    if is_new {
        claimed.push(range);
    }
    is_new
}

/// Makes code executable; that of the program is so already.
struct CodeMemory;

impl CodeMemory {
    #[expect(unsafe_code, reason = "memory is made executable; the contract stands beside the block")]
    fn protect(&self, start: *const u8, bytes: usize, flags: MprotectFlags) -> wasmtime::Result<()> {
        let lies_in = |range: &Range<usize>| range.contains(&(start as usize)) && start as usize + bytes <= range.end;
        if CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).iter().any(lies_in) {
            return Ok(());
        }
        // SAFETY: wasmtime hands over whole pages of a mapping of its own, which it does not write to between the two
        // calls, and which nobody else knows.
        unsafe { mprotect(start.cast_mut().cast(), bytes, flags) }.map_err(wasmtime::Error::from)
    }
}

impl CustomCodeMemory for CodeMemory {
    fn required_alignment(&self) -> usize {
        4096
    }

    fn publish_executable(&self, start: *const u8, bytes: usize) -> wasmtime::Result<()> {
        self.protect(start, bytes, MprotectFlags::READ | MprotectFlags::EXEC)
    }

    fn unpublish_executable(&self, start: *const u8, bytes: usize) -> wasmtime::Result<()> {
        self.protect(start, bytes, MprotectFlags::READ | MprotectFlags::WRITE)
    }
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
