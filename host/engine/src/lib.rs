//! The sandbox: the one crate of the workspace that knows wasmtime.
//!
//! [`settings`] are shared with the program that compiles, so that artifacts fit.
//!
//! # Invariants
//!
//! - There is no compiler in this crate; it runs artifacts only.
//! - `code.rs` is the only file with unsafe blocks. Every byte that it takes for code was made by guard-host's own compiler.
//! - A store serves one call: of one policy, or of the analyzer and the policies that the program carries in one component.
//!   No policy of others sees the memory of another one, and an instance that trapped is not called again.
//! - A policy gets only the facts that its grants allow. Any other import traps, or, with `wasi = "frozen"`, gives an
//!   answer that never changes and holds nothing of the machine.
//! - A guest cannot make a call long: its processor time, memory, stack and the size of its answer have limits.
//! - Whatever goes wrong in a guest becomes a [`FaultKind`].

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

mod bindings;
mod bundle;
mod embedded;
mod convert;
pub mod clock;
mod code;
mod engine;
mod fault;
mod guest;
mod imports;
mod instance;
mod meter;
mod policy;
mod scripts;
mod settings;
mod snapshot;
mod traced;
mod wasi;

pub use bundle::{Analyzer, Bundle, SharedInstance};
pub use code::{Code, check};
pub use embedded::{EmbeddedArtifacts, EmbeddedComponent};
pub use engine::{Compile, Engine};
pub use instance::{CallResult, Instance};
pub use policy::Policy;
pub use settings::{ENGINE_KEY, settings};
