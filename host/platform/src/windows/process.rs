//! Processes and threads.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal};
use std::os::windows::io::{AsHandle, AsRawHandle};
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::ptr::from_mut;
use std::time::Duration;

use windows_sys::Win32::Foundation::{ERROR_BAD_EXE_FORMAT, ERROR_EXE_MACHINE_TYPE_MISMATCH, FILETIME};
use windows_sys::Win32::Storage::FileSystem::{FILE_TYPE_CHAR, GetFileType};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, GetCurrentThread, GetThreadTimes,
};

/// Returns `None`, because there is no such limit.
#[must_use]
pub fn file_limit() -> Option<u64> {
    None
}

/// Returns the default size of the main thread's stack.
#[must_use]
pub fn stack_limit() -> Option<u64> {
    Some(1 << 20)
}

/// Returns the processor time of this thread, with a resolution of about 16 ms.
#[expect(unsafe_code, reason = "the standard library does not have it")]
#[must_use]
pub fn thread_time() -> Duration {
    let [mut made, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: it always succeeds, and the handle needn't be closed.
    let thread = unsafe { GetCurrentThread() };
    let times = [&mut made, &mut ended, &mut kernel, &mut user].map(from_mut);
    let [made, ended, kernel_to, user_to] = times;
    // SAFETY: the four structures are written, and outlive the call.
    if unsafe { GetThreadTimes(thread, made, ended, kernel_to, user_to) } == 0 {
        return Duration::ZERO;
    }
    let steps = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    Duration::from_nanos((steps(kernel) + steps(user)).saturating_mul(100))
}

/// Runs the program with these arguments after its name, and the variables except `without`. Then exits with its exit
/// code. Only returns if it can't be started.
pub fn replace(program: &Path, arguments: &[OsString], without: Option<&str>) -> io::Error {
    let mut command = Command::new(program);
    command.args(arguments.iter().skip(1));
    if let Some(variable) = without {
        command.env_remove(variable);
    }
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Returns whether a program can't start because its file isn't a program of this system.
#[must_use]
pub fn is_damaged(error: &io::Error) -> bool {
    let codes = [ERROR_BAD_EXE_FORMAT, ERROR_EXE_MACHINE_TYPE_MISMATCH];
    error.raw_os_error().and_then(|code| u32::try_from(code).ok()).is_some_and(|code| codes.contains(&code))
}

/// Does nothing: a process has its file's name.
pub fn set_name<S: AsRef<OsStr>>(command: &mut Command, _: S) -> &mut Command {
    command
}

/// Makes the process the leader of a new group, without a window.
pub fn own_group(command: &mut Command) -> &mut Command {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW)
}

/// Kills a child, but not the processes that it started.
pub fn end_group(child: &mut Child) {
    let _ = child.kill();
}

/// Returns 0, which isn't a process, because the parent is unknown.
#[must_use]
pub fn parent() -> u32 {
    0
}

/// Returns unbuffered standard input.
///
/// # Errors
///
/// Standard input is closed.
pub fn input() -> io::Result<File> {
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

/// Returns unbuffered standard output.
///
/// # Errors
///
/// Standard output is closed, or the null device.
#[expect(unsafe_code, reason = "the standard library doesn't tell the null device from others")]
pub fn output() -> io::Result<File> {
    let out = File::from(io::stdout().as_handle().try_clone_to_owned()?);
    // SAFETY: the handle is open while `out` exists.
    let kind = unsafe { GetFileType(out.as_raw_handle()) };
    // A device other than a terminal discards its input.
    if kind == FILE_TYPE_CHAR && !out.is_terminal() {
        return Err(ErrorKind::BrokenPipe.into());
    }
    Ok(out)
}

/// Returns standard error without its lock, which another thread may have.
pub(super) fn errors() -> io::Result<File> {
    io::stderr().as_handle().try_clone_to_owned().map(File::from)
}
