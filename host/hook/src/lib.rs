//! Handles a call from start to end: the prepared chain, its policies, the reply, the audit log.
//!
//! # Invariants
//!
//! - Every call gets exactly one reply. An atomic swap decides whether the main thread, the watchdog or the panic hook
//!   gives it.
//! - Every failure becomes a verdict. A policy's fault becomes its `on-error`. A broken layer gives at least an ask,
//!   and a broken managed layer a deny. A deadline or a panic gives at least an ask. Only an unreadable payload can be
//!   reported with exit code 1 instead.
//! - On a crash signal, the process ends with the exit code that blocks the call.
//! - A call compiles nothing. If the chain is already prepared, it also parses no configuration and validates no
//!   component.
//! - An artifact is only trusted if it is embedded in this program, or a private file whose stamp or digest is in a
//!   sealed record.
//! - A snapshot is optional and gives the same answers as its policy. It contains the policy's settings, so it is as
//!   private as they are, and `policy remove` and `cache clear` delete it.
//! - If the reply to an ask or a deny can't be written, the exit code isn't 0.
//! - A call's effects are added to the session's history before the reply, unless the call is denied.
//! - A child process copies what a call destroys before the reply. A call that destroys nothing starts no child.
//! - The journal and pending calls are written after the reply, and so is the audit log, unless no call may run without its
//!   line.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stdout))]

pub mod audit;
pub mod cache;
pub mod embedded;
pub mod chain;
pub mod command_line;
pub mod confined_run;
pub mod examples;
mod history;
pub mod hook;
pub mod nested;
pub mod programs;
pub mod remote;
pub mod scene;
pub mod start;
pub mod undo;
pub mod watch;
mod zsh;

pub use guard_chain::redaction;
pub use history::in_session;
