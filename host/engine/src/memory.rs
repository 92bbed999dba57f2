//! [`InitialMemory`]: the data that a component of the program expects in its memory, and memories that begin with it.
//!
//! wasmtime copies the data of a component into a file in memory, which all instances then share. A process that decides
//! one call has one instance. Here its memory begins with the pages of the program itself, and what is not read is not
//! touched.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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

impl InitialMemory {
    /// The system can map the same pages of a file again, from Linux 5.13 on, and its pages are not larger than those.
    fn can_be_shared(self) -> bool {
        let page = rustix::param::page_size();
        let is_whole = [self.bytes.as_ptr() as usize, self.bytes.len(), self.offset].iter().all(|at| at % page == 0);
        cfg!(target_os = "linux") && is_whole && is_recent(&rustix::system::uname().release().to_string_lossy())
    }
}

/// The release of Linux is 5.13 or later.
fn is_recent(release: &str) -> bool {
    let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(5), Some(13))
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
        let made = Memory::with(self.0, minimum, reserved.unwrap_or(minimum).max(minimum), guard);
        made.map(|memory| Box::new(memory) as _).map_err(|error| error.to_string())
    }
}

/// A part of a mapping that stays unmapped in front of each memory, in bytes, as wasmtime has it by itself.
const BEFORE: usize = 32 << 20;

/// Pages of the program can be mapped a second time, as far as this process knows.
static SHARES: AtomicBool = AtomicBool::new(true);

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

    /// A memory with the data in its place: the pages of the program if the system can, and a copy otherwise.
    fn with(data: InitialMemory, size: usize, capacity: usize, guard: usize) -> io::Result<Self> {
        if data.offset.checked_add(data.bytes.len()).is_none_or(|end| end > size) {
            return Err(io::Errno::INVAL);
        }
        if SHARES.load(Relaxed) && data.can_be_shared() {
            let memory = Memory::new(size, capacity, guard)?;
            if memory.share(data).is_ok() {
                return Ok(memory);
            }
            // There may be a hole in it now, which another mapping could fill: this one is never given back.
            std::mem::forget(memory);
            SHARES.store(false, Relaxed);
        }
        let memory = Memory::new(size, capacity, guard)?;
        memory.copy(data);
        Ok(memory)
    }

    /// Maps the pages of the program's file into this memory as well. The data must fit.
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "pages of the program are mapped again; the contract stands beside the blocks")]
    fn share(&self, data: InitialMemory) -> io::Result<()> {
        use rustix::mm::{MremapFlags, mremap_fixed};
        let (pages, bytes) = (data.bytes.as_ptr().cast_mut().cast(), data.bytes.len());
        let place = (self.base + data.offset) as *mut _;
        let Some(mark) = data.bytes.iter().position(|byte| *byte != 0) else { return Err(io::Errno::INVAL) };
        // SAFETY: the new mapping lies in this memory, and what is written to it goes into pages of its own. The old one
        // stays and shows the file again, to which nobody can have written.
        unsafe { mremap_fixed(pages, bytes, bytes, MremapFlags::MAYMOVE | MremapFlags::DONTUNMAP, place) }?;
        // SAFETY: the byte is one of the data; it is read anew, because the pages were moved.
        if unsafe { data.bytes.as_ptr().add(mark).read_volatile() } == 0 {
            // Whoever started this program copied the file, and a copy has moved: it is moved back.
            // SAFETY: as above, the other way round.
            unsafe { mremap_fixed(place, bytes, bytes, MremapFlags::MAYMOVE, pages) }?;
            return Err(io::Errno::NOTSUP);
        }
        // SAFETY: the range lies in this memory.
        unsafe { mprotect(place, bytes, MprotectFlags::READ | MprotectFlags::WRITE) }
    }

    #[cfg(not(target_os = "linux"))]
    fn share(&self, _: InitialMemory) -> io::Result<()> {
        Err(io::Errno::NOSYS)
    }

    /// Copies the data to its place, where it must fit.
    #[expect(unsafe_code, reason = "memory of guests is written; the contract stands beside the block")]
    fn copy(&self, data: InitialMemory) {
        let place = (self.base + data.offset) as *mut u8;
        // SAFETY: the range is accessible, and it overlaps nothing, being of a mapping of its own.
        unsafe { ptr::copy_nonoverlapping(data.bytes.as_ptr(), place, data.bytes.len()) };
    }
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

    fn begins_with(mut memory: Memory, bytes: &'static [u8]) {
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

    #[test]
    fn a_memory_begins_with_the_data_each_time_and_is_zero_elsewhere() {
        // The others are no whole pages, and are copied.
        for bytes in [&PAGES.0[..], &PAGES.0[1..4097], &PAGES.0[..4095]] {
            for _ in 0..3 {
                let data = InitialMemory { bytes, offset: 8192 };
                begins_with(Memory::with(data, 1 << 16, 1 << 20, 1 << 16).unwrap(), bytes);
            }
        }
    }

    #[test]
    fn linux_maps_the_pages_of_the_program_again() {
        let data = InitialMemory { bytes: &PAGES.0, offset: 8192 };
        if !data.can_be_shared() {
            eprintln!("skipped, because this is no Linux, one before 5.13, or one of larger pages");
            return;
        }
        for _ in 0..3 {
            let memory = Memory::new(1 << 16, 1 << 20, 1 << 16).unwrap();
            memory.share(data).unwrap();
            begins_with(memory, &PAGES.0);
        }
    }

    #[test]
    fn pages_are_not_taken_from_a_program_that_was_copied_into_memory() {
        let copied: &'static [u8] = Vec::leak(vec![7; 3 * 4096]);
        let start = copied.as_ptr().align_offset(4096);
        let data = InitialMemory { bytes: &copied[start..start + 8192], offset: 8192 };
        if data.can_be_shared() {
            let memory = Memory::new(1 << 16, 1 << 20, 1 << 16).unwrap();
            assert!(memory.share(data).is_err());
            // What was moved has a hole.
            std::mem::forget(memory);
        }
        assert_eq!(data.bytes, [7; 8192]);
    }

    #[test]
    fn releases_are_compared_as_numbers() {
        for (release, recent) in [
            ("5.13.0", true),
            ("5.13-rc1", true),
            ("6.1.0-18-amd64", true),
            ("10.0", true),
            ("5.12.9", false),
            ("5.4.0-100-generic", false),
            ("4.18.0-553.el8", false),
            ("", false),
            ("x", false),
        ] {
            assert_eq!(is_recent(release), recent, "{release}");
        }
    }

    #[test]
    fn data_that_does_not_fit_is_refused() {
        for offset in [(1 << 16) - 4096, usize::MAX - 8191, usize::MAX - 4095] {
            let data = InitialMemory { bytes: &PAGES.0, offset };
            assert!(Memory::with(data, 1 << 16, 1 << 20, 1 << 16).is_err(), "{offset}");
        }
    }
}
