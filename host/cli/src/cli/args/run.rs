//! Arguments of `guard-host run`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "The command can write the paths that its analysis finds, the caches of its programs, and a temporary folder of its
own. It can't read guarded files, such as .env and ~/.ssh, and has no network unless one of its effects needs it. The same
applies to the programs that it starts. Needs Linux 6.12 or newer.

Examples:
  guard-host run -- ./build.sh
  guard-host run -n -- cargo test
  guard-host run --learn -- ./unknown-tool --fix src
  guard-host run -n -- ./unknown-tool > tool.toml
  guard-host run --profile tool.toml --net -- ./unknown-tool
  guard-host run -- sh -c 'sort names.txt > sorted.txt'

Exit codes: that of the command, 128 plus the number of the signal that ended it, or:
  69   the command can't be confined on this machine
  77   a policy denies it, or asks and no one confirms
  127  the program doesn't exist"
)]
pub(in crate::cli) struct RunArgs {
    /// Use this profile instead of the derived one: TOML with `read`, `write`, `patterns`, `net` and `unix-sockets`
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) profile: Option<PathBuf>,
    /// Allow the network
    #[arg(long)]
    pub(in crate::cli) net: bool,
    /// Allow Unix sockets; services behind them, such as Docker, act for the command without being confined
    #[arg(long)]
    pub(in crate::cli) unix_sockets: bool,
    /// Allow writing this path; with a `/` at the end, a folder and everything in it. Repeatable
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) write: Vec<String>,
    /// Report what the command was refused, and the profile that would allow it
    #[arg(long, conflicts_with = "dry_run")]
    pub(in crate::cli) learn: bool,
    /// A person has already confirmed the command in the harness: asks don't stop it, only a deny does
    #[arg(long)]
    pub(in crate::cli) confirmed: bool,
    /// Print the profile, and run nothing
    #[arg(short = 'n', long)]
    pub(in crate::cli) dry_run: bool,
    /// The program and its arguments. No shell expands them
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub(in crate::cli) command: Vec<OsString>,
}
