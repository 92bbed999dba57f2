//! Metadata services of clouds, which give any program on a machine that machine's keys.

/// Returns the host of a URL, which may lack its scheme.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '$']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    match host.strip_prefix('[') {
        Some(inside) => inside.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

/// Returns whether a URL's host is the metadata service of a virtual machine or a container.
pub(super) fn is_metadata(url: &str) -> bool {
    const NAMES: &[&str] =
        &["metadata.google.internal", "metadata", "metadata.azure.internal", "instance-data", "fd00:ec2::254"];
    const ADDRESSES: [[u32; 4]; 4] =
        [[169, 254, 169, 254], [169, 254, 170, 2], [169, 254, 170, 23], [100, 100, 100, 200]];
    let host = host_of(url).trim_end_matches('.');
    let named = NAMES.iter().any(|name| host.eq_ignore_ascii_case(name));
    named
        || address(host)
            .is_some_and(|found| ADDRESSES.iter().any(|[a, b, c, d]| found == a << 24 | b << 16 | c << 8 | d))
}

/// Parses an address like the C library: one to four numbers, each decimal, octal or hexadecimal.
fn address(host: &str) -> Option<u32> {
    let number = |text: &str| match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u32::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    };
    if host.len() > 64 {
        return None;
    }
    let mut parts = host.split('.').map(number);
    let (first, second, third, last) = (parts.next()??, parts.next(), parts.next(), parts.next());
    match (second, third, last) {
        (None, ..) => Some(first),
        (Some(second), None, _) => Some(first << 24 | second?),
        (Some(second), Some(third), None) => Some(first << 24 | second? << 16 | third?),
        (Some(second), Some(third), Some(last)) => Some(first << 24 | second? << 16 | third? << 8 | last?),
    }
}

#[cfg(test)]
mod tests {
    use super::is_metadata;

    #[test]
    fn one_address_has_many_spellings() {
        for url in [
            "http://169.254.169.254/latest/",
            "169.254.169.254",
            "http://2852039166/",
            "http://0xa9fea9fe/x",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://user@169.254.169.254:80/",
            "http://[fd00:ec2::254]/latest",
            "http://Metadata.Google.Internal./computeMetadata/v1/",
            "http://169.254.170.2/v2/credentials",
        ] {
            assert!(is_metadata(url), "{url}");
        }
        for url in ["http://169.254.1.1/", "http://example.com/169.254.169.254", "http://1.2.3.4.5/", "", "http:///"] {
            assert!(!is_metadata(url), "{url}");
        }
    }
}
