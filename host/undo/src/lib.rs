//! Copies of what a call is about to destroy, and the way back.
//!
//! The hook lists what a call loses ([`losses()`]). If that is something, a child of the tools program copies it into the
//! state folder before the reply ([`backup`]), and `guard-host undo` puts it back ([`restore`]).
//!
//! # Invariants
//!
//! - A backup is in the list only if it is whole: it gets its name after its sealed manifest is written.
//! - A budget in time and bytes bounds each backup. Beyond it nothing is kept, and the backup says so.
//! - No link is followed. Devices, sockets and pipes are never opened.
//! - Restoring writes only paths of the backup. Each file appears whole, under its name, or not at all.
//! - Nothing that a repository's settings name runs while a backup is made.

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
