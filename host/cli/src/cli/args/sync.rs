//! Arguments of `guard-host sync`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;
use super::policy::NetworkArgs;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  guard-host sync
  guard-host sync --dry-run
  guard-host sync push oci://ghcr.io/acme/guard:stable guard.toml --as 1.4.0 --key acme --percent 10
  guard-host sync status --format json
  guard-host sync rollback

`sync.toml` next to the guard.toml contains the source and the accepted signers:

  source = \"oci://ghcr.io/acme/guard:stable\"
  signers = [{ name = \"acme\", key = \"MCow...\" }]
  group = \"canary\"

If anything fails, the previous configuration stays in use."
)]
pub(in crate::cli) struct SyncArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<SyncCommand>,
    #[command(flatten)]
    pub(in crate::cli) run: SyncRunArgs,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SyncCommand {
    /// Publish a guard.toml for other machines, with all files that it refers to
    Push(SyncPushArgs),
    /// Return to the previous configuration, and leave the current one out from now on
    Rollback(SyncTargetArgs),
    /// Show which configuration this machine has, and whether the last sync succeeded
    Status(SyncStatusArgs),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SyncTargetArgs {
    /// The guard.toml that sync manages [default: the managed one]
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) to: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SyncRunArgs {
    #[command(flatten)]
    pub(in crate::cli) target: SyncTargetArgs,
    /// Show what would change, and change nothing
    #[arg(long, short = 'n')]
    pub(in crate::cli) dry_run: bool,
    /// Install the published version even if this machine had a newer one or rolled it back; only from a terminal
    #[arg(long)]
    pub(in crate::cli) allow_older: bool,
    #[command(flatten)]
    pub(in crate::cli) network: NetworkArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host sync push oci://ghcr.io/acme/guard:stable guard.toml --as 1.4.0 --key acme --group canary --percent 0
  guard-host sync push oci://ghcr.io/acme/guard:stable guard.toml --as 1.4.0 --key acme --percent 25

The second command offers the same version to a quarter of all machines. Machines that already have it keep it.")]
pub(in crate::cli) struct SyncPushArgs {
    /// The address to publish to, such as oci://ghcr.io/acme/guard:stable
    pub(in crate::cli) address: String,
    /// The guard.toml; the files that it refers to are published too
    pub(in crate::cli) file: PathBuf,
    /// The version: machines never install an older one, and a version can't be published twice with different content
    #[arg(long = "as", value_name = "VERSION")]
    pub(in crate::cli) version: semver::Version,
    /// The secret key to sign with
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) key: PathBuf,
    /// The share of the machines that install it
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(in crate::cli) percent: u8,
    /// A group of machines that all install it, regardless of the share. Repeatable
    #[arg(long = "group", value_name = "GROUP")]
    pub(in crate::cli) groups: Vec<String>,
    #[command(flatten)]
    pub(in crate::cli) network: NetworkArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host sync status
  guard-host sync status --format json

Exit codes: 0; 66 without a sync.toml; 69 if the last sync failed or the next one can't succeed.")]
pub(in crate::cli) struct SyncStatusArgs {
    #[command(flatten)]
    pub(in crate::cli) target: SyncTargetArgs,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(in crate::cli) format: Format,
}
