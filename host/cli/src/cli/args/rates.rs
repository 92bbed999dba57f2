//! Arguments of `guard-host policy rates`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

#[derive(Debug, Args)]
#[command(after_help = "A corpus has one JSON object a line:
  command   the text of a shell command; or `tool` and `input`
  label     `stop`, `deny` or `pass`: what should happen (or `expect`); may be missing
  class     a name; the rates are printed for each class
  times     how often the call was seen [default: 1]
`{CWD}` and `{HOME}` in a text mean the working directory and the home.
A mapping is a TOML file for a corpus with other keys or labels:
  command = [\"event.cmd\"]
  label = [\"malicious\"]
  labels = { true = \"stop\", false = \"pass\" }
The range after a rate contains the rate of all such calls with 95% confidence (Wilson's interval).

Examples:
  guard-host policy rates calls.jsonl
  guard-host policy rates --wrong labelled.jsonl
  guard-host policy rates --format json labelled.jsonl | jq .all
  guard-host policy rates --map theirs.toml theirs.jsonl
  guard-host policy rates --against-hook 'nah hook claude run' labelled.jsonl

Exit codes: 0, 65 if a row could not be read, 66 if a file could not.")]
pub(in crate::cli) struct RatesArgs {
    /// The files of calls
    #[arg(required = true, value_name = "CORPUS")]
    pub(in crate::cli) corpora: Vec<PathBuf>,
    /// Show the calls whose verdict differs from their label
    #[arg(long)]
    pub(in crate::cli) wrong: bool,
    /// The keys and labels of the corpora
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) map: Option<PathBuf>,
    /// Ask another hook of Claude Code about the same calls; may be given again
    #[arg(long, value_name = "COMMAND")]
    pub(in crate::cli) against_hook: Vec<String>,
    /// How to print the rates
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(in crate::cli) format: Format,
}
