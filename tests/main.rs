//! All tests that need the program, in one binary, so that it is linked once.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

mod bindings;
mod cache;
mod ci;
mod cli;
mod config;
mod conformance;
mod docs;
mod frozen;
mod harness;
mod hook;
mod install;
mod contract_versions;
mod mutate;
mod new;
mod outside;
mod packages;
mod policy_languages;
mod programs;
mod registry;
mod remote;
mod requirements;
mod sandbox;
mod screens;
mod serve;
mod service;
mod session;
mod ship;
mod snapshots;
mod storm;
mod sync;
mod test_command;
mod texts;
mod tidy;
mod undo;

#[expect(unreachable_pub, reason = "shared with other binaries of tests")]
mod support;
