//! Runs a command that the kernel confines to a profile.
//!
//! A [`Profile`] defines what a command may write and whether it may use the network. [`derive()`] creates one from the
//! effects in the analysis. [`secrets`] finds the guarded files that the command may not read. On Linux, [`run()`]
//! enforces all of it with Landlock and seccomp, without root and without a container.

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

/// A command and its environment.
#[derive(Debug)]
pub struct Job<'a> {
    /// The program and its arguments.
    pub command: &'a [OsString],
    /// The working directory, and the homes of its tools.
    pub places: &'a CommandDirs<'a>,
    /// The permissions of the command.
    pub profile: &'a Profile,
    /// The guarded files and folders that it may not read.
    pub hidden: &'a [PathBuf],
    /// Whether to report what was refused.
    pub learn: bool,
}

/// How a confined command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The exit code, or 128 plus the number of the signal that killed it.
    pub code: u8,
    /// The refused operations. Only complete with [`Job::learn`].
    pub refused: Vec<Refusal>,
}

/// A refused operation of a confined command.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refusal {
    /// The attempt.
    pub attempt: Attempt,
    /// The path or address.
    pub target: String,
}

/// The kind of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attempt {
    /// Opening a file for writing, or creating, renaming or deleting one.
    Write,
    /// Reading a guarded file.
    Read,
    /// Opening a socket, connecting, or listening.
    Connect,
}

impl Attempt {
    /// Returns the name of the attempt.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Attempt::Write => "write",
            Attempt::Read => "read",
            Attempt::Connect => "connect",
        }
    }
}

/// The error if a command didn't run, or if its exit code isn't known.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// This system can't confine commands.
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
    /// The command was started, but its end isn't known.
    #[error("can't wait for the command: {0}")]
    Wait(std::io::Error),
}

/// Checks whether this system can confine a command, as far as possible without running one.
///
/// # Errors
///
/// Confinement isn't supported, with the reason.
#[cfg(all(target_os = "linux", not(portable)))]
pub fn check_support() -> Result<(), ConfineError> {
    linux::check_support()
}

/// Checks whether this system can confine a command.
///
/// # Errors
///
/// Always: only Linux is supported.
#[cfg(not(all(target_os = "linux", not(portable))))]
pub fn check_support() -> Result<(), ConfineError> {
    Err(ConfineError::Unsupported("it needs Landlock, which only Linux has".to_owned()))
}

/// Runs the command confined, and waits for it to exit.
///
/// # Errors
///
/// The command didn't run, because the system can't confine it or the program can't be started. After
/// [`ConfineError::Wait`], it did.
#[cfg(all(target_os = "linux", not(portable)))]
pub fn run(job: &Job<'_>) -> Result<Ended, ConfineError> {
    linux::run(job)
}

/// Runs the command confined, and waits for it to exit.
///
/// # Errors
///
/// Always: only Linux is supported.
#[cfg(not(all(target_os = "linux", not(portable))))]
pub fn run(_job: &Job<'_>) -> Result<Ended, ConfineError> {
    Err(ConfineError::Unsupported("it needs Landlock, which only Linux has".to_owned()))
}
