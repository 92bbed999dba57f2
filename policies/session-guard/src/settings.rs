//! What the policy lets its user set.

use policy_sensitive_paths::Lists;
use serde::Deserialize;

/// The settings.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Hosts that data may be sent to, and that files may be downloaded from.
    pub hosts: Vec<Host>,
    /// Which files hold secrets: `blocked` and `exempt`.
    pub files: Lists,
}

/// A host, or with `*.` in front those below it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Host(String);

impl TryFrom<String> for Host {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let name = text.strip_prefix("*.").unwrap_or(&text);
        let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | ':');
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            return Err(format!(
                "`{text}` is no host: give a name without `https://` and path, such as `*.example.org`"
            ));
        }
        Ok(Host(text.to_ascii_lowercase()))
    }
}

impl Host {
    fn covers(&self, host: &str) -> bool {
        match self.0.strip_prefix("*.") {
            Some(parent) => host.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
            None => self.0 == host,
        }
    }
}

impl Settings {
    /// Whether the user lists the host.
    pub(crate) fn trusts(&self, host: &str) -> bool {
        self.hosts.iter().any(|listed| listed.covers(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_covers_itself_and_with_a_star_those_below() {
        let trusts = |listed: &str, host: &str| Host::try_from(listed.to_owned()).unwrap().covers(host);
        assert!(trusts("Example.org", "example.org") && trusts("*.example.org", "a.b.example.org"));
        assert!(!trusts("example.org", "a.example.org") && !trusts("*.example.org", "example.org"));
        assert!(!trusts("*.example.org", "badexample.org"));
        for text in ["", "https://example.org", "*.", "a/b", "*"] {
            assert!(Host::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
