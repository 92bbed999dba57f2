//! What `guard-host service` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(in crate::cli) struct ServiceArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: ServiceCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ServiceCommand {
    /// Put the configuration and its policies into one component that answers over HTTP.
    Build(ServiceBuildArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host service build -o guard-service.wasm
  guard-host service build --config team.toml -o guard-service.wasm
  wasmtime serve --addr 127.0.0.1:8274 guard-service.wasm

The component exports wasi:http/incoming-handler and runs on any engine that has wasi:http.")]
pub(in crate::cli) struct ServiceBuildArgs {
    /// The file to write
    #[arg(short, long, value_name = "FILE", default_value = "guard-service.wasm")]
    pub(in crate::cli) output: PathBuf,
}
