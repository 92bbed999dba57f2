//! What the machine says: the one door to files and variables for everything that decides.
//!
//! [`real::RealFacts`] asks the machine, [`fixed::FixedFacts`] is a world of its own for tests, and
//! [`recorded::Recorded`] answers as the machine did once. The algorithm
//! that resolves paths over both is `guard_sdk`'s, which the tests of a policy use as well.

pub mod fixed;
pub mod git;
pub(crate) mod manifests;
pub mod real;
pub mod recorded;
mod resolve;

use std::fmt;
use std::time::Duration;

pub use git::{GitAsked, GitQuestion};
pub use guard_sdk::resolve::{Disk, Entry, git_root};
pub use resolve::{PATHS, Resolver};

use guard_contract::FactFault;

/// A machine, or the world of a test.
pub trait Facts: Disk + fmt::Debug + Send + Sync {
    /// The text of `path`, which is `root` or lies below it. Never leaves `root`, not by a link either.
    ///
    /// # Errors
    ///
    /// [`FactFault::Absent`], [`FactFault::TooLarge`] beyond `cap` bytes, [`FactFault::NotText`], or
    /// [`FactFault::Failed`].
    fn read_granted(&self, root: &str, path: &str, cap: usize) -> Result<String, FactFault>;

    /// The value of a variable that is set.
    fn env(&self, name: &str) -> Option<String>;

    /// What git says within `wait`. None: it is not known.
    fn git(&self, asked: GitAsked<'_>, wait: Duration) -> Option<String>;
}
