//! Arguments of `guard-host audit report`.

use std::path::PathBuf;

use clap::Args;

use super::{Filters, Format};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host audit report --since 7d --open
  guard-host audit report --since 2026-01-01 --output january.html
  guard-host audit report --against stricter.toml
  guard-host audit report --format json | jq .prompts

Writes one self-contained HTML file: denied calls and prompts by day, rule, folder and agent, the answers to the prompts,
and each call with its commands and effects. It contains no secrets.")]
pub(in crate::cli) struct ReportArgs {
    #[command(flatten)]
    pub(in crate::cli) filters: Filters,
    /// Judge the calls again and show what would change, with a guard.toml instead of yours, or with this project's
    /// .guard/guard.toml at a git revision
    #[arg(long, value_name = "FILE|REV")]
    pub(in crate::cli) against: Option<String>,
    /// The file to write [default: `report.html` in the state folder; JSON is printed]
    #[arg(long, short, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(in crate::cli) format: Format,
    /// Open it in the browser
    #[arg(long)]
    pub(in crate::cli) open: bool,
}
