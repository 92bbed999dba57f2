//! Operating system services that differ between systems: private files, stamps, links, thread times, processes, homes.
//!
//! On Unix, each function is a thin wrapper of the system call, and the traits are those of the standard library. No
//! call of the hook has any overhead.
//!
//! # Windows
//!
//! - A file has no mode. `mode` returns `0o700`, or `0o500` for a read-only file, and setting one does nothing. Files
//!   get their folder's access list, so a folder with private files is checked for other users with write access
//!   ([`access`]), and the files in it aren't.
//! - A link is any reparse point, including junctions and cloud files.
//! - Stamps come from an open file: its volume, its index and its change time, which programs don't set by accident.
//! - `replace` starts a child process and waits for it. A process group is only the child, so processes that the child
//!   started outlive it.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub mod paths;

#[cfg(unix)]
pub use unix::{access, account, datagram, dir, fs, process};
#[cfg(windows)]
pub use windows::{access, account, crash, datagram, dir, fs, process};

/// The identity of a file, and the stamp of its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The device or volume.
    pub dev: u64,
    /// The inode, or the index of the file.
    pub ino: u64,
    /// The number of hard links.
    pub names: u64,
    /// The time of the last change of content or metadata, in seconds and nanoseconds. The usual calls can't set it.
    pub changed: (i64, i64),
}

/// The size and free space of a disk, in bytes and in files. All are 0 if the system doesn't report them.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Space {
    pub size: u64,
    pub left: u64,
    pub files: u64,
    pub files_left: u64,
}
