//! The settings of the policy.

use guard_sdk::addresses::HostPattern;
use guard_sensitive_paths::Lists;
use serde::Deserialize;

/// The settings.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Report what an honest agent does as well, now and then.
    pub strict: bool,
    /// Hosts that data may be sent to, and that tunnels may lead to.
    pub hosts: Vec<HostPattern>,
    /// The lists of files with secrets: `blocked` and `exempt`.
    pub files: Lists,
}

impl Settings {
    /// Whether the user lists the host.
    pub(crate) fn trusts(&self, host: &str) -> bool {
        self.hosts.iter().any(|listed| listed.covers(host))
    }
}
