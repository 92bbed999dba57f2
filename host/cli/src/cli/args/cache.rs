//! Arguments of `guard-host cache`.

use clap::{Args, Subcommand};

use super::Format;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host cache warm
  guard-host cache list
  guard-host cache clear --older-than 30d

Above `max-bytes` of `[cache]` in guard.toml, 128 MiB by default, each write removes the least recently used files that no
chain needs.")]
pub(in crate::cli) struct CacheArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: CacheCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum CacheCommand {
    /// Compile the policies of the chain, and unpack the script analyzer
    Warm,
    /// Check every file of compiled code against its digest
    Verify {
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Show what is there, with sizes and ages
    List {
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Remove all of it; guard-host makes it again when it is needed
    Clear {
        /// Only what was made before this time: `12h`, `30d` ago, or a day
        #[arg(long, value_name = "TIME")]
        older_than: Option<String>,
    },
}
