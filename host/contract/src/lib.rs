//! The middle of guard-host: what a call is, what a policy says of it, and what becomes of both, as plain data.
//!
//! Invariant: nothing here touches the machine, and nothing here knows wasmtime, a vendor's JSON or a file format.

mod types;
pub mod syntax;
pub mod call;
pub mod verdict;
pub mod policy;
pub mod grants;
pub mod limits;
pub mod paths;
pub mod shell_word;
pub mod exit;
mod fault;
mod interface;
mod problem;

pub use fault::FaultKind;
pub use interface::{Answered, Interface, JournalLine, LogLine, WASI_INTERFACES, Wasi, is_wasi_answered};
pub use limits::{COMPONENT_BYTES, Limits};
pub use problem::Problem;
pub use types::*;
