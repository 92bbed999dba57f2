//! Registration with harnesses, and whether the guard works there.
//!
//! Invariant: a file of others is edited, never printed anew, and all changes are worked out before the first is written.

mod claude;
mod command;
mod entries;
mod forms;
mod matcher;
pub mod doctor;
pub mod install;

/// How the hooks of the harness of that name are registered; none if that is done by hand.
#[must_use]
pub fn registration(harness: &str) -> Option<&'static dyn install::Registration> {
    if harness == guard_harness::default().name() {
        return Some(&claude::registration::ClaudeCode);
    }
    forms::named(harness).map(|form| form as &dyn install::Registration)
}
