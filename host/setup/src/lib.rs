//! Registration with harnesses, and the checks that it works: of the configuration, and of the way to a verdict.
//!
//! # Invariants
//!
//! - A file of others is edited in place: a registration changes its own entry and no other byte. All changes are
//!   worked out before the first one is written, and the former state of a file is kept, as a sealed difference, in the
//!   state folder.
//! - A handler is ours only if its command is one call of the hook and nothing else. Any other handler is not replaced,
//!   not removed and not counted, unless it starts the very script whose place `--shim` takes.
//! - A script of others is never lost: a copy is kept beside it before its place is taken, and `uninstall` puts it back.
//! - A file of ours that starts the program blocks the call if the program is gone, fails or gives an unreadable reply,
//!   unless `--fail-open` was given.
//! - One function says whether every policy answers; `config check`, `policy add` and `doctor` all ask it.
//! - `doctor` accepts a deny only in the harness's own protocol, and starts nothing that a repository names, unless it
//!   is this very program.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

mod claude;
mod command;
mod entries;
mod specs;
mod matcher;
mod versions;
pub mod check;
pub mod doctor;
pub mod install;
pub mod oversights;
pub mod presence;
pub mod process;
pub mod surroundings;
pub mod sync;
pub mod findings;

/// How the hooks of the harness of that name are registered; `None` if that is done by hand.
#[must_use]
pub fn registration(harness: &str) -> Option<&'static dyn install::Registration> {
    if harness == guard_harness::default().name() {
        return Some(&claude::registration::ClaudeCode);
    }
    specs::named(harness).map(|spec| spec as &dyn install::Registration)
}
