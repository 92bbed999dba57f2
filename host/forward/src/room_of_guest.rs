//! Where a guest has its blocks: what its memory has behind its data from the start. The linker's `--initial-heap` makes
//! room there, which spares the host the growing of the memory.

#[cfg(not(target_os = "unknown"))]
compile_error!("the standard library of this target uses the same room");

/// Where the blocks begin is a multiple of this, says the linker.
pub(crate) const ALIGNED: usize = 16;

#[expect(unsafe_code, reason = "symbols of the linker, of which only the addresses mean something")]
unsafe extern "C" {
    static __heap_base: u8;
    static __heap_end: u8;
}

pub(crate) fn start() -> *mut u8 {
    (&raw const __heap_base).cast_mut()
}

pub(crate) fn bytes() -> usize {
    (&raw const __heap_end) as usize - start() as usize
}
