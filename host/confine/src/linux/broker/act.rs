//! The operations that the broker performs on behalf of a command: with an open folder and one name, which can't be
//! exchanged in the meantime.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RenameFlags, chmodat, fchmod, fcntl_setfl, fstat, linkat, mkdirat, openat,
    renameat_with, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::spot::Spot;

/// The open flags that the broker sets itself.
const OWN: i32 = libc::O_CLOEXEC | libc::O_NOFOLLOW | libc::O_NONBLOCK;

pub(super) fn umask(process: &str) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
    u32::from_str_radix(line.trim(), 8).ok()
}

/// Opens the file. `None` if the kernel must do it, because it isn't a regular file.
pub(super) fn open(spot: &Spot, flags: i32, mode: u32, umask: (u32, u32)) -> Option<Result<OwnedFd, i32>> {
    if spot.is_special() {
        return None;
    }
    let is_new = flags & libc::O_CREAT != 0 && !spot.exists();
    // A pipe that is created in the meantime must not block the broker.
    let own = OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let requested = OFlags::from_bits_retain((flags & !OWN) as u32);
    let mode = mode & 0o7777 & !umask.0;
    let file = match openat(&spot.folder, &spot.name, requested | own, Mode::from_bits_retain(mode)) {
        Ok(file) => file,
        Err(Errno::LOOP) => return None,
        Err(error) => return Some(Err(error.raw_os_error())),
    };
    let is_regular = fstat(&file).is_ok_and(|data| FileType::from_raw_mode(data.st_mode) == FileType::RegularFile);
    if !is_regular {
        return None;
    }
    if is_new && umask.0 != umask.1 {
        let _ = fchmod(&file, Mode::from_bits_retain(mode));
    }
    let status = OFlags::from_bits_retain((flags & (libc::O_APPEND | libc::O_NONBLOCK | libc::O_DIRECT)) as u32);
    let _ = fcntl_setfl(&file, status);
    Some(Ok(file))
}

pub(super) fn unlink(spot: &Spot, is_folder: bool) -> Result<(), i32> {
    let flags = if is_folder { AtFlags::REMOVEDIR } else { AtFlags::empty() };
    to_errno(unlinkat(&spot.folder, &spot.name, flags))
}

pub(super) fn symlink(spot: &Spot, text: &OsStr) -> Result<(), i32> {
    to_errno(symlinkat(text, &spot.folder, &spot.name))
}

pub(super) fn make_folder(spot: &Spot, mode: u32, umask: (u32, u32)) -> Result<(), i32> {
    let mode = Mode::from_bits_retain(mode & 0o7777 & !umask.0);
    to_errno(mkdirat(&spot.folder, &spot.name, mode))?;
    if umask.0 != umask.1 {
        let _ = chmodat(&spot.folder, &spot.name, mode, AtFlags::empty());
    }
    Ok(())
}

pub(super) fn rename(from: &Spot, to: &Spot, flags: u32, new: bool) -> Result<(), i32> {
    let own = if new { RenameFlags::NOREPLACE } else { RenameFlags::empty() };
    let flags = RenameFlags::from_bits_retain(flags) | own;
    to_errno(renameat_with(&from.folder, &from.name, &to.folder, &to.name, flags))
}

pub(super) fn link(from: &Spot, to: &Spot) -> Result<(), i32> {
    to_errno(linkat(&from.folder, &from.name, &to.folder, &to.name, AtFlags::empty()))
}

fn to_errno(result: Result<(), Errno>) -> Result<(), i32> {
    result.map_err(Errno::raw_os_error)
}
