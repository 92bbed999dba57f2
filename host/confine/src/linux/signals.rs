//! Signals to this process while it waits for the command.
//!
//! The terminal sends an interrupt to both processes, and this one must outlive the command to report its exit. Signals
//! from other processes are forwarded to the command.

use std::process::Child;
use std::sync::atomic::{AtomicI32, Ordering};

/// The command's process id, once it runs.
static COMMAND: AtomicI32 = AtomicI32::new(0);

extern "C" fn ignore(_: libc::c_int) {}

#[expect(unsafe_code, reason = "the contract stands beside the block")]
extern "C" fn pass_on(signal: libc::c_int) {
    let command = COMMAND.load(Ordering::Relaxed);
    if command > 0 {
        // SAFETY: the function is async-signal-safe, and only takes numbers.
        unsafe { libc::kill(command, signal) };
    }
}

/// Installs the signal handlers. Unlike ignored signals, they aren't inherited by the command.
pub(super) fn forward() {
    let handlers: [(libc::c_int, extern "C" fn(libc::c_int)); 4] =
        [(libc::SIGINT, ignore), (libc::SIGQUIT, ignore), (libc::SIGTERM, pass_on), (libc::SIGHUP, pass_on)];
    for (signal, handler) in handlers {
        handle(signal, handler);
    }
}

#[expect(unsafe_code, reason = "the contract stands beside the block")]
fn handle(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: the handlers above only call async-signal-safe functions.
    unsafe { libc::signal(signal, handler as *const () as libc::sighandler_t) };
}

/// Forwards signals to this command from now on.
pub(super) fn to(command: &Child) {
    COMMAND.store(i32::try_from(command.id()).unwrap_or_default(), Ordering::Relaxed);
}
