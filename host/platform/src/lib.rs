//! The services of the operating system that differ between systems: private files, stamps, links, times of threads,
//! processes, homes.
//!
//! On Unix each function is the call that it names, and the traits are those of the standard library. Nothing is added to
//! a call of the hook.
//!
//! # Windows
//!
//! - A file has no mode. `mode` says `0o700`, or `0o500` for a read-only file, and setting one does nothing: files get the
//!   access list of their folder. So a folder of private files is checked for users that may write to it ([`access`]), and
//!   a file in it is not.
//! - A link is a reparse point of any kind: junctions and files of a cloud as well.
//! - Stamps come from an open file: its volume, its index and its change time, which programs can't set by accident.
//! - A process replaces itself by a child that it waits for, and a process group is the child alone: what a child has
//!   started outlives it.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub mod paths;

#[cfg(unix)]
pub use unix::{access, account, dir, fs, process};
#[cfg(windows)]
pub use windows::{access, account, crash, dir, fs, process};

/// The identity of a file, and the stamp of its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The device or volume.
    pub dev: u64,
    /// The inode, or the index of the file.
    pub ino: u64,
    /// How many names the file has.
    pub names: u64,
    /// When its content or its metadata changed last, in seconds and nanoseconds. The usual calls can't set it.
    pub changed: (i64, i64),
}

/// The size of a disk and its free part, in bytes and in files. All are 0 if the system doesn't say.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Space {
    pub size: u64,
    pub left: u64,
    pub files: u64,
    pub files_left: u64,
}
