//! Asks the system to hold the program's file in large pages.
//!
//! Some eighty page faults of a call are in the file, and they take a tenth of it. A kernel that knows large pages of files
//! (seen with Linux 6.18 and ext4) maps 2 MiB with one fault, if it has read them as one. It reads so only where a program
//! has asked for it, and keeps what it has read otherwise. So the program asks before it touches more than the beginning
//! and the end of its file, and `layout.ld` puts what runs until then in front.

use core::ffi::{c_int, c_void};

/// `MADV_HUGEPAGE` of Linux.
const LARGE: c_int = 14;

#[expect(unsafe_code, reason = "names what the linker and the C library have")]
unsafe extern "C" {
    /// Where the file is mapped.
    #[link_name = "__executable_start"]
    safe static START: u8;
    /// Behind the last byte of the part that is only read.
    #[link_name = "guard_end_of_read_only"]
    safe static END: u8;
    fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
}

/// The C library calls this before it calls `main`; the number has it come before what others put there.
#[used]
#[expect(unsafe_code, reason = "the section holds pointers to functions like this one, which runs on one thread")]
#[unsafe(link_section = ".init_array.00001")]
static FIRST: extern "C" fn() = ask;

/// A kernel without large pages refuses. One whose file system has none reads more of the file at once.
#[expect(unsafe_code, reason = "the contract stands beside the block")]
#[unsafe(link_section = ".text.guard_start")]
extern "C" fn ask() {
    let start = &raw const START;
    let bytes = (&raw const END as usize).saturating_sub(start as usize);
    // SAFETY: the range is the part of this program that is only read, and the advice changes none of its bytes.
    let _ = unsafe { madvise(start.cast_mut().cast(), bytes, LARGE) };
}
