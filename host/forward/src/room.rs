//! Where a process has its blocks: zero pages of the program. Pages that nobody touches cost nothing.

use std::cell::UnsafeCell;

const BYTES: usize = 8 << 20;

/// Where the blocks begin is a multiple of this.
pub(crate) const ALIGNED: usize = 4096;

#[repr(C, align(4096))]
struct Blocks(UnsafeCell<[u8; BYTES]>);

// SAFETY: this module gives the address alone. The bytes of a block belong to who holds it.
#[expect(unsafe_code, reason = "the contract stands above")]
unsafe impl Sync for Blocks {}

/// In a section of its own, so that the rest of the zeros lies together, on few pages.
#[cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "linkers know sections of this name for zeros without a place in the file")
)]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".bss.guard_blocks"))]
static BLOCKS: Blocks = Blocks(UnsafeCell::new([0; BYTES]));

pub(crate) fn start() -> *mut u8 {
    BLOCKS.0.get().cast()
}

pub(crate) fn bytes() -> usize {
    BYTES
}

/// Asks for the first pages at once, which every call takes: that is faster than to touch one after the other. A system
/// that knows no such request gives them when they are touched.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "changes no byte: the pages are there sooner")]
pub(crate) fn make_ready() {
    use rustix::mm::{Advice, madvise};
    const READY: usize = 120 << 10;
    // SAFETY: the pages are part of the blocks, which are mapped for as long as the process runs.
    let _ = unsafe { madvise(start().cast(), READY, Advice::LinuxPopulateWrite) };
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn make_ready() {}
