//! guard-host: the hook that a coding agent asks before each tool call.

pub mod contract;
pub mod builtin;
pub mod engine;
pub mod facts;
pub mod grants;
pub mod call;
pub mod verdict;
pub mod analysis;
pub mod policy;
pub mod harness;
pub mod redact;
pub mod audit;
pub mod environment;
pub mod exit;
pub mod hook;
pub mod suite;
pub mod cli;
pub mod config;
pub mod cache;
pub mod chain;
pub mod clock;
pub mod examples;
