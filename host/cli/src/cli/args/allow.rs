//! Arguments of `guard-host allow`.

use clap::Args;

use super::Format;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host allow --last
  guard-host allow --last --choose 2
  guard-host allow 'rm -rf node_modules' --why 'npm recreates it' --until 2027-01-31
  guard-host allow
  guard-host allow --remove 1

Offers ways to avoid such prompts: the narrowest covers only this exact command, the widest the whole rule. Each shows
which other calls it would also allow. Your choice is written into your guard.toml. An [[allow]] entry never overrides a
deny.

Exit codes: 0 success; 1 the call needs no confirmation, or no entry can cover it; 69 the `[remote]` server decides, so an
entry would change nothing; 77 there is no person at a terminal.")]
pub(in crate::cli) struct AllowArgs {
    /// A shell command that needs confirmation here [default: list the entries in your file]
    #[arg(conflicts_with_all = ["last", "id", "remove"])]
    pub(in crate::cli) command: Option<String>,
    /// Use the last call in the audit log that needed confirmation
    #[arg(long, conflicts_with_all = ["id", "remove"])]
    pub(in crate::cli) last: bool,
    /// Use the call with this id in the audit log; `audit show --format json` shows the ids
    #[arg(long, value_name = "ID", conflicts_with = "remove")]
    pub(in crate::cli) id: Option<String>,
    /// Remove the entries with these numbers
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    pub(in crate::cli) remove: Vec<usize>,
    /// Allow it in every project, not only in the call's project
    #[arg(long, conflicts_with = "remove")]
    pub(in crate::cli) any_project: bool,
    /// The reason, which the audit log and `explain` show
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, conflicts_with = "remove")]
    pub(in crate::cli) why: String,
    /// The last day on which it applies, such as 2027-01-31 [default: no end]
    #[arg(long, value_name = "DAY", default_value = "", hide_default_value = true, conflicts_with = "remove")]
    pub(in crate::cli) until: String,
    /// Choose the option with this number [default: prompt]
    #[arg(long, value_name = "NUMBER", conflicts_with = "remove")]
    pub(in crate::cli) choose: Option<usize>,
    /// Don't prompt; without `--choose`, use the narrowest option. Still needs a person at a terminal
    #[arg(long)]
    pub(in crate::cli) yes: bool,
    /// How to print the list of entries
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(in crate::cli) format: Format,
}

impl AllowArgs {
    /// Returns the arguments for the call with this id in the audit log: in its project, without an end.
    pub(in crate::cli) fn for_question(id: &str) -> Self {
        AllowArgs {
            command: None,
            last: false,
            id: Some(id.to_owned()),
            remove: Vec::new(),
            any_project: false,
            why: String::new(),
            until: String::new(),
            choose: Some(1),
            yes: false,
            format: Format::Human,
        }
    }
}
