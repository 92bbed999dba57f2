//! The commands of `guard-host`.

pub mod experiment;
pub mod cli;
mod remote;
pub mod scratch;
