//! The reply of a crashing hook.
//!
//! Some harnesses treat a hook that was killed by a signal as one without an opinion, and run the call. Crash signals
//! therefore make the hook exit with the code that blocks. If a thread overflows its own stack, the signal still kills
//! the process, unless the thread has an alternate signal stack.
//!
//! On Linux, the handlers are installed before Rust's runtime starts. The runtime then installs none, and allocates no
//! signal stack for them. Wasmtime also allocates none for a thread that has a large one. That saves 2 to 3 % of a
//! call.

#[cfg(all(target_os = "linux", not(portable)))]
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use guard_harness::response::BLOCK;
use libc::{SA_ONSTACK, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, c_int};

const SIGNALS: [c_int; 7] = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS];

const TEXT: &[u8] = crate::CRASHED.as_bytes();

/// The stack of signal handlers, including wasmtime's, with the size that wasmtime requires.
#[cfg(all(target_os = "linux", not(portable)))]
#[repr(C, align(4096))]
struct Stack(UnsafeCell<[u8; 64 << 12]>);

// SAFETY: only the kernel accesses it, for one thread.
#[cfg(all(target_os = "linux", not(portable)))]
#[expect(unsafe_code, reason = "the contract stands above")]
unsafe impl Sync for Stack {}

#[cfg(all(target_os = "linux", not(portable)))]
static STACK: Stack = Stack(UnsafeCell::new([0; 64 << 12]));

/// The C library calls this before `main`.
#[cfg(all(target_os = "linux", not(portable)))]
#[used]
#[expect(unsafe_code, reason = "the section holds pointers to functions like this one, which runs on one thread")]
#[unsafe(link_section = ".init_array")]
static FIRST: extern "C" fn() = take_over;

/// Installs the handlers, so that a crash blocks the call. Threads other than the main one don't have this stack.
#[expect(unsafe_code, reason = "the contracts stand beside the blocks")]
pub(crate) extern "C" fn take_over() {
    #[cfg(all(target_os = "linux", not(portable)))]
    {
        let stack = libc::stack_t { ss_sp: STACK.0.get().cast(), ss_flags: 0, ss_size: size_of::<Stack>() };
        // SAFETY: the stack exists as long as the process, and isn't used for anything else.
        let _ = unsafe { libc::sigaltstack(&raw const stack, null_mut()) };
    }
    // SAFETY: zeros are a valid action without flags and with an empty mask.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = block as *const () as usize;
    action.sa_flags = SA_ONSTACK;
    for signal in SIGNALS {
        // SAFETY: the handler only calls async-signal-safe functions.
        let _ = unsafe { libc::sigaction(signal, &raw const action, null_mut()) };
    }
}

#[expect(unsafe_code, reason = "the contract stands beside the block")]
extern "C" fn block(_: c_int) {
    // SAFETY: the function is async-signal-safe, and the text exists as long as the process.
    unsafe { libc::write(libc::STDERR_FILENO, TEXT.as_ptr().cast(), TEXT.len()) };
    // SAFETY: the function is async-signal-safe.
    unsafe { libc::_exit(BLOCK.into()) }
}
