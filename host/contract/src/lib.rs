//! The core types of guard-host as plain data: calls, decisions, verdicts and their merge, manifests, limits, grants
//! and paths.
//!
//! # Invariants
//!
//! - This crate does no input or output, and knows neither wasmtime nor any harness's JSON nor file formats.
//! - The verdict is the most severe outcome of a chain. The first policy with that outcome names the verdict.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

mod types;
pub mod allow;
pub mod syntax;
pub mod call;
pub mod readings;
pub mod scripts;
pub mod verdict;
pub mod policy;
pub mod grants;
pub mod limits;
pub mod manifest;
pub mod paths;
pub mod shell_word;
pub mod exit;
mod fault;
mod interface;
mod layer;
mod problem;

pub use fault::FaultKind;
pub use interface::{ImportResolution, Interface, JournalLine, LogLine, WASI_INTERFACES, Wasi, is_wasi_answered};
pub use layer::Layer;
pub use limits::{COMPONENT_BYTES, Limits};
pub use problem::Problem;
pub use types::*;
