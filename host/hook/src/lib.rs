//! A call from start to end: the prepared chain, its policies, the reply, the audit log.
//!
//! # Invariants
//!
//! - Every call gets exactly one reply. An atomic swap decides who gives it: the main thread, the watchdog or the panic
//!   handler.
//! - Every failure becomes a verdict: a fault becomes the entry's `on-error`, a broken layer at least ask (the managed
//!   one: deny), a deadline or a panic at least ask. Only an unreadable payload can be reported with exit code 1
//!   instead.
//! - The signals of a crash end the process with the exit code that blocks.
//! - A call compiles nothing. If the chain is prepared already, it also parses no configuration and validates no
//!   component.
//! - An artifact counts only if it is part of this program, or a private file whose stamp or digest a sealed record
//!   holds.
//! - A snapshot is never needed: it gives the same answers as its policy. It holds the policy's settings, so it is as
//!   private as they are, and `policy remove` and `cache clear` delete it.
//! - No ask and no deny ends with exit code 0 if the reply could not be written.
//! - What a call does is added to the session's history before the reply, unless the call is denied.
//! - A copy of what a call destroys is made before the reply, by a child. A call that destroys nothing starts none.
//! - The journal and pending calls are written after the reply, and so is the audit log, unless no call may run without its
//!   line.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stdout))]

pub mod audit;
pub mod cache;
pub mod embedded;
pub mod chain;
pub mod command_line;
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

pub use guard_chain::redaction;
pub use history::in_session;
