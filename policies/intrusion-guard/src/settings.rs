//! The settings of the policy.

use policy_sensitive_paths::Lists;
use serde::Deserialize;

/// The settings.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Report what an honest agent does as well, now and then.
    pub strict: bool,
    /// Hosts that data may be sent to, and that tunnels may lead to.
    pub hosts: Vec<String>,
    /// The lists of files with secrets: `blocked` and `exempt`.
    pub files: Lists,
}

impl Settings {
    /// Whether the user lists the host, or with `*.` a name above it.
    pub(crate) fn trusts(&self, host: &str) -> bool {
        self.hosts.iter().any(|listed| match listed.strip_prefix("*.") {
            Some(parent) => host.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
            None => listed.eq_ignore_ascii_case(host),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_covers_itself_and_with_a_star_those_below() {
        let trusts =
            |listed: &str, host: &str| Settings { hosts: vec![listed.to_owned()], ..Settings::default() }.trusts(host);
        assert!(trusts("Example.org", "example.org") && trusts("*.example.org", "a.b.example.org"));
        assert!(!trusts("example.org", "a.example.org") && !trusts("*.example.org", "example.org"));
    }
}
