//! The facts about a call that policies can learn: the machine's, the call's, and a policy's view of both.
//!
//! [`Facts`] is the only access to files and variables for all code that decides. [`real::RealFacts`] reads the
//! machine, [`fixed::FixedFacts`] is for tests, and [`recorded::Recorded`] replays the machine's earlier answers. Paths
//! are resolved by `guard_sdk`'s algorithm, which policies' tests use as well.
//!
//! # Invariants
//!
//! - This crate contains no sandbox. The sandbox passes a policy's requests to a [`View`].
//! - A policy only gets facts from the call's [`Scene`], and only files and variables that its grants include.
//! - Nothing here writes to the machine. Lines of journals and logs are collected and returned.
//! - Only `real` and `git` access the machine.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

pub mod analysis;
mod answer;
mod disposable;
pub mod fixed;
mod folders;
pub mod git;
mod holds;
pub mod ignored;
pub mod losses;
pub mod manifests;
mod new_links;
mod own_program;
mod parent_steps;
mod pattern_roots;
#[cfg(not(target_family = "wasm"))]
pub mod real;
pub mod recorded;
mod resolve;
pub mod sources;
mod view;

use std::fmt;
use std::time::Duration;

pub use answer::{Answer, Question, Used};
pub use disposable::Rules;
pub use git::{GitAsked, GitQuestion};
pub use guard_sdk::resolve::{Disk, Entry, git_root};
pub use pattern_roots::pattern_roots;
pub use resolve::{PATHS, Resolver};
pub use view::{OutsideDecide, Scene, View};

use guard_contract::{Event, FactFault};

/// A machine, or its replacement in a test.
pub trait Facts: Disk + fmt::Debug + Send + Sync {
    /// Reads `path`, which is `root` or below it. Never leaves `root`, not even by a link.
    ///
    /// # Errors
    ///
    /// [`FactFault::Absent`], [`FactFault::TooLarge`] beyond `cap` bytes, [`FactFault::NotText`], or
    /// [`FactFault::Failed`].
    fn read_granted(&self, root: &str, path: &str, cap: usize) -> Result<String, FactFault>;

    /// Reads a file that a call runs, with replacement characters for invalid UTF-8. `path` is absolute and contains no
    /// link.
    ///
    /// # Errors
    ///
    /// Those of [`Facts::read_granted`].
    fn read_source(&self, path: &str, cap: usize) -> Result<String, FactFault> {
        self.read_granted("/", path, cap)
    }

    /// Returns a variable's value, if it is set.
    fn env(&self, name: &str) -> Option<String>;

    /// Returns the session's events of a kind before the call, oldest first, or all events if `kind` is empty.
    ///
    /// # Errors
    ///
    /// [`FactFault::Absent`] if there is no session, [`FactFault::Failed`] if its history is damaged.
    fn history(&self, kind: &str) -> Result<Vec<Event>, FactFault>;

    /// Returns whether a copy can hold an ignored file or folder, or all that a pattern finds in one folder. A machine
    /// that can't be asked has only small ones.
    fn is_small(&self, path: &str) -> bool {
        let _ = path;
        true
    }

    /// Returns the existing files that match a pattern of [`guard_sdk::resolve::Taken`]. `None` if they are unknown.
    fn held(&self, pattern: &str) -> Option<Vec<String>> {
        guard_sdk::resolve::held(self, pattern)
    }

    /// Asks git, for at most `wait`. `None` if there is no answer.
    fn git(&self, query: GitAsked<'_>, wait: Duration) -> Option<String>;
}
