//! Arguments of `guard-host policy bundle`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy bundle -o guard-service.wasm
  guard-host policy bundle --config team.toml -o guard-service.wasm
  wasmtime serve --addr 127.0.0.1:8274 guard-service.wasm

The component exports wasi:http/incoming-handler, and runs on any engine with wasi:http.")]
pub(in crate::cli) struct ServiceBuildArgs {
    /// The file to write
    #[arg(short, long, value_name = "FILE", default_value = "guard-service.wasm")]
    pub(in crate::cli) output: PathBuf,
}
