//! Registration with harnesses, and checks of the configuration and of everything between a harness and a verdict.
//!
//! # Invariants
//!
//! - Shared files are edited in place: a registration changes its own entry and no other byte. All changes are planned
//!   before the first one is written. The state folder contains a sealed record of a file's former content.
//! - A handler belongs to this program only if its command is a single call of the hook. Any other handler is neither
//!   replaced, removed nor counted, unless it starts the script that `--shim` replaces.
//! - Other authors' scripts are never lost: a copy is saved beside a script before it is replaced, and `uninstall`
//!   restores it.
//! - This program's own files that start it block the call if the program is missing, fails or gives an invalid reply,
//!   unless `--fail-open` was given.
//! - One function checks that every policy works, for `config check`, `policy add` and `doctor`.
//! - `doctor` accepts a deny only in the harness's own protocol, and starts no program from a repository, unless it is
//!   this program.

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

/// Returns the registration of a harness. `None` if it is registered by hand.
#[must_use]
pub fn registration(harness: &str) -> Option<&'static dyn install::Registration> {
    if harness == guard_harness::default().name() {
        return Some(&claude::registration::ClaudeCode);
    }
    specs::named(harness).map(|spec| spec as &dyn install::Registration)
}
