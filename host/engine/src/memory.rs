//! [`InitialMemory`]: the data that a component of the program expects in its memory, and memories that begin with it.
//!
//! wasmtime copies the data of a component into a file in memory, which all instances then share. A process that decides
//! one call has one instance, which reads a tenth of the data. Here its memory begins with the pages of the program
//! itself, and what is not read is not touched.

use std::ptr;
use std::sync::Arc;

use rustix::io;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
use wasmtime::{Config, LinearMemory, MemoryCreator, MemoryType};

/// What a component's memory begins with.
#[derive(Debug, Clone, Copy)]
pub struct InitialMemory {
    /// Whole pages, where the program's file is mapped to be read.
    pub bytes: &'static [u8],
    /// Where they belong in the memory, in bytes.
    pub offset: usize,
}

/// Gives every memory of engines of this configuration the same beginning. They run components whose data was taken out.
pub(crate) fn fill(config: &mut Config, with: InitialMemory) {
    config.with_host_memory(Arc::new(Filled(with)));
}

struct Filled(InitialMemory);

#[expect(unsafe_code, reason = "memory of guests is made; the contract stands beside the block")]
// SAFETY: each memory is a mapping of its own, which nobody but wasmtime knows. It reserves what is asked for and the
// guard behind it, does not move, and is accessible up to its size only.
unsafe impl MemoryCreator for Filled {
    fn new_memory(
        &self,
        _: MemoryType,
        minimum: usize,
        _: Option<usize>,
        reserved: Option<usize>,
        guard: usize,
    ) -> Result<Box<dyn LinearMemory>, String> {
        let made = Memory::new(minimum, reserved.unwrap_or(minimum).max(minimum), guard);
        let made = made.and_then(|memory| memory.with(self.0));
        made.map(|memory| Box::new(memory) as _).map_err(|error| error.to_string())
    }
}

/// A part of a mapping that stays unmapped in front of each memory, in bytes, as wasmtime has it by itself.
const BEFORE: usize = 32 << 20;

/// Addresses, not pointers, since a memory may go to another thread.
struct Memory {
    base: usize,
    size: usize,
    capacity: usize,
    guard: usize,
}

impl Memory {
    #[expect(unsafe_code, reason = "memory of guests is made; the contract stands beside the block")]
    fn new(size: usize, capacity: usize, guard: usize) -> io::Result<Self> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a new mapping, at an address that the system chooses.
        let start =
            unsafe { mmap_anonymous(ptr::null_mut(), BEFORE + capacity + guard, ProtFlags::empty(), flags) }? as usize;
        let mut memory = Memory { base: start + BEFORE, size: 0, capacity, guard };
        memory.open(size)?;
        Ok(memory)
    }

    /// Makes it accessible up to this size.
    #[expect(unsafe_code, reason = "memory of guests is made; the contract stands beside the block")]
    fn open(&mut self, size: usize) -> io::Result<()> {
        let more = size.checked_sub(self.size).filter(|_| size <= self.capacity).ok_or(io::Errno::NOMEM)?;
        let (end, flags) = (self.base + self.size, MprotectFlags::READ | MprotectFlags::WRITE);
        // SAFETY: the range lies in this mapping.
        unsafe { mprotect(end as *mut _, more, flags) }?;
        self.size = size;
        Ok(())
    }

    /// The memory with the data in its place: the pages of the program if the system can, and a copy otherwise.
    #[expect(unsafe_code, reason = "memory of guests is made; the contract stands beside the blocks")]
    fn with(self, data: InitialMemory) -> io::Result<Self> {
        let InitialMemory { bytes, offset } = data;
        if offset.checked_add(bytes.len()).is_none_or(|end| end > self.size) {
            return Err(io::Errno::INVAL);
        }
        let place = self.base + offset;
        #[cfg(target_os = "linux")]
        if let Some(pages) = second_mapping(bytes) {
            use rustix::mm::{MremapFlags, mremap_fixed};
            // SAFETY: the pages are a mapping that nobody else knows, and they take the place of as many of this one.
            let moved = unsafe {
                mprotect(pages, bytes.len(), MprotectFlags::READ | MprotectFlags::WRITE)
                    .and_then(|()| mremap_fixed(pages, bytes.len(), bytes.len(), MremapFlags::MAYMOVE, place as *mut _))
            };
            if let Err(error) = moved {
                // There may be a hole now, which another mapping could fill: this one is never given back.
                std::mem::forget(self);
                return Err(error);
            }
            return Ok(self);
        }
        // SAFETY: the range was checked, it is accessible, and no other memory overlaps a mapping of its own.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place as *mut u8, bytes.len()) };
        Ok(self)
    }
}

