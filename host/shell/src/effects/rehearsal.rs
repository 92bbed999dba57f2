//! Losses that are no loss: what is taken away was made for a test, or lives on this machine only as long as somebody tries
//! something out.

use guard_sdk::syntax::Command;

use super::draft::Draft;

/// Hosts that are this machine.
const LOCAL: &[&str] = &["localhost", "127.0.0.1", "0.0.0.0", "[::1]"];

/// Ports at which stores of data listen, where a request takes away more than what somebody just tried out:
/// Elasticsearch, CouchDB, InfluxDB, ArangoDB, Qdrant, ClickHouse, Neo4j, and the proxy of kubectl.
const STORES: &[&str] = &["9200", "5984", "8086", "8529", "6333", "8123", "7474", "8001"];

/// Whether an effect is only rehearsed: a database of the test environment, a cloud that runs here, a request to a server
/// that runs here.
pub(super) fn is_one(command: &Command, draft: &Draft) -> bool {
    match draft.kind {
        "database" => command
            .assignments
            .iter()
            .any(|assignment| assignment.name.ends_with("_ENV") && assignment.value.text.eq_ignore_ascii_case("test")),
        "cloud" => command.program() == "awslocal" || has_local_endpoint(command),
        "network" => draft.operation == "http.delete" && is_local(&draft.target),
        _ => false,
    }
}

fn has_local_endpoint(command: &Command) -> bool {
    let mut words = command.argv.iter();
    let endpoint = words.find_map(|word| match word.text.strip_prefix("--endpoint-url")? {
        "" => Some(None),
        rest => Some(rest.strip_prefix('=').map(str::to_owned)),
    });
    let endpoint = endpoint.map(|given| given.or_else(|| words.next().map(|word| word.text.clone())));
    endpoint.flatten().is_some_and(|url| is_local(&url))
}

/// Whether the address is one of this machine. A path that stands for more than one thing is left to be asked about.
fn is_local(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (host, ""),
    };
    if STORES.contains(&port) {
        return false;
    }
    // Names before an `@` are credentials; a host is what follows.
    let host = host.rsplit('@').next().unwrap_or_default();
    LOCAL.iter().any(|local| local.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn only_hosts_of_this_machine_are_local() {
        for url in
            ["http://localhost:3000/x", "localhost:8080/i", "https://127.0.0.1", "http://[::1]:80/", "LOCALHOST/x"]
        {
            assert!(is_local(url), "{url}");
        }
        for url in [
            "http://localhost.example.org/x",
            "http://localhost@example.org/x",
            "https://example.org/localhost",
            "x",
            "",
        ] {
            assert!(!is_local(url), "{url}");
        }
    }
}
