//! Losses that don't matter: the lost data was created for a test or by the same text, or only exists on this machine
//! during an experiment.

use guard_sdk::addresses;
use guard_sdk::syntax::{Command, Severity, Word};

use super::{created_here, hosts, test_databases};
use crate::draft::Draft;

/// Ports of data stores, where a request may delete more than an experiment's data: Elasticsearch, CouchDB, InfluxDB,
/// ArangoDB, Qdrant, ClickHouse, Neo4j, kubectl's proxy, RabbitMQ, Solr, Meilisearch, Typesense, Prometheus, and
/// VictoriaMetrics.
const STORES: &[&str] =
    &["9200", "5984", "8086", "8529", "6333", "8123", "7474", "8001", "15672", "8983", "7700", "8108", "9090", "8428"];

/// Returns whether an effect only changes things without other users: a database of the test environment, a local cloud
/// emulator, a local server, or a thing that the same text creates.
pub(super) fn applies(command: &Command, commands: &[Command], draft: &Draft) -> bool {
    if created_here::applies(command, commands, draft) || is_on_test_machine(command, draft) {
        return true;
    }
    match draft.kind {
        "database" => {
            is_of_tests(command)
                || selects_test_database(command) && !draft.operation.starts_with("sql.")
                || is_scratch_file(command)
                || is_made_anew(command, commands)
        }
        "device" => draft.operation == "device.delete" && is_on_simulator(command, commands),
        "cloud" => command.program() == "awslocal" || has_local_endpoint(command),
        "orchestration" => has_local_cluster(command),
        "network" => draft.operation == "http.delete" && (is_local(&draft.target) || is_port(command, &draft.target)),
        _ => false,
    }
}

/// Returns whether the effect changes something on a machine for tests, by its name alone.
fn is_on_test_machine(command: &Command, draft: &Draft) -> bool {
    let login = || command.via.iter().rfind(|via| via.kind == "ssh").map_or("", |via| via.detail.as_str());
    let machine = match draft.operation {
        _ if draft.severity > Severity::Notable => return false,
        "database.change" | "http.change" => draft.target.as_str(),
        "server.change" if !draft.target.is_empty() => draft.target.as_str(),
        "fs.write" | "server.change" => login(),
        _ => return false,
    };
    hosts::is_for_tests(&addresses::host(machine))
}

/// Returns whether the command uninstalls or clears an application on a simulator of a phone.
fn is_on_simulator(command: &Command, commands: &[Command]) -> bool {
    let says = |text: &str| command.argv.iter().any(|word| word.text == text);
    if !says("uninstall") && !says("clear") {
        return false;
    }
    if command.program() == "simctl" || command.program() == "xcrun" && says("simctl") {
        return true;
    }
    let names_emulator = |command: &Command| {
        let set = command.assignments.iter().find(|set| set.name == "ANDROID_SERIAL");
        let mut pairs = command.argv.windows(2);
        let is_option = |word: &Word| word.text == "-e" || word.text.starts_with("-semulator-");
        set.is_some_and(|set| set.value.text.starts_with("emulator-"))
            || command.argv.iter().take(3).any(is_option)
            || pairs.any(
                |pair| matches!(pair, [option, serial] if option.text == "-s" && serial.text.starts_with("emulator-")),
            )
    };
    // `adb shell pm clear` is two commands.
    let outer = usize::try_from(command.parent).ok().and_then(|id| commands.get(id.checked_sub(1)?));
    [Some(command), outer].into_iter().flatten().any(|command| command.program() == "adb" && names_emulator(command))
}

/// Returns whether the command runs in a container that is created for it, shares no files with this machine, and is
/// removed when the command ends: `docker run --rm alpine rm -rf /etc`.
pub(super) fn is_in_new_container(command: &Command, commands: &[Command]) -> bool {
    const SHARING: &[&str] = &["--device", "--mount", "--pid", "--privileged", "--rootfs", "--v"];
    let shares = |word: &str| match word.strip_prefix("--") {
        Some(_) => SHARING.iter().any(|option| word.starts_with(option)),
        // Also in a cluster: `-itv .:/app`.
        None => word.starts_with('-') && word.contains('v'),
    };
    let outer = usize::try_from(command.parent).ok().and_then(|id| commands.get(id.checked_sub(1)?));
    outer.is_some_and(|outer| {
        let words = || outer.argv.iter().skip(1).map(|word| word.text.as_str());
        matches!(outer.program(), "docker" | "nerdctl" | "podman")
            && words().next() == Some("run")
            && words().any(|word| word == "--rm")
            && !words().any(shares)
            && outer.argv.iter().all(|word| !word.dynamic)
    })
}

/// Returns whether the command specifies the test environment.
fn is_of_tests(command: &Command) -> bool {
    let is_module = |text: &str| text.contains("settings") && (text.ends_with(".test") || text.ends_with(".testing"));
    let is_test =
        |text: &str| text.eq_ignore_ascii_case("test") || text.eq_ignore_ascii_case("testing") || is_module(text);
    let names_environment = |name: &str| name.ends_with("_ENV") || name == "DJANGO_SETTINGS_MODULE";
    let set = command.assignments.iter().any(|set| names_environment(&set.name) && is_test(&set.value.text));
    let options = ["--env", "--environment", "--database", "--settings", "-P"];
    let given = |option: &str, word: &str| {
        word.strip_prefix(option).is_some_and(|value| is_test(value.strip_prefix('=').unwrap_or(value)))
    };
    let joined = command.argv.iter().skip(1).any(|word| options.iter().any(|option| given(option, &word.text)));
    let apart = command
        .argv
        .windows(2)
        .any(|pair| matches!(pair, [option, value] if options.contains(&option.text.as_str()) && is_test(&value.text)));
    set || joined || apart
}

