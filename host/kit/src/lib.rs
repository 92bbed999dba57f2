//! Tools for authors of policies: suites of cases, mutants, conformance, scaffolds, the contract's files, schemas, and
//! the start of the compiler.
//!
//! # Invariants
//!
//! - A test reads nothing of the machine but the component and its cases. It gives a policy only the facts of the
//!   cases, and writes nothing but artifacts into a cache that exists.
//! - A policy that gives no answer fails its case, whatever `on-error` says.
//! - A rewrite of a case is applied only where it keeps the meaning: the analyzer understands the whole text and agrees
//!   on every word that changes.
//! - A component is compiled by a child process with limits of its own.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

pub mod compile;
pub mod conformance;
pub mod scaffold;
pub mod schema;
pub mod service;
pub mod suite;
pub mod wit;
