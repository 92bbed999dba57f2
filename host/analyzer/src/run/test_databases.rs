//! Databases for tests on this machine, by a whole word in their name. Losing one costs a new run of the tests.

use guard_sdk::addresses;
use guard_sdk::syntax::Command;

use super::created_here;
use crate::draft::Draft;
use crate::programs::is_remote_host;

/// Words in the names of databases that tests and experiments create.
const WORDS: &[&str] = &["ci", "e2e", "scratch", "temp", "test", "testing", "tests", "tmp"];

/// Words in the names of databases that people depend on, which outweigh the others.
const KEPT: &[&str] = &["live", "prod", "production", "staging"];

/// Options with the name of a database.
const NAMED: &[&str] = &["--database", "--dbname", "-D", "-d"];

/// Options with the host of a database server.
const HOSTS: &[&str] = &["--host", "-H", "-h"];

/// Clients that run containers on this machine.
const ENGINES: &[&str] = &["docker", "docker-compose", "nerdctl", "podman", "podman-compose"];

/// Returns whether the lost database is one for tests on this machine. `place`: where the command runs.
pub(super) fn applies(command: &Command, commands: &[Command], draft: &Draft, place: &str) -> bool {
    draft.kind == "database"
        && name(command, draft).is_some_and(is_of_tests)
        && is_near(command, commands, place)
        && command.argv.iter().all(|word| is_local(&word.text))
        && hosts(command).all(is_host)
        && commands
            .iter()
            .flat_map(settings)
            .all(|(name, value)| !names_server(name) || is_host(value) || is_url(value))
}

/// Returns whether the text drops such a database and also creates it.
pub(super) fn is_renewed(commands: &[Command], draft: &Draft) -> bool {
    draft.operation == "sql.drop-database"
        && commands.iter().any(|other| created_here::creates_database(other, &draft.target))
}

/// Returns the name of the lost database, if the words contain it.
fn name<'a>(command: &'a Command, draft: &'a Draft) -> Option<&'a str> {
    if draft.operation == "sql.drop-database" {
        return Some(&draft.target);
    }
    // These select another database.
    let switches = ["getSiblingDB", "\\c ", "\\connect", "use "];
    let mut texts =
        command.argv.iter().skip(1).map(|word| &word.text).chain(command.redirections.iter().map(|from| &from.body));
    if texts.any(|text| switches.iter().any(|switch| text.contains(switch))) {
        return None;
    }
    let url = command.argv.iter().find_map(|word| {
        let path = word.text.split_once("://")?.1.split_once('/')?.1;
        path.split(['?', '#']).next()
    });
    let first = || {
        let word = command.argv.get(1).map(|word| word.text.as_str());
        word.filter(|word| !word.starts_with('-') && !word.contains([' ', '(', '=']))
    };
    let is_client = ["psql", "pgcli", "mysql", "mariadb", "mongosh", "mongo"].contains(&command.program());
    url.or_else(|| values(command, NAMED).next()).or_else(|| first().filter(|_| is_client))
}

/// Returns whether the address of a database says that it is for tests on this machine, or a file for temporary data.
pub(super) fn is_address_of_tests(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once(':') else { return false };
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    if matches!(scheme, "sqlite" | "sqlite3" | "file") {
        return path.trim_start_matches('/').starts_with("tmp/") && !path.contains("..");
    }
    let name = path.strip_prefix("//").and_then(|path| path.split_once('/')).map_or("", |(_, name)| name);
    is_of_tests(name) && is_host(&addresses::host(url))
}

/// Returns whether one word of a database's name says that it is for tests.
fn is_of_tests(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |words: &[&str]| name.split(|char: char| !char.is_ascii_alphanumeric()).any(|word| words.contains(&word));
    has(WORDS) && !has(KEPT)
}