/// Returns whether a variable of the command gives the address of a database for tests to a tool that manages schemas.
fn selects_test_database(command: &Command) -> bool {
    let mut urls = command.assignments.iter().filter(|set| set.name.ends_with("DATABASE_URL")).peekable();
    urls.peek().is_some()
        && urls.all(|set| !set.value.dynamic && test_databases::is_address_of_tests(&set.value.text))
        && !command.argv.iter().any(|word| word.text.contains("://") || word.text.starts_with("--database"))
}

/// Returns whether a single-file database is below a folder for temporary files.
fn is_scratch_file(command: &Command) -> bool {
    let scratch =
        |word: &str| ["/tmp/", "/var/tmp/"].iter().any(|folder| word.starts_with(folder)) && !word.contains("..");
    let mut operands = command.argv.iter().skip(1).map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
    let opens = |word: &str| word.contains(".open") || word.to_ascii_lowercase().contains("attach");
    matches!(command.program(), "sqlite3" | "sqlite" | "duckdb")
        && operands.next().is_some_and(scratch)
        && !operands.any(opens)
}

/// The maximum number of commands that are searched for the deletion of a file.
const MOST: usize = 32;

/// Returns whether the text deletes the file directly before, so that the database starts empty.
fn is_made_anew(command: &Command, commands: &[Command]) -> bool {
    let is_file = matches!(command.program(), "sqlite3" | "sqlite" | "duckdb");
    let opens = |word: &str| word.contains(".open") || word.to_ascii_lowercase().contains("attach");
    let mut words = command.argv.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let Some(file) = words.next().filter(|file| is_file && !file.dynamic && !file.glob) else { return false };
    let fed = command.redirections.iter().any(|redirection| opens(&redirection.body));
    let place = commands.partition_point(|other| other.id < command.id);
    let before = commands.get(..place).unwrap_or_default().iter().rev().take(MOST);
    let deletes = |other: &Command| {
        other.program() == "rm"
            && other.certain
            && other.position.length < 2
            && other.position.within == command.position.within
            && (other.cwd == command.cwd)
            && other.argv.iter().skip(1).any(|word| word.text == file.text && !word.dynamic)
    };
    !fed && !words.any(|word| opens(&word.text)) && before.into_iter().any(deletes)
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

/// Returns whether the command selects a cluster on this machine, by the names that cluster tools give it.
fn has_local_cluster(command: &Command) -> bool {
    const NAMES: &[&str] = &["colima", "docker-desktop", "minikube", "orbstack", "rancher-desktop"];
    const BEGINNINGS: &[&str] = &["k3d-", "kind-"];
    let options = ["--context", "--kube-context"];
    let is_client = command.argv.first().is_some_and(|word| matches!(word.text.as_str(), "kubectl" | "helm"));
    let contexts = command.argv.iter().filter(|word| word.text.contains("context")).count();
    let is_set = command.assignments.iter().any(|set| set.name.starts_with("KUBE"));
    let mut pairs = command.argv.iter().zip(command.argv.iter().skip(1));
    let is_value = pairs.any(|(before, word)| before.text.starts_with('-') && word.text.contains("context"));
    if !is_client || contexts != 1 || is_set || is_value {
        return false;
    }
    let is_local = |name: &str| NAMES.contains(&name) || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning));
    let given = command.argv.iter().zip(command.argv.iter().skip(1));
    let apart = given.filter(|(option, _)| options.contains(&option.text.as_str())).map(|(_, name)| name.text.as_str());
    let joined = command
        .argv
        .iter()
        .filter_map(|word| options.iter().find_map(|option| word.text.strip_prefix(option)?.strip_prefix('=')));
    apart.chain(joined).last().is_some_and(is_local)
}

/// Returns whether the URL is on this machine, but not at the port of a data store.
fn is_local(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port).trim_end_matches(']');
    let is_known = port.bytes().all(|byte| byte.is_ascii_digit()) && !STORES.contains(&port);
    is_known && addresses::is_here(&addresses::host(url))
}

/// Returns whether the address is a port of this machine in HTTPie's syntax: `:3000/x`.
fn is_port(command: &Command, url: &str) -> bool {
    let program = command.argv.first().map_or("", |word| word.text.as_str());
    let port = url.strip_prefix(':').and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    matches!(program, "http" | "https" | "xh" | "xhs") && is_number && !STORES.contains(&port)
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn only_hosts_of_this_machine_are_local() {
        for url in [
            "http://localhost:3000/x",
            "localhost:8080/i",
            "https://127.0.0.1",
            "http://[::1]:80/",
            "LOCALHOST/x",
            "http://shop.localhost:3000/x",
            "http://host.docker.internal/x",
        ] {
            assert!(is_local(url), "{url}");
        }
        for url in [
            "http://localhost:${PORT}/x",
            ":3000/x",
            "http://localhost.example.org/x",
            "http://localhost@example.org/x",
            "https://example.org/localhost",
            "http://:3000/x",
            "http://localhost:${PORT:-9200}/x",
            ":9200/x",
            "http://$HOST:3000/x",
            "x",
            "",
        ] {
            assert!(!is_local(url), "{url}");
        }
    }
}
