//! Arguments of `guard-host pause`.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host pause 10m
  guard-host pause 10m --all
  guard-host pause 1h --only command-guard
  guard-host pause --end

During a pause, calls that would need confirmation run, and are logged as would-ask. Denied calls are still blocked unless
you use --all. self-protect and managed policies are never paused. A pause ends by itself, and also applies to agents that
are already running.

Exit codes: 0 success; 69 the `[remote]` server decides, so a pause would change nothing; 77 there is no person at a
terminal.")]
pub(in crate::cli) struct PauseArgs {
    /// How long, at most 24h: `90s`, `10m` or `2h`
    #[arg(value_name = "LENGTH", required_unless_present = "end")]
    pub(in crate::cli) length: Option<String>,
    /// End the pause
    #[arg(long, conflicts_with_all = ["length", "asks", "all", "only"])]
    pub(in crate::cli) end: bool,
    /// Pause only prompts (the default)
    #[arg(long, conflicts_with = "all")]
    pub(in crate::cli) asks: bool,
    /// Also let denied calls run
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// Pause only these policies [default: all that can be paused]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(in crate::cli) only: Vec<String>,
}
