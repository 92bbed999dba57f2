//! Arguments of `guard-host test`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use serde_json::{Map, Value};

use super::policy::object;
use super::{Format, WasiName};
use guard_kit::suite::Filter;
use guard_kit::suite::mutate::MUTANTS;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host test target/wasm32-wasip2/release/my_policy.wasm cases/
  guard-host test command-guard cases/ --filter rm-root --timings
  guard-host test command-guard cases/ --filter '^G-[0-9]+ ' --filter push --list
  guard-host test target/wasm32-wasip2/release/my_policy.wasm cases/ --watch --quiet
  guard-host test my_policy.wasm cases/ --repeat 20
  guard-host test rego cases/ --settings-file policies/team.rego
  guard-host test rego --settings-file policies/team --coverage
  guard-host test chain cases/ --format junit --threshold 80 > report.xml
  guard-host test chain cases/ --format sarif > cases.sarif
  guard-host test command-guard cases/ --mutate --min-kept 97
  guard-host test command-guard cases/ --siblings

`guard-host config schema --fixtures` prints the schema of the files.

For `rego`, it also runs the rules `test_...`, as `opa test` does, and skips `todo_test_...`.

With `--mutate`, each case is rewritten in ways that keep its meaning, and harmless commands are also quoted as data. The
verdict of each rewritten case (mutant) must stay the same. The report lists the mutants whose verdict changed, and how often
each rewrite was tried. `--siblings` replaces each blocked command with other programs that have the same effect.

Exit codes:
  0    all cases passed
  1    a case failed, too few rules were hit, or a mutant's verdict changed
  64+  nothing was tested")]
#[command(group = ArgGroup::new("rewrites").args(["mutate", "siblings"]))]
pub(in crate::cli) struct TestArgs {
    /// A component file, the name of a built-in policy, or `chain` for the chain of this folder
    pub(in crate::cli) policy: String,
    /// Case files (.toml, .json, .jsonl) or folders of them. For `rego`, also _test.rego files; optional if the rules folder
    /// has tests
    #[arg(required_unless_present = "settings_file")]
    pub(in crate::cli) fixtures: Vec<PathBuf>,
    /// How to answer WASI calls; not for `chain` [default: trap]
    #[arg(long, value_enum)]
    pub(in crate::cli) wasi: Option<WasiName>,
    /// Settings for suites without their own; same format as `settings-file` in guard.toml
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) settings_file: Option<PathBuf>,
    /// Run only cases whose ID, name, input or file matches this regular expression. Repeatable; any match counts
    #[arg(long, value_name = "REGEX")]
    pub(in crate::cli) filter: Vec<Filter>,
    /// Print the cases that would run, and run none
    #[arg(long, conflicts_with_all = ["watch", "quiet"])]
    pub(in crate::cli) list: bool,
    /// Stop at the first case that fails
    #[arg(long)]
    pub(in crate::cli) fail_fast: bool,
    /// Run every case N times; a case fails if a run fails, or if two runs have different verdicts
    #[arg(long, value_name = "N", default_value = "1")]
    pub(in crate::cli) repeat: NonZeroU32,
    /// Run the cases again each time that they, the component or the settings change, until Ctrl-C
    #[arg(long)]
    pub(in crate::cli) watch: bool,
    /// Fail if the cases hit less than this percentage of the policy's rules
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(in crate::cli) threshold: Option<u8>,
    /// Show which Rego lines the cases and tests evaluate (only for `rego`)
    #[arg(long, conflicts_with_all = ["list", "mutate", "siblings", "quiet"])]
    pub(in crate::cli) coverage: bool,
    /// Show how much of its time and memory limits each case used
    #[arg(long, conflicts_with = "quiet")]
    pub(in crate::cli) timings: bool,
    /// If all cases pass, also test rewritten variants, which must keep their verdict
    #[arg(long, conflicts_with = "timings")]
    pub(in crate::cli) mutate: bool,
    /// Like --mutate, but replace commands with equivalent programs
    #[arg(long, conflicts_with_all = ["mutate", "timings"])]
    pub(in crate::cli) siblings: bool,
    /// Rewrite once, or also twice
    #[arg(long, value_name = "1|2", default_value_t = 1, requires = "rewrites", value_parser = clap::value_parser!(u8).range(1..=2))]
    pub(in crate::cli) depth: u8,
    /// The seed for the choice of mutants, if there are too many
    #[arg(long, value_name = "N", default_value_t = 0, requires = "rewrites")]
    pub(in crate::cli) seed: u64,
    /// Maximum number of mutants, sampled evenly across rewrites and cases; the default takes a few seconds
    #[arg(long, value_name = "N", default_value_t = MUTANTS, requires = "rewrites")]
    pub(in crate::cli) max_mutants: usize,
    /// Fail only if less than this percentage of the mutants kept the verdict
    #[arg(long, value_name = "PERCENT", requires = "rewrites", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(in crate::cli) min_kept: Option<u8>,
    /// How to report
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub(in crate::cli) format: ReportFormat,
}

impl TestArgs {
    /// Returns whether the cases are rewritten.
    pub(in crate::cli) fn rewrites(&self) -> bool {
        self.mutate || self.siblings
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy conformance target/wasm32-wasip2/release/my_policy.wasm
  guard-host policy conformance command-guard --format json

Exit codes:
  0    the policy conforms
  1    it doesn't
  64+  nothing was tested")]
pub(in crate::cli) struct ConformanceArgs {
    /// A component file, or the name of a built-in policy
    pub(in crate::cli) policy: String,
    /// Settings that the policy must accept: a JSON object [default: {}]
    #[arg(long, value_name = "JSON", value_parser = object)]
    pub(in crate::cli) settings: Option<Map<String, Value>>,
    /// How to answer the policy's WASI calls [default: trap]
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
    /// GitHub Actions annotations
    Github,
    /// The Test Anything Protocol, version 14
    Tap,
    /// For code hosts: SARIF 2.1.0
    Sarif,
}
