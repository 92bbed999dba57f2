//! Arguments of `guard-host ci`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host ci
  guard-host ci --format github
  guard-host ci --against origin/main

Checks this folder's project as seen by someone who trusts it and has no configuration of their own:
  lock         guard.lock pins what .guard/guard.toml names, and all of it is here (see `guard-host policy fetch`)
  check        every policy accepts its settings, passes its examples, and gives an answer
  trust        fails if the file now needs trust and didn't at the --against revision
  settings     lists the settings that differ from that revision, and never fails
  test         the chain gives the verdicts that the cases expect; rules with a `cases` folder next to them are tested too
  conformance  the project's own components behave as every policy must
  replay       every recorded call can be read, and none is judged milder than at the --against revision

Exit codes:
  0    all checks pass
  1    a check fails
  64+  nothing was checked")]
pub(in crate::cli) struct CiArgs {
    /// The cases of the chain: a file, or a folder of files, from the project's root [default: .guard/cases, if it exists]
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) cases: Option<PathBuf>,
    /// The recorded calls, from the project's root, in a form that `replay` reads [default: .guard/calls.jsonl, if it exists]
    #[arg(long, value_name = "FILE", requires = "against")]
    pub(in crate::cli) calls: Option<PathBuf>,
    /// The revision to compare with: no recorded call may get a milder verdict than there
    #[arg(long, value_name = "REV")]
    pub(in crate::cli) against: Option<String>,
    /// How to report
    #[arg(long, value_enum, default_value_t = CiFormat::Human)]
    pub(in crate::cli) format: CiFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum CiFormat {
    /// For people
    Human,
    /// For machines
    Json,
    /// GitHub Actions annotations
    Github,
}
