//! The broker's interface to the kernel: seccomp's user notifications.

use std::io::Error;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use seccompiler::sock_filter;

/// A system call that waits for an answer.
pub(super) type Notification = libc::seccomp_notif;

/// A filter program in the kernel's format.
#[repr(C)]
struct Program {
    len: libc::c_ushort,
    filter: *const sock_filter,
}

/// Adds the filter to this thread, and returns the descriptor for its notifications.
#[expect(unsafe_code, reason = "the contracts stand beside the blocks")]
pub(super) fn install(filter: &[sock_filter]) -> Result<OwnedFd, Error> {
    let len = libc::c_ushort::try_from(filter.len()).map_err(Error::other)?;
    let program = Program { len, filter: filter.as_ptr() };
    // A signal must not interrupt a call while the broker handles it, because the call would be repeated.
    let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    // SAFETY: the program and its instructions live until the call returns, and the kernel keeps no pointer to them.
    let fd = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) };
    if fd < 0 {
        return Err(Error::last_os_error());
    }
    let fd = i32::try_from(fd).map_err(Error::other)?;
    // SAFETY: the kernel has just created it, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Receives the next system call. Errors other than `EINTR` and `ENOENT` mean that there won't be any more.
#[expect(unsafe_code, reason = "the contracts stand beside the blocks")]
pub(super) fn next(listener: &OwnedFd) -> Result<Notification, Error> {
    // SAFETY: zeros are a valid notification, and the kernel requires them.
    let mut notification: Notification = unsafe { std::mem::zeroed() };
    // SAFETY: the structure has the type for this request, and outlives the call.
    let result =
        unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV as _, &raw mut notification) };
    if result < 0 { Err(Error::last_os_error()) } else { Ok(notification) }
}

/// Returns whether no process has the filter any more.
#[expect(unsafe_code, reason = "the contract stands beside the block")]
pub(super) fn is_over(listener: &OwnedFd) -> bool {
    let mut poll = libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the count of one structure is correct, and it outlives the call.
    let count = unsafe { libc::poll(&raw mut poll, 1, 0) };
    count < 0 || poll.revents & (libc::POLLHUP | libc::POLLERR | libc::POLLNVAL) != 0
}

/// Returns whether the system call still waits, so that its process id wasn't reused.
#[expect(unsafe_code, reason = "the contract stands beside the block")]
pub(super) fn is_waiting(listener: &OwnedFd, id: u64) -> bool {
    // SAFETY: the number has the type for this request, and outlives the call.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID as _, &raw const id) == 0 }
}

/// Completes the system call with 0 or an error.
pub(super) fn reply(listener: &OwnedFd, id: u64, error: Option<i32>) {
    send(listener, libc::seccomp_notif_resp { id, val: 0, error: error.map_or(0, |error| -error), flags: 0 });
}

/// Lets the kernel execute the system call.
pub(super) fn proceed(listener: &OwnedFd, id: u64) {
    // The kernel's type is narrower than the constant's.
    let flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32;
    send(listener, libc::seccomp_notif_resp { id, val: 0, error: 0, flags });
}

#[expect(unsafe_code, reason = "the contract stands beside the block")]
fn send(listener: &OwnedFd, mut response: libc::seccomp_notif_resp) {
    // SAFETY: the structure has the type for this request, and outlives the call. It fails if the process has exited.
    let _ = unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND as _, &raw mut response) };
}

/// Completes the system call with the descriptor, which moves to the waiting process.
///
/// This process must close it before the other one continues, which may write a program and start it: no process may
/// have a started program open for writing.
#[expect(unsafe_code, reason = "the contract stands beside the block")]
pub(super) fn reply_with(listener: &OwnedFd, id: u64, file: OwnedFd, close_on_exec: bool) -> Result<(), Error> {
    let addfd = libc::seccomp_notif_addfd {
        id,
        flags: 0,
        srcfd: u32::try_from(file.as_raw_fd()).map_err(Error::other)?,
        newfd: 0,
        newfd_flags: if close_on_exec { libc::O_CLOEXEC as u32 } else { 0 },
    };
    // SAFETY: the structure has the type for this request, and outlives the call.
    let number = unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ADDFD as _, &raw const addfd) };
    if number < 0 {
        return Err(Error::last_os_error());
    }
    drop(file);
    send(listener, libc::seccomp_notif_resp { id, val: number.into(), error: 0, flags: 0 });
    Ok(())
}
