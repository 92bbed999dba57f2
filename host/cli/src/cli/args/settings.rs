//! Arguments of `guard-host settings`, `sandbox` and `config init`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host settings init --work-dir runs/7 --repo-path . --plan runs/7/experiment_plan.yaml
  claude -p --settings \"$(guard-host settings path --work-dir runs/7)\" 'run the plan'")]
pub(in crate::cli) struct SettingsArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: SettingsCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SettingsCommand {
    /// Print the settings with the permissions for an experiment's agent
    ///
    /// `allowOnly` lists the experiment's folders. Claude Code doesn't know that key. `additionalDirectories` and
    /// `blockWritesOutsideWorkingDirectories` (2.1.314 and later) restrict its file tools to these folders. path-context
    /// restricts its shell commands: see --guard.
    #[command(after_help = "Examples:
  guard-host settings render --work-dir runs/7 --allow-bin jq
  guard-host settings render --work-dir runs/7 --guard > runs/7.toml

The second example creates a separate guard.toml, for `guard-host install claude --scope project --config runs/7.toml`. A
guard.toml can contain this entry only once.")]
    Render {
        #[command(flatten)]
        experiment: ExperimentArgs,
        /// Print an entry for a guard.toml instead, which restricts shell commands to the same folders
        #[arg(long)]
        guard: bool,
    },
    /// Write the settings to .claude/settings.json in the work directory, unless that file exists
    ///
    /// `nous-execute-stop` and `nous-plan-enforcer` in --bin-dir are registered as hooks.
    #[command(after_help = "Examples:
  guard-host settings init --work-dir runs/7 --plan runs/7/experiment_plan.yaml
  guard-host settings init --work-dir runs/7 --force")]
    Init {
        #[command(flatten)]
        experiment: ExperimentArgs,
        /// The folder of the experiment's scripts [default: bin in this folder]
        #[arg(long, value_name = "DIR")]
        bin_dir: Option<PathBuf>,
        /// Replace a changed file, and keep a copy next to it
        #[arg(long)]
        force: bool,
    },
    /// Print the path of the settings
    #[command(after_help = "Examples:
  guard-host settings path --work-dir runs/7
  claude -p --settings \"$(guard-host settings path --work-dir runs/7)\" 'run the plan'")]
    Path {
        /// The folder in which the agent works
        #[arg(long, value_name = "DIR")]
        work_dir: PathBuf,
    },
    /// Print the arguments that pass the settings to Claude Code, or nothing if there are no settings
    #[command(after_help = "Examples:
  guard-host settings args --work-dir runs/7
  eval \"claude -p $(guard-host settings args --work-dir runs/7) 'run the plan'\"

Unusual paths are quoted for the shell, so use `eval` as in the example. A plain `$(...)` works only with simple paths.
`--settings \"$(guard-host settings path --work-dir runs/7)\"` works with every path.")]
    Args {
        /// The folder in which the agent works
        #[arg(long, value_name = "DIR")]
        work_dir: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ExperimentArgs {
    /// The folder in which the agent works
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) work_dir: PathBuf,
    /// The repository that it works on
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) repo_path: Option<PathBuf>,
    /// The experiment_plan.yaml with the programs that may run
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) plan: Option<PathBuf>,
    /// Another program that may run. Repeatable
    #[arg(long, value_name = "PROGRAM")]
    pub(in crate::cli) allow_bin: Vec<String>,
    /// A program that runs when the agent stops
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) stop_hook: Option<PathBuf>,
    /// A program that runs before each shell command
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) pre_tool_use_hook: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host sandbox new auth-investigation
  cd \"$(guard-host sandbox new api-research)\"")]
pub(in crate::cli) struct SandboxArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: SandboxCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SandboxCommand {
    /// Create agent_sandbox/YYYY-MM-DD/CONTEXT in the project, which git ignores, and print its path
    #[command(after_help = "Examples:
  guard-host sandbox new auth-investigation
  cp report.csv \"$(guard-host sandbox new api-research)\"")]
    New {
        /// Its purpose: letters, digits, `-`, `_` and `.`
        // A word that starts with `-` is rejected as a name, instead of parsed as an option.
        #[arg(allow_hyphen_values = true)]
        context: String,
    },
}
