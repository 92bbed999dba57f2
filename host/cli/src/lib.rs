//! The program `guard-host`: its commands.

pub mod campaign;
pub mod cli;
pub mod sandbox;
