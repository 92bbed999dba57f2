//! What `guard-host test` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::WasiName;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host test target/wasm32-wasip2/release/my_policy.wasm cases/
  guard-host test command-guard cases/ --filter rm-root --timings
  guard-host test chain cases/ --format junit --threshold 80 > report.xml

`guard-host config schema --fixtures` prints the schema of the files.

Exit codes: 0 all cases hold, 1 one fails or too few rules were hit, 64 and up nothing could be tested.")]
pub(in crate::cli) struct TestArgs {
    /// A component file, the name of a built-in policy, or `chain` for the chain that holds here
    pub(in crate::cli) policy: String,
    /// Files of cases, .toml, .json or .jsonl, or folders of them
    #[arg(required = true)]
    pub(in crate::cli) fixtures: Vec<PathBuf>,
    /// What calls of WASI meet, unless it is `chain` [default: a trap]
    #[arg(long, value_enum)]
    pub(in crate::cli) wasi: Option<WasiName>,
    /// Only the cases with this text in their id, name, input or file
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) filter: Option<String>,
    /// Stop at the first case that fails
    #[arg(long)]
    pub(in crate::cli) fail_fast: bool,
    /// Fail if the cases hit less than this part of the policy's rules
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(in crate::cli) threshold: Option<u8>,
    /// Show what each case took of the time and the memory that a policy may use
    #[arg(long)]
    pub(in crate::cli) timings: bool,
    /// How to report
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub(in crate::cli) format: ReportFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ReportFormat {
    /// For people
    Human,
    /// For machines
    Json,
    /// XML that build servers read
    Junit,
    /// Annotations of a workflow on GitHub
    Github,
}
