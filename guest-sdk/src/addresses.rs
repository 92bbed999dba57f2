//! The hosts in addresses: URLs, and other spellings that programs use.

use serde::Deserialize;

/// Returns the host in an address. Empty if it is only known at run time.
#[must_use]
pub fn host(address: &str) -> String {
    // Most words have no colon, and searching for a text takes longer.
    let scheme = if address.contains(':') { address.split_once("://") } else { None };
    let rest = scheme.map_or(address, |(_, rest)| rest);
    let rest = rest.strip_prefix("/dev/tcp/").or_else(|| rest.strip_prefix("/dev/udp/")).unwrap_or(rest);
    // socat's addresses begin with a type.
    let rest = match rest.split_once(':') {
        Some((kind, rest))
            if kind.len() > 1 && kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) =>
        {
            rest
        }
        _ => rest,
    };
    let end = rest.find(['/', '?', '#', ',']).unwrap_or(rest.len());
    let authority = rest.get(..end).unwrap_or_default();
    // Programs disagree on the host of such an address.
    if rest.contains('\\') || rest.get(end..).is_some_and(|rest| rest.starts_with('#') && rest.contains('@')) {
        return String::new();
    }
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or_default(),
    };
    if host.contains('$') { String::new() } else { host.to_ascii_lowercase() }
}

/// Returns whether the name is that of this machine.
#[must_use]
pub fn is_here(host: &str) -> bool {
    let is_name =
        matches!(host, "localhost" | "localhost.localdomain" | "::1" | "0.0.0.0" | "0" | "host.docker.internal");
    let is_loop = host.starts_with("127.") && host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_name || is_loop || host.ends_with(".localhost")
}

/// A host, or with a leading `*.` all hosts below it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct HostPattern(String);

impl TryFrom<String> for HostPattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let name = text.strip_prefix("*.").unwrap_or(&text);
        let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | ':');
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            return Err(format!(
                "`{text}` is no host: give a name without `https://` and path, such as `*.example.org`"
            ));
        }
        Ok(HostPattern(text.to_ascii_lowercase()))
    }
}

impl HostPattern {
    /// Returns whether the pattern matches the host.
    #[must_use]
    pub fn covers(&self, host: &str) -> bool {
        match self.0.strip_prefix("*.") {
            Some(parent) => host.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
            None => self.0 == host,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_an_address_is_found() {
        for (address, expected) in [
            ("https://u:p@Example.org:8/a?b", "example.org"),
            ("git@example.org:a/b.git", "example.org"),
            ("TCP:example.org:80,x", "example.org"),
            ("TCP4:127.0.0.1:80", "127.0.0.1"),
            ("/dev/tcp/example.org/80", "example.org"),
            ("http://[::1]:80/", "::1"),
            ("https://$HOST/x", ""),
        ] {
            assert_eq!(host(address), expected, "{address}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        assert!(["localhost", "127.0.0.1", "a.localhost", "::1"].iter().all(|host| is_here(host)));
        assert!(!is_here("localhost.example.org") && !is_here("127.0.0.1.example.org"));
    }

    #[test]
    fn a_host_covers_itself_and_with_a_star_those_below() {
        let trusts = |listed: &str, host: &str| HostPattern::try_from(listed.to_owned()).unwrap().covers(host);
        assert!(trusts("Example.org", "example.org") && trusts("*.example.org", "a.b.example.org"));
        assert!(!trusts("example.org", "a.example.org") && !trusts("*.example.org", "example.org"));
        assert!(!trusts("*.example.org", "badexample.org"));
        for text in ["", "https://example.org", "*.", "a/b", "*"] {
            assert!(HostPattern::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
