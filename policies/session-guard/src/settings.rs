//! The policy's settings.

use guard_sdk::addresses::HostPattern;
use guard_sensitive_paths::Lists;
use serde::Deserialize;

/// The settings.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Hosts that data may be sent to, and that files may be downloaded from.
    pub hosts: Vec<HostPattern>,
    /// Which files hold secrets: `blocked` and `exempt`.
    pub files: Lists,
}

impl Settings {
    /// Whether the user lists the host.
    pub(crate) fn trusts(&self, host: &str) -> bool {
        self.hosts.iter().any(|listed| listed.covers(host))
    }
}
