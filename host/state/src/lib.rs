//! The files of guard-host in the user's folders: private files, locks, seals, stamps, sessions.
//!
//! # Invariants
//!
//! - A file isn't trusted because of its name. It is trusted if only this user can write to it and, for sealed files,
//!   if its seal matches the key in the state folder.
//! - A seal detects damage, stale files and files from elsewhere. It does not detect a process of the same user, which
//!   can read the key.
//! - An approval belongs to one session, one folder and one operation. It answers the asks of the rules that the person
//!   was shown, and never a deny. A session file that cannot be read approves nothing.
//! - A session's history is sealed line by line. A damaged history is reported as an error, never as an empty one.
//! - Approvals are private files without a seal, so a process of the same user can write one. The policy `self-protect`
//!   stops an agent's calls that would do so, but it can't stop a program that an earlier call left running.
//! - The environment is read once, into [`environment::Environment`]. The only variables that can change a verdict are
//!   `HOME`, the harness's variable for the project's root, and those that a policy was granted.

#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod chained;
pub mod environment;
pub mod files;
mod folder;
pub mod history;
mod io_hint;
mod lock;
pub mod pause;
mod app_dirs;
pub mod registrations;
mod seal;
pub mod session;
mod stamp;

pub use app_dirs::AppDirs;
pub use chained::{ACCEPT, ChainBreak, ChainedLog, LogPosition, Verified};
pub use folder::{FolderError, FolderErrorKind, check_private, is_private, make_private, write_lasting, write_new};
pub use io_hint::io_hint;
pub use lock::FileLock;
pub use pause::Pause;
pub use seal::Seal;
pub use stamp::{FileState, Stamp, hex, is_digest};
