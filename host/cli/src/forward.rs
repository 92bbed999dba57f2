//! An allocator that only goes forward, for a process that ends with its reply.
//!
//! A hook makes some thousand small allocations and ends before it could use what it gave back. Blocks are taken one
//! after the other from zero pages of the program itself; only the newest one grows in place or is taken back. What does
//! not fit goes to the system's allocator, so that there is no new limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The bytes that go forward. A call of `ls` takes some 400 KiB; pages that nobody touches cost nothing.
const BYTES: usize = 8 << 20;

#[repr(C, align(4096))]
struct Arena(UnsafeCell<[u8; BYTES]>);

// SAFETY: every byte is handed out to one owner at a time, by the atomic below.
#[expect(unsafe_code, reason = "the contract stands above")]
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena(UnsafeCell::new([0; BYTES]));

/// Where the next block begins.
static USED: AtomicUsize = AtomicUsize::new(0);

/// The allocator of the hook.
pub(crate) struct Forward;

fn start() -> usize {
    ARENA.0.get() as usize
}

/// The block's place in the arena; none if the system gave it.
fn place(block: *mut u8) -> Option<usize> {
    (block as usize).checked_sub(start()).filter(|place| *place < BYTES)
}

/// Takes a block, or none if it does not fit any more.
fn take(layout: Layout) -> Option<*mut u8> {
    let mut used = USED.load(Relaxed);
    loop {
        let place = used.checked_next_multiple_of(layout.align())?;
        let end = place.checked_add(layout.size()).filter(|end| *end <= BYTES)?;
        match USED.compare_exchange_weak(used, end, Relaxed, Relaxed) {
            Ok(_) => return Some(ARENA.0.get().cast::<u8>().wrapping_add(place)),
            Err(now) => used = now,
        }
    }
}

// SAFETY: `USED` only grows, but for the newest block, whose owner gives it back or resizes it: no two blocks overlap. A
// block lies whole in the arena, at a multiple of its alignment, for the arena begins at a page and no alignment that the
// hook asks for is larger. What is not of the arena was given by the system's allocator and goes back to it.
#[expect(unsafe_code, reason = "the contract stands above")]
unsafe impl GlobalAlloc for Forward {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > 4096 {
            return unsafe { System.alloc(layout) };
        }
        take(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match place(block) {
            Some(place) => {
                let _ = USED.compare_exchange(place + layout.size(), place, Relaxed, Relaxed);
            }
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(place) = place(block) else { return unsafe { System.realloc(block, layout, size) } };
        let end = place.checked_add(size).filter(|end| *end <= BYTES);
        if let Some(end) = end
            && USED.compare_exchange(place + layout.size(), end, Relaxed, Relaxed).is_ok()
        {
            return block;
        }
        if size <= layout.size() {
            return block;
        }
        let Ok(wanted) = Layout::from_size_align(size, layout.align()) else { return std::ptr::null_mut() };
        let new = unsafe { self.alloc(wanted) };
        if !new.is_null() {
            unsafe { std::ptr::copy_nonoverlapping(block, new, layout.size().min(size)) };
        }
        new
    }
}
