//! The program `guard-host`: its commands.

pub mod experiment;
pub mod cli;
mod remote;
pub mod scratch;
