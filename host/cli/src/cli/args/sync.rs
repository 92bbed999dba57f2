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

`sync.toml` next to the guard.toml has the source, and the signers that are accepted:

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
    /// Publish a guard.toml, with all files that it names, for other machines
    Push(SyncPushArgs),
    /// Take the configuration before this one back, and leave out this one from now on
    Rollback(SyncTargetArgs),
    /// Show which configuration this machine has, and how the last try ended
    Status(SyncStatusArgs),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SyncTargetArgs {
    /// The guard.toml that is kept up to date [default: the managed one]
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
    /// Take the offered version even if this machine had a newer one; only from a terminal
    #[arg(long)]
    pub(in crate::cli) allow_older: bool,
    #[command(flatten)]
    pub(in crate::cli) network: NetworkArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host sync push oci://ghcr.io/acme/guard:stable guard.toml --as 1.4.0 --key acme --group canary --percent 0
  guard-host sync push oci://ghcr.io/acme/guard:stable guard.toml --as 1.4.0 --key acme --percent 25

The second command gives the same version to a quarter of all machines. Machines that have it keep it.")]
pub(in crate::cli) struct SyncPushArgs {
    /// Where to, such as oci://ghcr.io/acme/guard:stable
    pub(in crate::cli) address: String,
    /// The guard.toml; the files it names are published with it
    pub(in crate::cli) file: PathBuf,
    /// The version: machines take no older one, and one version is one configuration
    #[arg(long = "as", value_name = "VERSION")]
    pub(in crate::cli) version: semver::Version,
    /// The secret key to sign with
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) key: PathBuf,
    /// The share of the machines that take it
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(in crate::cli) percent: u8,
    /// A group of machines that take it regardless of the share; may be repeated
    #[arg(long = "group", value_name = "GROUP")]
    pub(in crate::cli) groups: Vec<String>,
    #[command(flatten)]
    pub(in crate::cli) network: NetworkArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host sync status
  guard-host sync status --format json

Exit codes: 0, or 69 if the last sync failed or the next one can't succeed.")]
pub(in crate::cli) struct SyncStatusArgs {
    #[command(flatten)]
    pub(in crate::cli) target: SyncTargetArgs,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(in crate::cli) format: Format,
}
