//! [`Forward`]: the allocator of a process that exits after its reply.
//!
//! Such a process makes a few thousand small allocations and exits soon. The main thread takes blocks one after the
//! other from zero pages of the program itself, and reuses freed blocks by size. So a call touches few pages, and no
//! block costs an atomic operation. Allocations that don't fit, and those of other threads, use the standard library's
//! allocator, so there is no new limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::ptr::null_mut;

/// The size of the arena in bytes. Untouched pages cost nothing.
const BYTES: usize = 8 << 20;

/// The alignment of the arena.
const ALIGNED: usize = 4096;

#[repr(C, align(4096))]
struct Blocks(UnsafeCell<[u8; BYTES]>);

// SAFETY: only the address is shared. A block's bytes belong to its owner.
#[expect(unsafe_code, reason = "the contract stands above")]
unsafe impl Sync for Blocks {}

static BLOCKS: Blocks = Blocks(UnsafeCell::new([0; BYTES]));

/// The alignment and granularity of blocks in bytes.
const UNIT: usize = 2 * size_of::<usize>();

/// The size in units below which freed blocks are reused.
const SIZES: usize = 2048 / UNIT;

/// Tracks the allocated blocks.
struct Arena {
    /// The offset of the next block.
    used: Cell<usize>,
    /// The offset from which every byte is still zero.
    touched: Cell<usize>,
    /// The last freed block of each size in units. It begins with the address of the previous one.
    free: [Cell<*mut u8>; SIZES],
}

// SAFETY: only the thread that `OWNS` the arena accesses it. A block's bytes belong to its owner.
#[expect(unsafe_code, reason = "the contract stands above")]
unsafe impl Sync for Arena {}

static ARENA: Arena =
    Arena { used: Cell::new(0), touched: Cell::new(0), free: [const { Cell::new(null_mut()) }; SIZES] };

thread_local! {
    /// True on the thread that owns the arena.
    static OWNS: Cell<bool> = const { Cell::new(false) };
}

/// The allocator. Until a thread owns the arena, it only uses the standard library's allocator.
#[derive(Debug)]
pub struct Forward;

impl Forward {
    /// Gives this thread the arena for the lifetime of the process. Called once, by the main thread.
    pub fn claim(&self) {
        make_ready();
        OWNS.set(true);
    }

    /// Returns a block of the arena, and whether it is known to be zeroed. `None` if the system's allocator must be
    /// used.
    fn arena_block(layout: Layout) -> Option<(*mut u8, bool)> {
        if OWNS.get() && layout.align() <= ALIGNED { ARENA.allocate(layout) } else { None }
    }
}

fn start() -> *mut u8 {
    BLOCKS.0.get().cast()
}

/// Requests the first pages at once, which every call uses. That is faster than faulting them in one by one. Systems
/// without such a request provide them on first access.
#[cfg(all(target_os = "linux", not(portable)))]
#[expect(unsafe_code, reason = "changes no byte: the pages are there sooner")]
fn make_ready() {
    use rustix::mm::{Advice, madvise};
    const READY: usize = 120 << 10;
    // SAFETY: the pages are part of the arena, which is mapped for the lifetime of the process.
    let _ = unsafe { madvise(start().cast(), READY, Advice::LinuxPopulateWrite) };
}

#[cfg(not(all(target_os = "linux", not(portable))))]
fn make_ready() {}

impl Arena {
    /// Returns the block's offset in the arena. `None` if it belongs to the standard library's allocator.
    fn arena_offset(&self, block: *mut u8) -> Option<usize> {
        (block as usize).checked_sub(start() as usize).filter(|place| *place < BYTES)
    }

    /// Returns a block, and whether it is known to be zeroed. `None` if it no longer fits.
    #[expect(unsafe_code, reason = "reads what `give_back` wrote; see there")]
    fn allocate(&self, layout: Layout) -> Option<(*mut u8, bool)> {
        let size = units(layout.size());
        if let Some(free) = self.free.get(size).filter(|_| layout.align() <= UNIT) {
            let block = free.get();
            if !block.is_null() {
                // SAFETY: the block was freed, and has no other owner.
                free.set(unsafe { block.cast::<*mut u8>().read() });
                return Some((block, false));
            }
        }
        let place = self.used.get().checked_next_multiple_of(layout.align())?;
        let end = place.checked_add(size * UNIT).filter(|end| *end <= BYTES)?;
        let is_zero = place >= self.touched.get();
        self.touched.set(self.touched.get().max(end));
        self.used.set(end);
        Some((start().wrapping_add(place), is_zero))
    }

    /// Keeps a freed block of the arena for reuse.
    #[expect(unsafe_code, reason = "writes into a block that its owner gave back")]
    fn release(&self, block: *mut u8, place: usize, layout: Layout) {
        let size = units(layout.size());
        if place + size * UNIT == self.used.get() {
            self.used.set(place);
        } else if let Some(free) = self.free.get(size) {
            // SAFETY: a block of the arena is at least one unit long and aligned to it, and its owner has freed it.
            unsafe { block.cast::<*mut u8>().write(free.get()) };
            free.set(block);
        }
    }

    /// Resizes the newest block. Also returns true if a block is already long enough.
    fn resize(&self, place: usize, old: usize, new: usize) -> bool {
        let end = units(new).checked_mul(UNIT).and_then(|bytes| bytes.checked_add(place)).filter(|end| *end <= BYTES);
        match end {
            Some(end) if place + units(old) * UNIT == self.used.get() => {
                self.touched.set(self.touched.get().max(end));
                self.used.set(end);
                true
            }
            _ => units(new) <= units(old),
        }
    }
}

