//! Asks the system to hold the program's file in large pages.
//!
//! A call touches some eighty places of the file. Where each is a page fault of its own they take a tenth of the call. A
//! kernel that knows large pages of files (Linux 6.16 with ext4, earlier ones with XFS) maps 2 MiB with one fault, if it
//! read them as one. It reads so what a program has asked for, and keeps what it has read otherwise: so this runs first of
//! all, and `layout.ld` puts it, and what runs before it, in front of the file.

use core::ffi::{c_int, c_void};

/// `MADV_HUGEPAGE` of Linux.
const LARGE: c_int = 14;

#[expect(unsafe_code, reason = "names what the linker and the C library have")]
unsafe extern "C" {
    /// Where the file is mapped.
    #[link_name = "__executable_start"]
    safe static START: u8;
    /// Behind the last byte that is never written.
    #[link_name = "guard_end_of_file"]
    safe static END: u8;
    fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
}

/// The C library calls this before it calls `main`.
#[used]
#[expect(unsafe_code, reason = "the section holds pointers to functions like this one, which runs on one thread")]
#[unsafe(link_section = ".init_array")]
static FIRST: extern "C" fn() = ask;

/// A system that knows no large pages refuses, and nothing is different.
#[expect(unsafe_code, reason = "the contract stands beside the block")]
#[unsafe(link_section = ".text.guard_start")]
extern "C" fn ask() {
    let start = &raw const START;
    let bytes = (&raw const END as usize) - start as usize;
    // SAFETY: the range is the part of this program that is only read, and the advice changes none of its bytes.
    let _ = unsafe { madvise(start.cast_mut().cast(), bytes, LARGE) };
}
