//! The policy's settings.

use guard_sdk::Outcome;
use guard_sensitive_paths::{Entries, Lists};
use serde::Deserialize;

/// The lists `blocked`, `confirm` and `exempt` add to the defaults. The list `reads` adds to `blocked` for calls that
/// read. `secret-reads` is the outcome if a call reads a secret.
///
/// An entry is a file's name, a name below a folder (`.git/config`) or a folder (`.ssh/`), with the patterns of
/// `policies/PATTERNS.md`. Case is ignored.
///
/// ```toml
/// [policy.settings]
/// confirm = ["deploy.sh", "!Makefile"]
/// reads = ["!.env.test"]
/// secret-reads = "deny"
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "RawSettings")]
pub struct Settings {
    pub(crate) lists: Lists,
    /// The lists for tools that read.
    pub(crate) lists_of_reads: Lists,
    /// The lists for shell commands that read: only the settings' entries, because `command-guard` judges the others.
    pub(crate) lists_of_shell_reads: Lists,
    /// The outcome if a call reads a secret. `None` for no finding.
    pub(crate) secret_reads: Option<Outcome>,
}

/// The settings as written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct RawSettings {
    blocked: Option<Entries>,
    confirm: Option<Entries>,
    exempt: Option<Entries>,
    reads: Option<Entries>,
    secret_reads: Option<Answer>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Answer {
    Deny,
    Ask,
    Allow,
}

impl Default for Settings {
    fn default() -> Self {
        RawSettings::default().into()
    }
}

impl From<RawSettings> for Settings {
    fn from(written: RawSettings) -> Self {
        let secret_reads = match written.secret_reads {
            Some(Answer::Deny) => Some(Outcome::Deny),
            Some(Answer::Ask) | None => Some(Outcome::Ask),
            Some(Answer::Allow) => None,
        };
        let lists_of_shell_reads =
            Lists::settings_only(&[written.blocked.clone(), written.reads.clone()], written.exempt.clone());
        let lists = Lists::new(written.blocked, written.confirm, written.exempt);
        let lists_of_reads = lists.clone().with_blocked(written.reads);
        Settings { lists, lists_of_reads, lists_of_shell_reads, secret_reads }
    }
}
