//! What `guard-host test` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use serde_json::{Map, Value};

use super::policy::object;
use super::{Format, WasiName};
use guard_kit::suite::mutate::MUTANTS;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host test target/wasm32-wasip2/release/my_policy.wasm cases/
  guard-host test command-guard cases/ --filter rm-root --timings
  guard-host test chain cases/ --format junit --threshold 80 > report.xml
  guard-host test command-guard cases/ --mutate --min-kept 97

`guard-host config schema --fixtures` prints the schema of the files.

With `--mutate`, each case of a command or a file is rewritten in ways that keep its meaning, or as mere data, and the
policy must say the same of each mutant. The report lists those of which it does not, and how often each rewrite was tried.

Exit codes: 0 all cases hold, 1 one fails, too few rules were hit, or a mutant's verdict changed, 64 and up nothing could be tested.")]
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
    /// Rewrite the cases and ask again; only once all of them hold
    #[arg(long, conflicts_with_all = ["threshold", "timings"])]
    pub(in crate::cli) mutate: bool,
    /// Rewrite once, or also twice
    #[arg(long, value_name = "1|2", default_value_t = 1, requires = "mutate", value_parser = clap::value_parser!(u8).range(1..=2))]
    pub(in crate::cli) depth: u8,
    /// What the choice among too many mutants depends on
    #[arg(long, value_name = "N", default_value_t = 0, requires = "mutate")]
    pub(in crate::cli) seed: u64,
    /// The most mutants, chosen evenly from rewrites and cases; the default takes some seconds
    #[arg(long, value_name = "N", default_value_t = MUTANTS, requires = "mutate")]
    pub(in crate::cli) max_mutants: usize,
    /// Fail only if less than this part of the mutants kept the verdict
    #[arg(long, value_name = "PERCENT", requires = "mutate", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(in crate::cli) min_kept: Option<u8>,
    /// How to report
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub(in crate::cli) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host conformance target/wasm32-wasip2/release/my_policy.wasm
  guard-host conformance command-guard --format json

Exit codes: 0 it holds to all, 1 it does not, 64 and up nothing could be tried.")]
pub(in crate::cli) struct ConformanceArgs {
    /// A component file, or the name of a built-in policy
    pub(in crate::cli) policy: String,
    /// The settings that it must take: a JSON object [default: {}]
    #[arg(long, value_name = "JSON", value_parser = object)]
    pub(in crate::cli) settings: Option<Map<String, Value>>,
    /// What its calls of WASI meet [default: a trap]
    #[arg(long, value_enum)]
    pub(in crate::cli) wasi: Option<WasiName>,
    /// How to report
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(in crate::cli) format: Format,
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
