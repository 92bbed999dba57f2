//! What `guard-host audit watch` takes.

use clap::Args;

use super::Filters;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host audit watch
  guard-host audit watch --since 1h --action block

Shows the calls of the audit log, the latest one last, and of the chosen one its commands, its effects and why it was
decided so. A key ends the question about it for good, as `guard-host allow` does.

Exit codes: 0; 64 there is no terminal.")]
pub(in crate::cli) struct WatchArgs {
    #[command(flatten)]
    pub(in crate::cli) filters: Filters,
}