/// Returns whether the command runs on this machine, or in a container of this machine.
fn is_near(command: &Command, commands: &[Command], place: &str) -> bool {
    let parent = usize::try_from(command.parent).ok().and_then(|id| commands.get(id.checked_sub(1)?));
    let is_engine = |parent: &Command| {
        let is_elsewhere = |word: &str| word == "-H" || word.starts_with("--host") || word.starts_with("--context");
        ENGINES.contains(&parent.program()) && !parent.argv.iter().any(|word| is_elsewhere(&word.text))
    };
    place.is_empty() || place == "container" && parent.is_some_and(is_engine)
}

/// Returns the values of these options, joined or as words of their own.
fn values<'a>(command: &'a Command, options: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let words = command.argv.iter().map(|word| word.text.as_str());
    words.clone().zip(words.skip(1).map(Some).chain([None])).filter_map(move |(word, next)| {
        if options.contains(&word) {
            return next;
        }
        let joined = |option: &&str| word.strip_prefix(*option).filter(|value| !value.is_empty());
        let value = options.iter().find_map(joined)?;
        let is_long = word.starts_with("--");
        if is_long { value.strip_prefix('=') } else { Some(value) }
    })
}

fn hosts(command: &Command) -> impl Iterator<Item = &str> {
    values(command, HOSTS)
}

/// Returns whether a word isn't the address of another machine.
fn is_local(word: &str) -> bool {
    let is_address = word.contains("://") && !word.contains(' ');
    !is_remote_host(word) && (!is_address || is_host(&addresses::host(word)))
}

fn is_url(value: &str) -> bool {
    value.contains("://") && is_local(value)
}

/// Returns whether a host is this machine, a socket, or a service with a short name.
fn is_host(host: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_".contains(char);
    let is_service = !host.is_empty() && host.chars().all(is_plain) && !host.chars().all(|char| char.is_ascii_digit());
    addresses::is_here(host) || host.starts_with('/') || is_service && !is_remote_host(host)
}

/// Returns the variables that a command sets for itself or for later ones.
fn settings(command: &Command) -> impl Iterator<Item = (&str, &str)> {
    let assigned = command.assignments.iter().map(|set| (set.name.as_str(), set.value.text.as_str()));
    let exported = command.argv.iter().skip(1).filter_map(|word| word.text.split_once('='));
    assigned.chain(exported)
}

/// Returns whether a variable with this name selects a server.
fn names_server(name: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_';
    name.chars().all(is_plain) && ["HOST", "SERVICE", "URI", "URL"].iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::{is_address_of_tests, is_host, is_of_tests};

    #[test]
    fn a_whole_word_marks_a_database_for_tests() {
        for name in ["shop_test", "test", "app-e2e", "CI_2", "scratch.a", "tmp_x"] {
            assert!(is_of_tests(name), "{name}");
        }
        for name in ["contest", "shop_latest", "protest", "prod_test", "attempt", "testament", "citest", ""] {
            assert!(!is_of_tests(name), "{name}");
        }
    }

    #[test]
    fn addresses_name_the_database_and_its_machine() {
        for url in [
            "postgres://localhost/app_test",
            "postgresql://u:p@127.0.0.1:5432/app-e2e?sslmode=disable",
            "mysql://root@db/shop_ci",
            "sqlite:///tmp/x.db",
            "sqlite:/tmp/x.db",
        ] {
            assert!(is_address_of_tests(url), "{url}");
        }
        for url in [
            "postgres://localhost/app",
            "postgres://db.acme.com/app_test",
            "postgres://localhost/prod_test",
            "postgres://$HOST/app_test",
            "sqlite:///tmp/../srv/x.db",
            "sqlite:///srv/x.db",
            "app_test",
            "",
        ] {
            assert!(!is_address_of_tests(url), "{url}");
        }
    }

    #[test]
    fn hosts_with_a_domain_are_other_machines() {
        for host in ["localhost", "127.0.0.1", "/var/run/postgresql", "db", "pg-test"] {
            assert!(is_host(host), "{host}");
        }
        for host in ["db.acme.com", "10.0.0.5", "$DB_HOST", "", "prod", "db-live"] {
            assert!(!is_host(host), "{host}");
        }
    }
}
