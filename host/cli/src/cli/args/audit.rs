//! Arguments of `guard-host audit`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Format;
use super::policy::NetworkArgs;
use super::{ReportArgs, WatchArgs};
use guard_hook::audit::{UNDO, WOULD_ASK, WOULD_DENY};
use guard_state::ACCEPT;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host audit show --since 2h --action block
  guard-host audit show --follow
  guard-host audit stats --since 2026-01-01 --format json")]
pub(in crate::cli) struct AuditArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: AuditCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum AuditCommand {
    /// Show the calls that were denied or needed confirmation, oldest first
    #[command(after_help = "Examples:
  guard-host audit show --last 20
  guard-host audit show --since 2h --rule git-push --format json")]
    Show {
        #[command(flatten)]
        filters: Filters,
        /// Show only the last N lines
        #[arg(long, value_name = "N", conflicts_with = "follow")]
        last: Option<usize>,
        /// Wait for new lines and show them
        #[arg(long)]
        follow: bool,
        /// How to print them; JSON prints the lines of the log unchanged
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Count the calls that were denied, needed confirmation or were approved, by day, policy and rule
    #[command(after_help = "Examples:
  guard-host audit stats
  guard-host audit stats --since 7d --policy command-guard")]
    Stats {
        #[command(flatten)]
        filters: Filters,
        /// How to print them
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Suggest changes that would have avoided prompts you always approved
    #[command(after_help = "Examples:
  guard-host audit suggest
  guard-host audit suggest --since 30d --apply 1

A suggestion is an [[allow]] entry for a command, or a setting that lowers a rule. Each shows how many prompts it would
have avoided, and which other calls it would have allowed: refused ones, and ones without a known outcome. --apply writes
a suggestion into your file, if a person at a terminal agrees.")]
    Suggest {
        #[command(flatten)]
        filters: Filters,
        /// Apply the suggestion with this number
        #[arg(long, value_name = "N")]
        apply: Option<usize>,
        /// How to print them
        #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "apply")]
        format: Format,
    },
    /// Follow the log in the terminal, and explain or allow calls
    Watch(WatchArgs),
    /// Write the log as one HTML page
    Report(ReportArgs),
    /// Check that no line of the log was changed, moved, added or removed
    #[command(after_help = "Examples:
  guard-host audit verify
  guard-host audit verify --format json
  guard-host audit verify --accept

Each line contains its number, the digest of the previous line, and a seal made with the key in the state folder. The
report names the file and the line number of the first wrong line. Lines from older versions aren't part of the chain:
they are counted, but not checked. A program that runs as you can read the key.

--accept asks a person at a terminal to accept the first wrong line. It adds a line to the log that names it. Later runs
report it as accepted, and check the log from there on.

Exit codes: 0 the log is complete, 1 a line is wrong or missing, 66 the log can't be read.")]
    Verify {
        /// Accept the first wrong line, so that later runs check the log from here on
        #[arg(long, conflicts_with = "format")]
        accept: bool,
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Send the log to an OpenTelemetry collector or another receiver
    Ship(ShipArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host audit ship --to https://collector.example:4318
  guard-host audit ship --to https://collector.example:4318 --header-file ~/.config/guard-host/headers --follow
  guard-host audit ship --to http://127.0.0.1:4318
  guard-host audit ship --format ocsf --to https://siem.example/ocsf

Posts OTLP in JSON to URL/v1/logs, or with `--format ocsf` a list of OCSF events to URL. The state folder records which
lines were sent, and the next run continues there. Each line arrives at least once. If it arrives again, it has the same
attribute log.record.uid. Lines that were rotated out, damaged or rejected are counted and reported on standard error.

Exit codes: 0 all lines were sent, 1 some lines were lost and all others were sent, 64 an address without TLS on another
machine, 66 the log can't be read, 69 the receiver is unreachable or refuses, or another run sends to it, 78 the header
file isn't private.")]
pub(in crate::cli) struct ShipArgs {
    /// The receiver's address; for OTLP, without `/v1/logs`. Needs TLS unless it is on this machine
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) to: String,
    /// The format of the lines
    #[arg(long, value_enum, default_value_t = ShipFormat::Otlp)]
    pub(in crate::cli) format: ShipFormat,
    /// Wait for new lines and send them, until stopped by a signal
    #[arg(long)]
    pub(in crate::cli) follow: bool,
    /// A private file with headers to send, one `name: value` per line
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) header_file: Option<PathBuf>,
    /// A PEM file with certificate authorities to use instead of the system's
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) ca: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) network: NetworkArgs,
}

/// The form of lines that are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ShipFormat {
    /// OpenTelemetry log records (OTLP in JSON)
    Otlp,
    /// OCSF 1.7.0 Detection Findings in JSON
    Ocsf,
}

/// Which lines are selected.
#[derive(Debug, Args)]
pub(in crate::cli) struct Filters {
    /// Only from this time on: an age (`30m`, `2h`, `7d`), a day (`2026-01-31`), or a time
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) since: Option<String>,
    /// Only until this time
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) until: Option<String>,
    /// The policy that decided, or that reported something
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) policy: Option<String>,
    /// The rule that decided, or that reported something
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) rule: Option<String>,
    /// The result of the call
    #[arg(long, value_enum)]
    pub(in crate::cli) action: Option<Action>,
    /// The start of the session's id. Test calls of `doctor` are shown only for `guard-host-doctor`
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) session: Option<String>,
    /// The tool
    #[arg(long, value_name = "TOOL")]
    pub(in crate::cli) tool: Option<String>,
}

/// The words that a log uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(in crate::cli) enum Action {
    /// The verdict was deny
    #[value(aliases = ["deny", "denied", "blocked"])]
    Block,
    /// The verdict was ask
    #[value(aliases = ["ask", "asked"])]
    ConfirmRequired,
    /// Ran because of an approval with `guard-host confirm`
    #[value(aliases = ["confirmed", "approved"])]
    ConfirmedAllow,
    /// The verdict was warn
    Warn,
    /// A policy failed and the call ran, or a payload couldn't be read
    Error,
    /// The verdict was allow, or no policy objected
    Allow,
    /// Ran after a prompt, if the harness reports it. `by` is `person` only if no program could have allowed it
    Ran,
    /// The call was refused at a prompt, if the harness reports it. `by` says who refused it
    Refused,
    /// Ran although a policy would ask, because it is only watched or is paused
    #[value(name = "would-ask")]
    WouldAsk,
    /// Ran although a policy would deny, because it is only watched or is paused
    #[value(name = "would-deny")]
    WouldDeny,
    /// A person paused policies
    Pause,
    /// A person ended the pause
    Resume,
    /// `guard-host sync` changed the configuration
    Sync,
    /// `guard-host undo` restored files or commits
    Undo,
    /// A person accepted a wrong line of the log
    Accept,
}

impl Action {
    /// Returns the word in the log.
    pub(in crate::cli) fn word(self) -> &'static str {
        match self {
            Action::Block => "block",
            Action::ConfirmRequired => "confirm_required",
            Action::ConfirmedAllow => "confirmed_allow",
            Action::Warn => "warn",
            Action::Error => "error",
            Action::Allow => "allow",
            Action::Ran => "ran",
            Action::Refused => "refused",
            Action::WouldAsk => WOULD_ASK,
            Action::WouldDeny => WOULD_DENY,
            Action::Pause => "pause",
            Action::Resume => "resume",
            Action::Sync => "sync",
            Action::Undo => UNDO,
            Action::Accept => ACCEPT,
        }
    }
}
