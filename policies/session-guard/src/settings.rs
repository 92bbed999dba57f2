//! The policy's settings.

use guard_sdk::addresses::HostPattern;
use guard_sensitive_paths::Lists;
use serde::Deserialize;

/// The settings.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Hosts to which data may be sent, and from which files may be downloaded.
    pub hosts: Vec<HostPattern>,
    /// The lists of secret files: `blocked` and `exempt`.
    pub files: Lists,
}

impl Settings {
    /// Returns whether the host is in the user's list.
    pub(crate) fn trusts(&self, host: &str) -> bool {
        self.hosts.iter().any(|listed| listed.covers(host))
    }
}
