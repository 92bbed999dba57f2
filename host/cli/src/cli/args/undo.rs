//! Arguments of `guard-host undo`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Without a command, shows what the last destructive call in this project destroyed, and asks before it restores it.
A file that has changed since the call isn't replaced, unless you use `undo restore --force`. Replaced files are copied
first, so you can undo an undo.

Examples:
  guard-host undo
  guard-host undo list
  guard-host undo show 20261128-204512-310-9f3c
  guard-host undo restore 20261128-204512-310-9f3c src/main.rs

Exit codes: 0 success; 1 not everything was restored; 66 no such copy; 77 no terminal and no --yes."
)]
pub(in crate::cli) struct UndoArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<UndoCommand>,
    /// Don't ask
    #[arg(long)]
    pub(in crate::cli) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum UndoCommand {
    /// List copies made in this project, newest first
    List {
        /// List the copies of all projects
        #[arg(long)]
        all: bool,
        /// How to print them
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Show the content of a copy, and how it differs from the current files
    Show {
        /// The name of the copy, or its beginning
        id: String,
        /// How to print it; JSON doesn't include differences
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Restore the content of a copy
    Restore(UndoRestoreArgs),
    /// Remove copies that are too old or too many
    Prune {
        /// Remove all copies
        #[arg(long)]
        all: bool,
        /// Don't ask
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
pub(in crate::cli) struct UndoRestoreArgs {
    /// The name of the copy, or its beginning
    pub(in crate::cli) id: String,
    /// Only these files and folders
    #[arg(value_name = "PATH")]
    pub(in crate::cli) paths: Vec<PathBuf>,
    /// Restore into this folder instead of the original location
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) to: Option<PathBuf>,
    /// Print what would be restored, and restore nothing
    #[arg(short = 'n', long)]
    pub(in crate::cli) dry_run: bool,
    /// Also replace files that have changed since the call
    #[arg(long)]
    pub(in crate::cli) force: bool,
}
