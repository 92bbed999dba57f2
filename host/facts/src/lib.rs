//! The facts about a call that policies can learn: those of the machine, those of the call, and the part of both that a
//! policy may see.
//!
//! [`Facts`] is the one door to files and variables for everything that decides. [`real::RealFacts`] asks the machine,
//! [`fixed::FixedFacts`] is a world of its own for tests, and [`recorded::Recorded`] answers as the machine did once. The
//! algorithm that resolves paths over all of them is `guard_sdk`'s, which the tests of a policy use as well.
//!
//! # Invariants
//!
//! - There is no sandbox in this crate: what runs a policy gives its questions to a [`View`] and its answers back.
//! - A policy learns only what the call's [`Scene`] holds, and of files and variables only what its grants allow.
//! - Nothing here writes to the machine: lines of journals and logs are collected and given back.
//! - Only `real` and `git` ask the machine, and only where there is one.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

pub mod analysis;
mod answer;
mod disposable;
pub mod fixed;
pub mod git;
pub mod ignored;
pub mod losses;
pub mod manifests;
mod own_program;
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
pub use resolve::{PATHS, Resolver};
pub use view::{OutsideDecide, Scene, View};

use guard_contract::{Event, FactFault};

/// A machine, or the world of a test.
pub trait Facts: Disk + fmt::Debug + Send + Sync {
    /// The text of `path`, which is `root` or lies below it. Never leaves `root`, not by a link either.
    ///
    /// # Errors
    ///
    /// [`FactFault::Absent`], [`FactFault::TooLarge`] beyond `cap` bytes, [`FactFault::NotText`], or
    /// [`FactFault::Failed`].
    fn read_granted(&self, root: &str, path: &str, cap: usize) -> Result<String, FactFault>;

    /// The text of a file that a call runs, with marks in place of bytes that are no UTF-8. `path` is absolute and holds no
    /// link.
    ///
    /// # Errors
    ///
    /// As [`Facts::read_granted`].
    fn read_source(&self, path: &str, cap: usize) -> Result<String, FactFault> {
        self.read_granted("/", path, cap)
    }

    /// The value of a variable that is set.
    fn env(&self, name: &str) -> Option<String>;

    /// The session's events before the call, oldest first: those of a kind, or all if it is empty.
    ///
    /// # Errors
    ///
    /// [`FactFault::Absent`] if no session is known, [`FactFault::Failed`] if its history is damaged.
    fn history(&self, kind: &str) -> Result<Vec<Event>, FactFault>;

    /// Whether a copy can hold an ignored file or folder, or all that a pattern finds in one folder. A machine that can't be
    /// asked has only small ones.
    fn is_small(&self, path: &str) -> bool {
        let _ = path;
        true
    }

    /// Returns git's answer within `wait`, or `None` if it is not known.
    fn git(&self, asked: GitAsked<'_>, wait: Duration) -> Option<String>;
}
