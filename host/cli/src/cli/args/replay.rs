//! Arguments of `guard-host replay`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host replay ~/.claude/projects
  guard-host replay --against new.toml --fail-on loosened ~/.claude/projects ~/.codex/sessions
  guard-host replay --against origin/main --fail-on loosened calls.jsonl
  guard-host replay --config old.wasm --against new.wasm calls.jsonl

A source is a file, or a folder with all .json and .jsonl files below it:
  transcripts of Claude Code, Codex, Copilot CLI, Gemini CLI and OpenCode
  folders of `guard-host hook --record`
  the audit log, best at `level = \"facts\"`: what a verdict rests on is then taken from the log, not from this machine
  lines such as {\"tool\": \"Bash\", \"input\": {\"command\": \"ls\"}}, {\"command\": \"ls\"}, or a hook's payload

Calls that are the same are decided once. Nothing is run, no log is written, and secrets are not shown.

Exit codes: 0; 1 there are differences of the kind that --fail-on names; 65 no call was read; 66 a source cannot be
read; 78 a configuration has mistakes.")]
pub(in crate::cli) struct ReplayArgs {
    /// Transcripts, logs or lists of calls, as below
    #[arg(required = true, value_name = "SOURCES")]
    pub(in crate::cli) sources: Vec<PathBuf>,
    /// Compare with a git revision (its .guard/guard.toml), with another guard.toml (the project's if it is in .guard,
    /// otherwise yours) or, if --config is a policy, with another policy
    #[arg(long, value_name = "FILE|REV")]
    pub(in crate::cli) against: Option<String>,
    /// Exit with 1 if any verdict changes in this way; a revision is the old side of the comparison, a file the new side
    #[arg(long, value_enum, requires = "against")]
    pub(in crate::cli) fail_on: Option<FailOn>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = ReplayFormat::Human)]
    pub(in crate::cli) format: ReplayFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum FailOn {
    /// The second is milder
    Loosened,
    /// The second is stricter
    Tightened,
    /// Any difference, another rule included
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ReplayFormat {
    /// For people
    Human,
    /// For machines
    Json,
    /// One page, to be opened in a browser
    Html,
}
