//! [`Reference`]: the address of a policy in a registry, `oci://HOST/NAME:TAG` or `oci://HOST/NAME@sha256:DIGEST`.
//!
//! The grammar of names, tags and digests is that of the OCI distribution specification, 1.1, "Pulling manifests".

use std::fmt;

/// The scheme of references to registries.
const SCHEME: &str = "oci://";

/// The maximum length of a name, including the host. The specification lets clients enforce this.
const NAME_BYTES: usize = 255;

/// The maximum length of a tag.
const TAG_BYTES: usize = 128;

/// The address of a policy in a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The registry's host, with a port if one is given.
    pub host: String,
    /// The repository in it.
    pub name: String,
    /// The tag, if one is given.
    pub tag: Option<String>,
    /// The digest of the manifest, `sha256:` and 64 hexadecimal digits, if it is given.
    pub digest: Option<String>,
}

/// The reason why a text isn't a reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` isn't the address of a policy in a registry: {why}")]
pub struct ReferenceError {
    text: String,
    why: &'static str,
}

impl Reference {
    /// Parses a reference, with or without `oci://`.
    ///
    /// # Errors
    ///
    /// [`ReferenceError`] names the part that is wrong.
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        let fail = |why| ReferenceError { text: text.to_owned(), why };
        let rest = text.strip_prefix(SCHEME).unwrap_or(text);
        let (host, path) = rest.split_once('/').ok_or_else(|| fail("it is HOST/NAME:TAG"))?;
        if !is_host(host) {
            return Err(fail("its host is not a name or an address, with a port or without"));
        }
        let (path, digest) = match path.split_once('@') {
            Some((path, digest)) => (path, Some(digest)),
            None => (path, None),
        };
        let (name, tag) = match path.split_once(':') {
            Some((name, tag)) => (name, Some(tag)),
            None => (path, None),
        };
        if rest.len() > NAME_BYTES + TAG_BYTES + 80 || name.len() > NAME_BYTES || !name.split('/').all(is_component) {
            return Err(fail("its name has other characters than a-z, 0-9, `.`, `_`, `-` and `/`, or is too long"));
        }
        if !tag.is_none_or(is_tag) {
            return Err(fail("its tag has other characters than letters, digits, `.`, `_` and `-`, or is too long"));
        }
        if !digest.is_none_or(is_digest) {
            return Err(fail("its digest is not `sha256:` and 64 hexadecimal digits"));
        }
        let own = |text: &str| text.to_owned();
        Ok(Reference { host: own(host), name: own(name), tag: tag.map(own), digest: digest.map(own) })
    }

    /// Returns the part to request from a registry: the digest, or else the tag, or else `latest`.
    #[must_use]
    pub fn request_part(&self) -> &str {
        self.digest.as_deref().or(self.tag.as_deref()).unwrap_or("latest")
    }

    /// Returns the reference of the same policy with another tag.
    #[must_use]
    pub fn with_tag(&self, tag: &str) -> Self {
        Reference { tag: Some(tag.to_owned()), digest: None, ..self.clone() }
    }

    /// Returns whether the registry is on this machine, so that it can be contacted without TLS.
    #[must_use]
    pub fn is_local(&self) -> bool {
        is_local(&self.host)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}/{}", self.host, self.name)?;
        self.tag.iter().try_for_each(|tag| write!(f, ":{tag}"))?;
        self.digest.iter().try_for_each(|digest| write!(f, "@{digest}"))
    }
}

/// Returns whether the host, with or without a port, is this machine.
pub(crate) fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

pub(crate) fn is_host(host: &str) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port),
        _ => (host, "1"),
    };
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
    };
    let is_v6 = || {
        let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        inner.is_some_and(|inner| inner.parse::<std::net::Ipv6Addr>().is_ok())
    };
    host.len() <= NAME_BYTES && port.parse::<u16>().is_ok() && (is_name(name) || is_v6())
}

fn is_component(component: &str) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = component.as_bytes();
    let ends = bytes.first().is_some_and(is_plain) && bytes.last().is_some_and(is_plain);
    ends && bytes.iter().all(|byte| is_plain(byte) || matches!(byte, b'.' | b'_' | b'-'))
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= TAG_BYTES
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

/// Returns whether the text is `sha256:` and 64 lower-case hexadecimal digits.
pub(crate) fn is_digest(digest: &str) -> bool {
    let digits = digest.strip_prefix("sha256:").unwrap_or_default();
    digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::Reference;

    #[test]
    fn an_address_is_read_and_written_as_it_was() {
        let digest = "a".repeat(64);
        for text in [
            "oci://localhost:5000/acme/no-force:1.2.3",
            "oci://ghcr.io/acme/policies/no_force:latest",
            "oci://[::1]:5000/x",
            &format!("oci://r.example/x:1@sha256:{digest}"),
            &format!("oci://r.example/x@sha256:{digest}"),
        ] {
            let read = Reference::parse(text).map(|reference| reference.to_string());
            assert_eq!(read.as_deref(), Ok(text));
        }
        let short = Reference::parse("127.0.0.1:5000/x");
        assert_eq!(
            short.map(|short| (short.is_local(), short.request_part().to_owned())),
            Ok((true, "latest".to_owned()))
        );
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in [
            "",
            "x",
            "/x",
            "host/",
            "host/X",
            "host/a//b",
            "host/../b",
            "host/a:",
            "host/a:b:c",
            "host/a@md5:1",
            "ho st/a",
            "host:port/a",
            "host:99999/a",
            "[::1/a",
            "https://host/a",
            "host/a:-t",
            "user@host/a",
            "host/a?x",
            "host/a#x",
        ] {
            assert!(Reference::parse(text).is_err(), "{text}");
        }
    }
}
