//! The reply of a hook that crashes.
//!
//! Some harnesses take a hook that a signal has ended for one that decides nothing, and run the call. So the signals of a
//! crash end the hook with the exit code that blocks. A thread that overflows a stack of its own is still ended by the
//! signal, unless it has a stack for signals.
//!
//! On Linux the signals are taken over before Rust's runtime starts. The runtime then takes none, and makes no stack for
//! them; nor does wasmtime make one for a thread that has a large one. That spares 2 to 3 % of a call.

#[cfg(all(target_os = "linux", not(portable)))]
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use guard_harness::response::BLOCK;
use libc::{SA_ONSTACK, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, c_int};

const SIGNALS: [c_int; 7] = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS];

const TEXT: &[u8] = crate::CRASHED.as_bytes();

/// Where handlers of signals run, those of wasmtime too. The size is what wasmtime asks for.
#[cfg(all(target_os = "linux", not(portable)))]
#[repr(C, align(4096))]
struct Stack(UnsafeCell<[u8; 64 << 12]>);

// SAFETY: nobody but the system touches it, for one thread.
#[cfg(all(target_os = "linux", not(portable)))]
#[expect(unsafe_code, reason = "the contract stands above")]
unsafe impl Sync for Stack {}

#[cfg(all(target_os = "linux", not(portable)))]
static STACK: Stack = Stack(UnsafeCell::new([0; 64 << 12]));

/// The C library calls this before it calls `main`.
#[cfg(all(target_os = "linux", not(portable)))]
#[used]
#[expect(unsafe_code, reason = "the section holds pointers to functions like this one, which runs on one thread")]
#[unsafe(link_section = ".init_array")]
static FIRST: extern "C" fn() = take_over;

/// From now on a crash blocks the call. Other threads than the main one do not have this stack.
#[expect(unsafe_code, reason = "the contracts stand beside the blocks")]
pub(crate) extern "C" fn take_over() {
    #[cfg(all(target_os = "linux", not(portable)))]
    {
        let stack = libc::stack_t { ss_sp: STACK.0.get().cast(), ss_flags: 0, ss_size: size_of::<Stack>() };
        // SAFETY: the stack is there for as long as the process runs, and is used for nothing else.
        let _ = unsafe { libc::sigaltstack(&raw const stack, null_mut()) };
    }
    // SAFETY: zeros are an action without flags and with an empty mask.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = block as *const () as usize;
    action.sa_flags = SA_ONSTACK;
    for signal in SIGNALS {
        // SAFETY: the handler calls nothing but what a handler may call.
        let _ = unsafe { libc::sigaction(signal, &raw const action, null_mut()) };
    }
}

#[expect(unsafe_code, reason = "the contract stands beside the block")]
extern "C" fn block(_: c_int) {
    // SAFETY: it may be called in a handler of signals, and the text is there for as long as the process runs.
    unsafe { libc::write(libc::STDERR_FILENO, TEXT.as_ptr().cast(), TEXT.len()) };
    // SAFETY: it may be called in a handler of signals.
    unsafe { libc::_exit(BLOCK.into()) }
}
