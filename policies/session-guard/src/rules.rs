//! The rules in the order of their reports.

pub(crate) mod downloaded_then_run;
pub(crate) mod noted;
pub(crate) mod retry_after_deny;
pub(crate) mod secret_then_network;
pub(crate) mod unknown_history;

use guard_sdk::{Call, Finding, Rule};

use crate::Settings;
use crate::past::SessionHistory;

/// Checks the call against the session's history.
type Check = fn(&Call<'_>, &SessionHistory<'_>, &Settings) -> Option<Hit>;

/// Every rule.
pub(crate) const RULES: &[Rule] =
    &[retry_after_deny::RULE, secret_then_network::RULE, downloaded_then_run::RULE, unknown_history::RULE, noted::RULE];

/// The rules that use the history.
pub(crate) const ALL: &[(&Rule, Check)] = &[
    (&retry_after_deny::RULE, retry_after_deny::check),
    (&secret_then_network::RULE, secret_then_network::check),
    (&downloaded_then_run::RULE, downloaded_then_run::check),
];

/// A rule's hit on a call.
pub(crate) struct Hit {
    pub(crate) message: String,
    pub(crate) remedy: String,
    /// The effects that were denied before, as the history names them. The host drops the finding if no other rule
    /// stops one of them.
    pub(crate) repeated: Vec<String>,
}

impl Hit {
    pub(crate) fn into_finding(self, rule: &Rule) -> Finding {
        let finding = Finding::new(rule, self.message).remedy(self.remedy);
        self.repeated.into_iter().take(REPEATED).fold(finding, |finding, effect| finding.tag(REPEATS, effect))
    }
}

/// The tag for an effect that was denied before.
const REPEATS: &str = "repeats";

/// The maximum number of such tags.
const REPEATED: usize = 16;

/// Returns the command that clears the history of the call's session.
pub(crate) fn clear_command(call: &Call<'_>) -> String {
    let session = call.context().session;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_shown =
        !session.is_empty() && !session.starts_with('-') && session.len() <= 80 && session.chars().all(is_plain);
    format!("guard-host session clear --session {}", if is_shown { &session } else { "ID" })
}
