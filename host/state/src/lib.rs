//! The files of guard-host in the user's folders: private files, locks, seals, stamps, sessions.
//!
//! # Invariants
//!
//! - A file does not count because of its name. It counts if it belongs to this user alone and, where it is sealed, if
//!   its seal fits the key in the state folder.
//! - A seal detects damage, stale files and files from elsewhere. It does not detect a process of the same user, which
//!   can read the key.
//! - An approval belongs to one session, one folder and one operation. It answers the asks of the rules that the person
//!   was shown, and never a deny. A session file that cannot be read approves nothing.
//! - What happened in a session is sealed line by line. A list that is damaged tells nothing, and says so.
//! - Approvals are private files without a seal, so a process of the same user can write one. The policy `self-protect`
//!   keeps an agent from that; a program that an earlier call left running is out of its sight.
//! - The environment is read once, into [`environment::Environment`]. No variable changes a verdict, except for two
//!   that say where things are (`HOME`, and the harness's own variable for the project's root) and those that a policy
//!   was granted.

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
pub use chained::{ChainBreak, ChainedLog, LogPosition, Verified};
pub use folder::{FolderError, FolderErrorKind, check_private, is_private, make_private, write_lasting, write_new};
pub use io_hint::io_hint;
pub use lock::FileLock;
pub use pause::Pause;
pub use seal::Seal;
pub use stamp::{FileState, Stamp, hex, is_digest};
