//! The sandbox: the only crate of the workspace that uses wasmtime.
//!
//! The compiler shares [`settings`], so that its artifacts match the engine.
//!
//! # Invariants
//!
//! - This crate contains no compiler and only runs artifacts.
//! - `code.rs` is the only file with unsafe blocks. It only runs code that guard-host's own compiler produced.
//! - A store serves one call, either of one policy or of the embedded component with the analyzer and the built-in
//!   policies. A third-party policy never sees another policy's memory, and an instance that trapped isn't called
//!   again.
//! - A policy gets only the facts that its grants allow. Any other import traps or, with `wasi = "frozen"`, returns a
//!   constant answer that reveals nothing about the machine.
//! - A guest's processor time, memory, stack and the size of its answer are limited.
//! - Every failure in a guest becomes a [`FaultKind`].

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
