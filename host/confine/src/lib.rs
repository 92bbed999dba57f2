//! Runs a command that the kernel confines to a profile.
//!
//! A [`Profile`] says what a command may write and whether it may use the network. [`derive()`] makes one from the effects
//! that the analysis found. [`secrets`] finds the guarded files that the command may not read. On Linux, [`run()`] enforces
//! all of it with Landlock and seccomp, without root and without a container.

#![deny(clippy::disallowed_methods)]

mod derive;
#[cfg(all(target_os = "linux", not(portable)))]
mod linux;
mod command_dirs;
mod profile;
mod programs;
pub mod secrets;

use std::ffi::OsString;
use std::path::PathBuf;

pub use command_dirs::CommandDirs;
pub use derive::{derive, needs};
pub use guard_sensitive_paths::Lists;
pub use profile::{Profile, ProfileError};

/// A command and where it runs.
#[derive(Debug)]
pub struct Job<'a> {
    /// The program and its arguments.
    pub command: &'a [OsString],
    /// Where it runs, and the homes of its tools.
    pub places: &'a CommandDirs<'a>,
    /// The permissions of the command.
    pub profile: &'a Profile,
    /// The guarded files and folders that it may not read.
    pub hidden: &'a [PathBuf],
    /// Report what was refused.
    pub learn: bool,
}

/// How a confined command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code, or 128 and the number of the signal that ended it.
    pub code: u8,
    /// Refused operations of the command. Only complete with [`Job::learn`].
    pub refused: Vec<Refusal>,
}

/// Something that a confined command was refused.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refusal {
    /// The attempt.
    pub attempt: Attempt,
    /// A path or an address.
    pub target: String,
}

/// The kind of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attempt {
    /// To open a file for writing, or to create, rename or delete one.
    Write,
    /// To read a guarded file.
    Read,
    /// To open a socket, to connect, or to listen.
    Connect,
}

impl Attempt {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Attempt::Write => "write",
            Attempt::Read => "read",
            Attempt::Connect => "connect",
        }
    }
}

/// Why a command did not run.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// This system has nothing that could confine it.
    #[error("can't confine a command: {0}")]
    Unsupported(String),
    /// The program can't be started.
    #[error("can't start `{program}`")]
    Start {
        /// The program.
        program: String,
        /// The reason.
        #[source]
        source: std::io::Error,
    },
    /// The confinement can't be set up.
    #[error("can't set up the confinement: {what}")]
    Setup {
        /// The step.
        what: &'static str,
        /// The reason.
        #[source]
        source: std::io::Error,
    },
}

/// Whether this system can confine a command, as far as it can be told without running one.
///
/// # Errors
///
/// Why it can't.
#[cfg(target_os = "linux")]
pub fn supported() -> Result<(), ConfineError> {
    linux::supported()
}

/// Whether this system can confine a command.
///
/// # Errors
///
/// Always: only Linux is supported.
#[cfg(not(target_os = "linux"))]
pub fn supported() -> Result<(), ConfineError> {
    Err(ConfineError::Unsupported("it needs Landlock, which only Linux has".to_owned()))
}

/// Runs the command, confined, and waits for its end.
///
/// # Errors
///
/// The command did not run: the system can't confine it, or the program can't be started.
#[cfg(all(target_os = "linux", not(portable)))]
pub fn run(job: &Job<'_>) -> Result<Ended, ConfineError> {
    linux::run(job)
}

/// Runs the command, confined, and waits for its end.
///
/// # Errors
///
/// Always: only Linux is supported.
#[cfg(not(all(target_os = "linux", not(portable))))]
pub fn run(_job: &Job<'_>) -> Result<Ended, ConfineError> {
    Err(ConfineError::Unsupported("it needs Landlock, which only Linux has".to_owned()))
}
