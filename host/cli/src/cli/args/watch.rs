//! Arguments of `guard-host audit watch`.

use clap::Args;

use super::Filters;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host audit watch
  guard-host audit watch --since 1h --action block

Shows the calls in the audit log, newest last. For the selected call, it shows the commands, the effects and the reason
for the verdict. Press a key to avoid such prompts, as with `guard-host allow`.

Exit codes: 0 success; 64 there is no terminal.")]
pub(in crate::cli) struct WatchArgs {
    #[command(flatten)]
    pub(in crate::cli) filters: Filters,
}
