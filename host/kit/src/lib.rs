//! Tools for authors of policies: test suites, mutation tests, conformance checks, project templates, the contract's
//! files, JSON schemas, and the compiler process.
//!
//! # Invariants
//!
//! - A test reads nothing from the machine except the component and its cases. A policy only gets the facts of the
//!   cases. Nothing is written except artifacts, to an existing cache.
//! - If a policy fails, its case fails, regardless of `on-error`.
//! - A case is only rewritten if that preserves the meaning: the analyzer understands the whole text and agrees on
//!   every word that changes.
//! - Components are compiled by a child process with its own limits.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

pub mod compile;
pub mod conformance;
pub mod scaffold;
pub mod schema;
pub mod service;
pub mod suite;
pub mod wit;
