//! guard-host: the hook that a coding agent asks before each tool call.
//!
//! The library is what the binary, its tests and its benchmark share; it promises no stability to others. The contract
//! that does is `wit/`. `ARCHITECTURE.md` says how a call goes through these modules.

pub mod contract;
pub mod call;
pub mod verdict;
pub mod policy;
pub mod grants;

pub mod facts;
pub mod analysis;
pub mod engine;
pub mod chain;
pub mod examples;
pub mod clock;

pub mod builtin;
pub mod config;
pub mod cache;

pub mod harness;
pub mod install;
pub mod doctor;
pub mod redact;
pub mod audit;
pub mod session;
pub mod hook;

pub mod suite;
pub mod conformance;
pub mod schema;
pub mod files;
pub mod campaign;
pub mod sandbox;
pub mod scaffold;
pub mod shell_word;
pub mod environment;
pub mod exit;
pub mod cli;
