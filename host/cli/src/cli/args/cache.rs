//! Arguments of `guard-host cache`.

use clap::{Args, Subcommand};

use super::Format;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host cache warm
  guard-host cache list
  guard-host cache clear --older-than 30d

If the cache exceeds `max-bytes` of `[cache]` in guard.toml (default: 128 MiB), each write removes the least recently used
files that no chain needs.")]
pub(in crate::cli) struct CacheArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: CacheCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum CacheCommand {
    /// Compile the policies of the chain, and unpack the script analyzer
    Warm,
    /// Check every compiled file against its digest
    Verify {
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// List the files with their sizes and ages
    List {
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Remove all files; guard-host creates them again when it needs them
    Clear {
        /// Only files older than this: an age (`12h`, `30d`) or a day
        #[arg(long, value_name = "TIME")]
        older_than: Option<String>,
    },
}
