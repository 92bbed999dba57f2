//! Arguments of `guard-host replay`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host replay ~/.claude/projects
  guard-host replay --against new.toml --fail-on loosened ~/.claude/projects ~/.codex/sessions
  guard-host replay --against new.toml --managed ~/.claude/projects
  guard-host replay --against origin/main --fail-on loosened calls.jsonl
  guard-host replay --config old.wasm --against new.wasm calls.jsonl

A source is a file, or a folder with all .json and .jsonl files below it:
  transcripts of Claude Code, Codex, Copilot CLI, Gemini CLI and OpenCode
  folders of `guard-host hook --record`
  the audit log. With `level = \"facts\"`, replay uses the recorded facts, not this machine's
  lines such as {\"tool\": \"Bash\", \"input\": {\"command\": \"ls\"}}, {\"command\": \"ls\"}, or a hook's payload

--against REV compares with .guard/guard.toml at that git revision, as the old version. --against FILE compares with a file,
as the new version: a file in .guard replaces the project's guard.toml, any other file replaces yours, or with --managed
the machine's.

Identical calls are judged once. Nothing is run, no log is written, and secrets are not shown.

Exit codes:
  0   success
  1   a verdict changed in the way that --fail-on names
  65  no call was read
  66  a source can't be read
  78  a configuration has mistakes")]
pub(in crate::cli) struct ReplayArgs {
    /// Transcripts, logs or lists of calls, as below
    #[arg(required = true, value_name = "SOURCES")]
    pub(in crate::cli) sources: Vec<PathBuf>,
    /// The version to compare with: a git revision, a guard.toml, or another policy if --config names a policy
    #[arg(long, value_name = "FILE|REV")]
    pub(in crate::cli) against: Option<String>,
    /// Compare with the file in --against as the managed file of this machine
    #[arg(long, requires = "against")]
    pub(in crate::cli) managed: bool,
    /// Exit with 1 if a verdict changed in this way
    #[arg(long, value_enum, requires = "against")]
    pub(in crate::cli) fail_on: Option<FailOn>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = ReplayFormat::Human)]
    pub(in crate::cli) format: ReplayFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum FailOn {
    /// The new verdict is milder
    Loosened,
    /// The new verdict is stricter
    Tightened,
    /// Any difference, including another rule
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ReplayFormat {
    /// For people
    Human,
    /// For machines
    Json,
    /// A self-contained HTML page
    Html,
}
