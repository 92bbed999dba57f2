//! Arguments of `guard-host self` and `guard-host man`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host man ./pages
  guard-host man ~/.local/share/man/man1")]
pub(in crate::cli) struct ManArgs {
    /// The folder of the pages; it is made if it is not there
    #[arg(value_name = "DIR")]
    pub(in crate::cli) folder: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host self version
  guard-host self version --check PROGRAMS.sha256
  guard-host self uninstall")]
pub(in crate::cli) struct SelfArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: SelfCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SelfCommand {
    /// Print the version, the target, and the SHA-256 digests of both programs
    #[command(after_help = "Examples:
  guard-host self version
  guard-host self version --check PROGRAMS.sha256

Exit codes with --check: 0 equal, 1 different, 65 the file isn't a list of digests, 66 it doesn't exist.
A replaced program can print anything. To detect one, run `sha256sum --check PROGRAMS.sha256` next to the programs.")]
    Version {
        /// Compare the programs with this file, which is in the format of `sha256sum`
        #[arg(long, value_name = "FILE")]
        check: Option<PathBuf>,
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// List guard-host's files on this machine: registrations, configuration, state and cache
    #[command(after_help = "Examples:
  guard-host self uninstall
  guard-host self uninstall --purge

Without --purge, nothing is removed. Remove the programs themselves as you installed them.")]
    Uninstall {
        /// Remove your registrations, configuration, audit log, state and cache, after a person agrees
        #[arg(long)]
        purge: bool,
        /// How to print the list
        #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "purge")]
        format: Format,
    },
}
