//! What the machine says: the one door to files and variables for everything that decides.
//!
//! [`real::RealFacts`] asks the machine, [`fixed::FixedFacts`] is a world of its own for tests. Paths are resolved
//! here, by one algorithm over both.

pub mod fixed;
pub mod real;
mod resolve;

use std::fmt;

pub use resolve::git_root;
pub use resolve::{PATHS, Resolver};

use guard_contract::FactFault;

/// What a path names, without following a link at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link and its text.
    Link(String),
    /// A device, a socket, a pipe.
    Other,
    /// Nothing.
    Absent,
    /// It could not be found out.
    Unknown,
}

/// A machine, or the world of a test.
pub trait Facts: fmt::Debug + Send + Sync {
    /// What an absolute path names.
    fn entry(&self, path: &str) -> Entry;

    /// The start of a file that the host itself needs, at most `cap` bytes of text.
    fn read_head(&self, path: &str, cap: usize) -> Option<String>;

    /// The text of `path`, which is `root` or lies below it. Never leaves `root`, not by a link either.
    ///
    /// # Errors
    ///
    /// [`FactFault::Absent`], [`FactFault::TooLarge`] beyond `cap` bytes, [`FactFault::NotText`], or
    /// [`FactFault::Failed`].
    fn read_granted(&self, root: &str, path: &str, cap: usize) -> Result<String, FactFault>;

    /// The value of a variable that is set.
    fn env(&self, name: &str) -> Option<String>;
}
