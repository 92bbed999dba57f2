//! Arguments of `guard-host audit`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Format;
use super::policy::NetworkArgs;
use super::{ReportArgs, WatchArgs};
use guard_hook::audit::{UNDO, WOULD_ASK, WOULD_DENY};

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
        /// Only the last so many lines
        #[arg(long, value_name = "N", conflicts_with = "follow")]
        last: Option<usize>,
        /// Wait for new lines and show them
        #[arg(long)]
        follow: bool,
        /// How to print them; JSON is the lines of the log, unchanged
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Count denied, asked and approved calls by day, policy and rule
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

A suggestion is an allow for a command, or a setting that lowers a rule. Each says how many prompts it would have
avoided, and which other calls it would have allowed: refused ones, and those without a known outcome. --apply shows an
allow or a setting and writes it into your file, if a person at a terminal agrees.")]
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

Each line has its number, the digest of the line before, and a seal by the key in the state folder. The report has the
file and the line number of the first wrong line. Lines of older versions aren't part of the chain: they are counted, but
not checked. A program that runs as you can read the key.

Exit codes: 0 the log is whole, 1 a line is wrong or missing, 66 if the log cannot be read.")]
    Verify {
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Send all lines to a receiver of OpenTelemetry logs, such as a collector
    Ship(ShipArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host audit ship --to https://collector.example:4318
  guard-host audit ship --to https://collector.example:4318 --header-file ~/.config/guard-host/headers --follow
  guard-host audit ship --to http://127.0.0.1:4318
  guard-host audit ship --format ocsf --to https://siem.example/ocsf

Posts OTLP in JSON to URL/v1/logs, or with `--format ocsf` a list of OCSF events to URL. The log and its rotated file are
the queue: a cursor in the state folder marks how far they were sent, and the next run continues there. A line arrives at least once; the attribute log.record.uid is
the same if it arrives again. Lines that rotation discarded, damaged lines and rejected lines are counted and
reported on standard error.

Exit codes: 0 all lines were sent, 1 the remaining lines were sent and others were lost, 64 for an address without TLS on
another machine, 66 if the log cannot be read, 69 if the receiver is missing or refuses, or another run sends to it, 78 if
the file of headers is not private.")]
pub(in crate::cli) struct ShipArgs {
    /// The receiver, for OTLP without `/v1/logs`; only one on this machine is sent to without TLS
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) to: String,
    /// The form of the lines: records of OpenTelemetry, or Detection Findings of OCSF
    #[arg(long, value_enum, default_value_t = ShipFormat::Otlp)]
    pub(in crate::cli) format: ShipFormat,
    /// Wait for new lines and send them, until a signal ends it
    #[arg(long)]
    pub(in crate::cli) follow: bool,
    /// A private file with lines `name: value`, which are sent as headers
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) header_file: Option<PathBuf>,
    /// A file of certificate authorities, in PEM, instead of the system's
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) ca: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) network: NetworkArgs,
}

/// The form of lines that are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ShipFormat {
    /// OTLP in JSON
    Otlp,
    /// OCSF 1.7.0 in JSON
    Ocsf,
}

/// Which lines are selected.
#[derive(Debug, Args)]
pub(in crate::cli) struct Filters {
    /// Not before this time: `30m`, `2h`, `7d` ago, `2026-01-31`, or a time
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) since: Option<String>,
    /// Not after this time
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) until: Option<String>,
    /// The policy that decided or spoke
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) policy: Option<String>,
    /// The rule that decided or spoke
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
    /// Ran by an approval of `guard-host confirm`
    #[value(aliases = ["confirmed", "approved"])]
    ConfirmedAllow,
    /// Warned
    Warn,
    /// A policy failed and the call ran, or a payload could not be read
    Error,
    /// Allowed, or no policy had an opinion
    Allow,
    /// Ran after a prompt, if the harness reports it. `by` is `person` only if no one else can have allowed it
    Ran,
    /// The call was refused at a prompt, if the harness reports it. `by` says who refused it
    Refused,
    /// Ran; the verdict would be ask, but the policy is watched or paused
    #[value(name = "would-ask")]
    WouldAsk,
    /// Ran; the verdict would be deny, but the policy is watched or paused
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
}

impl Action {
    /// The word in the log.
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
        }
    }
}