/// Returns the number of units in a block of this size.
fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT).max(1)
}

// SAFETY: only one thread allocates and frees blocks of the arena, and no two allocated blocks overlap: a block is new,
// or was freed by its owner. It is completely in the arena and correctly aligned, because all blocks consist of whole
// units, and no alignment above the arena's is served. Blocks outside the arena come from the system's allocator and
// are freed by it. Blocks of the arena that another thread frees stay unused.
#[expect(unsafe_code, reason = "the contract stands above")]
unsafe impl GlobalAlloc for Forward {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match Forward::arena_block(layout) {
            Some((block, _)) => block,
            // SAFETY: the caller upholds the contract, which is the same.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some((block, is_zero)) = Forward::arena_block(layout) else {
            // SAFETY: the caller upholds the contract, which is the same.
            return unsafe { System.alloc_zeroed(layout) };
        };
        if !is_zero {
            // SAFETY: the block has the size of the layout, and only the caller owns it.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match ARENA.arena_offset(block) {
            Some(place) if OWNS.get() => ARENA.release(block, place, layout),
            Some(_) => {}
            // SAFETY: the block comes from the system's allocator, and the caller upholds the contract.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(place) = ARENA.arena_offset(block) else {
            // SAFETY: the block comes from the system's allocator, and the caller upholds the contract.
            return unsafe { System.realloc(block, layout, size) };
        };
        if OWNS.get() && ARENA.resize(place, layout.size(), size) {
            return block;
        }
        let Ok(wanted) = Layout::from_size_align(size, layout.align()) else { return null_mut() };
        // SAFETY: the caller upholds the contract: the new size isn't zero.
        let new = unsafe { self.alloc(wanted) };
        if !new.is_null() {
            // SAFETY: both blocks are at least that long, and don't overlap.
            unsafe { std::ptr::copy_nonoverlapping(block, new, layout.size().min(size)) };
            // SAFETY: the caller gives up the old block.
            unsafe { self.dealloc(block, layout) };
        }
        new
    }
}

#[cfg(test)]
#[expect(
    unsafe_code,
    clippy::undocumented_unsafe_blocks,
    clippy::multiple_unsafe_ops_per_block,
    reason = "an allocator is called by hand, with blocks that the test holds"
)]
mod tests {
    use super::*;

    /// Returns a pseudorandom number, and advances the state.
    fn next(state: &mut u64) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize
    }

    #[test]
    fn blocks_keep_their_bytes_and_their_alignment_whatever_is_given_back() {
        Forward.claim();
        let mut state = 1;
        let mut held: Vec<(*mut u8, Layout, u8)> = Vec::new();
        for step in 0..200_000 {
            let size = match next(&mut state) % 10 {
                0 => 1 + next(&mut state) % 20_000,
                _ => 1 + next(&mut state) % 300,
            };
            let layout = Layout::from_size_align(size, 1 << (next(&mut state) % 7)).unwrap();
            let mark = step as u8;
            let fill = |block: *mut u8, size: usize| unsafe { block.write_bytes(mark, size) };
            let is_filled = |(block, layout, mark): &(*mut u8, Layout, u8)| {
                (0..layout.size()).all(|at| unsafe { block.add(at).read() } == *mark)
            };
            let choice = if held.len() > 400 { 3 } else { next(&mut state) % 4 };
            let one = (!held.is_empty()).then(|| next(&mut state) % held.len());
            match (choice, one) {
                (0, _) => {
                    let block = unsafe { Forward.alloc(layout) };
                    fill(block, size);
                    held.push((block, layout, mark));
                }
                (1, _) => {
                    let block = unsafe { Forward.alloc_zeroed(layout) };
                    assert!(is_filled(&(block, layout, 0)), "step {step}");
                    fill(block, size);
                    held.push((block, layout, mark));
                }
                (2, Some(one)) => {
                    let (block, old, before) = held.swap_remove(one);
                    let block = unsafe { Forward.realloc(block, old, size) };
                    let kept = Layout::from_size_align(size.min(old.size()), old.align()).unwrap();
                    assert!(is_filled(&(block, kept, before)), "step {step}");
                    fill(block, size);
                    held.push((block, Layout::from_size_align(size, old.align()).unwrap(), mark));
                }
                (_, Some(one)) => {
                    let given = held.swap_remove(one);
                    assert!(is_filled(&given), "step {step}");
                    assert_eq!(given.0 as usize % given.1.align(), 0);
                    unsafe { Forward.dealloc(given.0, given.1) };
                }
                (_, None) => {}
            }
        }
        assert!(ARENA.used.get() < BYTES);
        // Another thread gets blocks of the system's allocator, and may free blocks of the arena.
        let ours = unsafe { Forward.alloc(Layout::new::<u64>()) } as usize;
        let theirs = std::thread::spawn(move || unsafe {
            Forward.dealloc(ours as *mut u8, Layout::new::<u64>());
            Forward.alloc(Layout::new::<u64>()) as usize
        });
        let theirs = theirs.join().unwrap() as *mut u8;
        assert!(ARENA.arena_offset(theirs).is_none());
        unsafe { Forward.dealloc(theirs, Layout::new::<u64>()) };
    }
}
