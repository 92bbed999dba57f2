//! Arguments of `guard-host policy rates`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

#[derive(Debug, Args)]
#[command(after_help = "A corpus has one JSON object per line:
  command   a shell command; or use `tool` and `input`
  label     the expected verdict, `stop`, `deny` or `pass` (optional; `expect` works too)
  class     a name; the rates are also printed for each class
  times     how often the call was seen [default: 1]
`{CWD}` and `{HOME}` in a string mean the working directory and the home.
A mapping is a TOML file for a corpus with other keys or labels:
  command = [\"event.cmd\"]
  label = [\"malicious\"]
  labels = { true = \"stop\", false = \"pass\" }
The range after a rate is its 95% confidence interval (Wilson).

Examples:
  guard-host policy rates calls.jsonl
  guard-host policy rates --wrong labelled.jsonl
  guard-host policy rates --format json labelled.jsonl | jq .all
  guard-host policy rates --map theirs.toml theirs.jsonl
  guard-host policy rates --against-hook 'nah hook claude run' labelled.jsonl

Exit codes: 0 success, 65 a line can't be read, 66 a file can't be read.")]
pub(in crate::cli) struct RatesArgs {
    /// Files with calls
    #[arg(required = true, value_name = "CORPUS")]
    pub(in crate::cli) corpora: Vec<PathBuf>,
    /// Show the calls whose verdict differs from their label
    #[arg(long)]
    pub(in crate::cli) wrong: bool,
    /// A mapping for files with other keys or labels
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) map: Option<PathBuf>,
    /// Also run another hook for Claude Code on the same calls. Repeatable
    #[arg(long, value_name = "COMMAND")]
    pub(in crate::cli) against_hook: Vec<String>,
    /// How to print the rates
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(in crate::cli) format: Format,
}
