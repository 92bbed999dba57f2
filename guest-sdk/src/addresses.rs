//! The machines that addresses name: URLs, and how programs write a host.

/// The name of the machine in an address; empty where it is known only at run time.
#[must_use]
pub fn host(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.strip_prefix("/dev/tcp/").or_else(|| rest.strip_prefix("/dev/udp/")).unwrap_or(rest);
    // An address of socat has its kind in front.
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
    // Programs do not agree on what such an address names.
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

/// Whether the name is that of this machine.
#[must_use]
pub fn is_here(host: &str) -> bool {
    let is_name =
        matches!(host, "localhost" | "localhost.localdomain" | "::1" | "0.0.0.0" | "0" | "host.docker.internal");
    let is_loop = host.starts_with("127.") && host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_name || is_loop || host.ends_with(".localhost")
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
}
