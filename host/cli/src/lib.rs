//! The program `guard-host`: its commands.

pub mod experiment;
pub mod cli;
pub mod scratch;
