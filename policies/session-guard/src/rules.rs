//! The rules, in the order in which they are reported.

pub(crate) mod downloaded_then_run;
pub(crate) mod noted;
pub(crate) mod retry_after_deny;
pub(crate) mod secret_then_network;
pub(crate) mod unknown_history;

use guard_sdk::{Call, Finding, Rule};

use crate::Settings;
use crate::past::Past;

/// Looks at the call, and at what the session did before.
type Check = fn(&Call<'_>, &Past<'_>, &Settings) -> Option<Hit>;

/// Every rule.
pub(crate) const RULES: &[Rule] =
    &[retry_after_deny::RULE, secret_then_network::RULE, downloaded_then_run::RULE, unknown_history::RULE, noted::RULE];

/// The rules that look at the past.
pub(crate) const ALL: &[(&Rule, Check)] = &[
    (&retry_after_deny::RULE, retry_after_deny::check),
    (&secret_then_network::RULE, secret_then_network::check),
    (&downloaded_then_run::RULE, downloaded_then_run::check),
];

/// A rule's hit on a call.
pub(crate) struct Hit {
    pub(crate) message: String,
    pub(crate) remedy: String,
}

impl Hit {
    pub(crate) fn into_finding(self, rule: &Rule) -> Finding {
        Finding::new(rule, self.message).remedy(self.remedy)
    }
}