/// Maps the same pages of the program's file a second time, from Linux 5.13 on.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "pages of the program are mapped again; the contract stands beside the block")]
fn second_mapping(bytes: &'static [u8]) -> Option<*mut std::ffi::c_void> {
    use rustix::mm::{MremapFlags, mremap};
    let (flags, length) = (MremapFlags::MAYMOVE | MremapFlags::DONTUNMAP, bytes.len());
    // SAFETY: the old mapping stays, and what it shows is the file: nobody can have written to it.
    unsafe { mremap(bytes.as_ptr().cast_mut().cast(), length, length, flags) }.ok()
}

impl Drop for Memory {
    #[expect(unsafe_code, reason = "memory of guests is given back; the contract stands beside the block")]
    fn drop(&mut self) {
        // SAFETY: the whole of this mapping, which nobody uses any more.
        let _ = unsafe { munmap((self.base - BEFORE) as *mut _, BEFORE + self.capacity + self.guard) };
    }
}

#[expect(unsafe_code, reason = "memory of guests is made; the contract stands beside the block")]
// SAFETY: the base never moves, and what is said to be accessible is.
unsafe impl LinearMemory for Memory {
    fn byte_size(&self) -> usize {
        self.size
    }

    fn byte_capacity(&self) -> usize {
        self.capacity
    }

    fn grow_to(&mut self, size: usize) -> wasmtime::Result<()> {
        Ok(self.open(size)?)
    }

    fn as_ptr(&self) -> *mut u8 {
        self.base as *mut u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pages of this program's file.
    #[repr(align(4096))]
    struct Pages([u8; 8192]);
    static PAGES: Pages = Pages([7; 8192]);

    fn at(memory: &Memory, place: usize) -> &'static mut u8 {
        #[expect(unsafe_code, reason = "reads what a guest would")]
        // SAFETY: the tests ask for accessible places, one at a time.
        unsafe {
            &mut *((memory.base + place) as *mut u8)
        }
    }

    #[test]
    fn a_memory_begins_with_the_data_each_time_and_is_zero_elsewhere() {
        for bytes in [&PAGES.0[..], &PAGES.0[1..4097]] {
            for _ in 0..3 {
                let memory = Memory::new(1 << 16, 1 << 20, 1 << 16).unwrap();
                let mut memory = memory.with(InitialMemory { bytes, offset: 8192 }).unwrap();
                let end = 8192 + bytes.len();
                for (place, byte) in [(0, 0), (8191, 0), (8192, 7), (end - 1, 7), (end, 0), (65535, 0)] {
                    assert_eq!(*at(&memory, place), byte, "{place}");
                }
                *at(&memory, 8192) = 1;
                assert_eq!((*at(&memory, 8192), *at(&memory, 8193), bytes[0]), (1, 7, 7));
                memory.grow_to(1 << 17).unwrap();
                *at(&memory, (1 << 17) - 1) = 2;
                assert!(memory.grow_to((1 << 20) + 1).is_err() && memory.grow_to(1).is_err());
            }
        }
    }

    #[test]
    fn data_that_does_not_fit_is_refused() {
        for offset in [(1 << 16) - 4096, usize::MAX - 8191, usize::MAX - 4095] {
            let memory = Memory::new(1 << 16, 1 << 20, 1 << 16).unwrap();
            assert!(memory.with(InitialMemory { bytes: &PAGES.0, offset }).is_err(), "{offset}");
        }
    }
}
