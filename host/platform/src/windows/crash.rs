//! The message when the process crashes.

use std::sync::OnceLock;

use windows_sys::Win32::System::Diagnostics::Debug::{EXCEPTION_POINTERS, SetUnhandledExceptionFilter};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};

static SAYING: OnceLock<(&str, u8)> = OnceLock::new();

/// Makes a crash print this text and exit with this code. An abort still exits with the system's code.
#[expect(unsafe_code, reason = "the contract stands beside the block")]
pub fn take_over(text: &'static str, code: u8) {
    let _ = SAYING.set((text, code));
    // SAFETY: the function exists while the process runs.
    unsafe { SetUnhandledExceptionFilter(Some(crashed)) };
}

#[expect(unsafe_code, reason = "the contracts stand beside the blocks")]
unsafe extern "system" fn crashed(_: *const EXCEPTION_POINTERS) -> i32 {
    let (text, code) = SAYING.get().copied().unwrap_or(("crashed\n", 1));
    if let Ok(mut out) = super::process::errors() {
        let _ = std::io::Write::write_all(&mut out, text.as_bytes());
    }
    // SAFETY: it always succeeds, and the handle needn't be closed.
    let own = unsafe { GetCurrentProcess() };
    // SAFETY: the handle is this process's.
    unsafe { TerminateProcess(own, code.into()) };
    1
}
