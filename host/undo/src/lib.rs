//! Backups of what a call is about to destroy, and their restoration.
//!
//! The hook lists what a call loses ([`losses()`]). If that isn't empty, a child process of the tools program copies it
//! to the state folder before the reply ([`backup`]), and `guard-host undo` restores it ([`restore`]).
//!
//! # Invariants
//!
//! - A backup is only listed if it is complete: it gets its name after its sealed manifest is written.
//! - Each backup is limited in time and bytes. If it exceeds them, nothing is backed up, and the reply says so.
//! - Links aren't followed. Devices, sockets and pipes are never opened.
//! - Restoring only writes the backup's paths. Each file is written atomically.
//! - Programs from a repository's settings never run while a backup is made.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

mod attributes;
mod copy;
mod gather;
mod git;
mod index;
mod manifest;
mod rehearsal;
pub mod restore;
pub mod backup;
mod stamps;
mod store;

pub use git::Repository;
pub use guard_facts::losses::{GitLoss, How, Loss, Losses, PathLoss, losses};
pub use manifest::{BackupCoverage, Content, Entry, GitState, LossKind, LostPath, Manifest};
pub use rehearsal::Rehearsal;
pub use store::{LIFE_DAYS, STORE_BYTES, Store, StoreError};
