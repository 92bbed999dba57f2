//! Arguments of `guard-host confirm`, `session`, `trust` and `untrust`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host confirm 'rm -rf ~/Downloads/old-project'
  guard-host confirm --code 3f9a12bc
  guard-host confirm --list

Exit codes: 0 approved; 1 there is no such pending call; 77 only a person at a terminal may approve it.")]
pub(in crate::cli) struct ConfirmArgs {
    /// The operation, exactly as the prompt shows it [default: list the pending calls]
    #[arg(conflicts_with = "code")]
    pub(in crate::cli) operation: Option<String>,
    /// The code of the pending call
    #[arg(long, value_name = "CODE")]
    pub(in crate::cli) code: Option<String>,
    /// List the pending calls
    #[arg(long, conflicts_with_all = ["operation", "code"])]
    pub(in crate::cli) list: bool,
    /// How to print the list, or the approval
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(in crate::cli) format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host session list
  guard-host session show
  guard-host session clear --session 0b7c2f1e
  guard-host session clear --yes")]
pub(in crate::cli) struct SessionArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: SessionCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SessionCommand {
    /// List pending calls and approvals, by session
    List {
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Show the history of a session
    Show {
        /// The session [default: the most recent one]
        session: Option<String>,
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Delete pending calls, approvals and histories
    Clear {
        /// Only this session
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Delete them without asking; required if there is no terminal
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host trust
  guard-host trust ~/projects/service
  guard-host trust --yes
  guard-host trust --remove

Shows the parts of the file that need trust, and asks whether to trust it. Then pins the digests of .guard/guard.toml and
of every file that it refers to. If one of them changes, the trust ends.")]
pub(in crate::cli) struct TrustArgs {
    /// The folder that contains .guard/guard.toml [default: the project's root]
    pub(in crate::cli) project: Option<PathBuf>,
    /// Don't ask. Still needs a person at a terminal
    #[arg(long)]
    pub(in crate::cli) yes: bool,
    /// End the trust in the project
    #[arg(long, conflicts_with = "yes")]
    pub(in crate::cli) remove: bool,
}
