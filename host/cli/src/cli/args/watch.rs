//! Arguments of `guard-host audit watch`.

use clap::Args;

use super::Filters;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host audit watch
  guard-host audit watch --since 1h --action block

Shows the calls of the audit log, the latest one last. For the selected call it shows the commands, the effects and the
reason for the verdict. A key ends prompts like it, as `guard-host allow` does.

Exit codes: 0; 64 there is no terminal.")]
pub(in crate::cli) struct WatchArgs {
    #[command(flatten)]
    pub(in crate::cli) filters: Filters,
}
