//! Hosts that other people use, by their names alone.

use std::net::IpAddr;

use guard_sdk::addresses;

use super::production::is_production;

/// Ends of hosts in the local network, in a cluster, or for tests.
const NEAR: &[&str] = &[".internal", ".invalid", ".lan", ".local", ".localhost", ".svc", ".test"];

/// Public services that answer test requests.
const ECHOES: &[&str] = &["httpbin.org", "jsonplaceholder.typicode.com", "postman-echo.com", "reqres.in"];

/// Returns whether the host has a public address or a name with a domain. Names without one are those of containers.
pub(crate) fn is_shared(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    if let Ok(address) = host.parse::<IpAddr>() {
        return is_public(address);
    }
    let is_top = |top: &str| top.len() > 1 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    host.rsplit_once('.').is_some_and(|(_, top)| is_top(top))
        && host.bytes().all(is_name)
        && !addresses::is_here(&host)
        && !NEAR.iter().any(|end| host.ends_with(end))
        && !ECHOES.contains(&host.as_str())
}

/// Words in the names of machines for development and tests.
const TRIALS: &[&str] =
    &["ci", "dev", "development", "qa", "sandbox", "stage", "staging", "stg", "test", "testing", "tests", "vagrant"];

/// Returns whether the name of a machine says that it is for development or tests.
pub(crate) fn is_for_tests(host: &str) -> bool {
    // The last two labels are the name of its owner.
    let labels: Vec<_> = host.split('.').collect();
    let owner = if labels.len() > 1 { 2 } else { 0 };
    let machine = labels.get(..labels.len().saturating_sub(owner)).unwrap_or_default();
    let mut words = machine
        .iter()
        .flat_map(|label| label.split(['-', '_']))
        .map(|word| word.trim_end_matches(|char: char| char.is_ascii_digit()));
    words.any(|word| TRIALS.iter().any(|trial| trial.eq_ignore_ascii_case(word)))
        && !is_production(host)
        && !host.eq_ignore_ascii_case("dev.azure.com")
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            let is_near = address.is_private() || address.is_loopback() || address.is_link_local();
            !(is_near || address.is_unspecified() || first == 100 && second & 0xc0 == 64)
        }
        IpAddr::V6(address) => {
            let first = address.segments().first().copied().unwrap_or_default();
            !(address.is_loopback() || address.is_unspecified() || first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_for_tests, is_shared};

    #[test]
    fn public_names_and_addresses_are_shared() {
        for host in ["db.example.com", "acme.io", "203.0.113.7", "Example.ORG.", "2001:db8::1"] {
            assert!(is_shared(host), "{host}");
        }
        for host in [
            "localhost",
            "db",
            "127.0.0.1",
            "10.0.0.5",
            "192.168.1.2",
            "db.internal",
            "shop.test",
            "api.local",
            "::1",
            "100.64.0.1",
            "host.docker.internal",
            "httpbin.org",
            "",
            "$HOST",
        ] {
            assert!(!is_shared(host), "{host}");
        }
    }

    #[test]
    fn only_the_names_of_machines_say_that_they_are_for_tests() {
        for host in ["dev", "staging1", "web-test", "db.staging.example.com", "qa-2.example.org"] {
            assert!(is_for_tests(host), "{host}");
        }
        for host in ["web1", "dev.to", "test.com", "devices", "contest", "prod-test", "dev.azure.com", ""] {
            assert!(!is_for_tests(host), "{host}");
        }
    }
}
