//! A call from start to end: the prepared chain, its policies, the reply, the log.
//!
//! Invariant: each call gets exactly one reply, whatever happens, and every failure is a verdict.

pub mod audit;
pub mod cache;
pub mod chain;
pub mod examples;
pub mod hook;
