//! The host of a database client according to its words, without any lookup.

use guard_sdk::addresses;

use crate::run::production::is_production;
use crate::run::{Run, hosts};

/// Extensions of files.
const FILES: &[&str] = &[".sql", ".dump", ".csv", ".sqlite", ".db", ".tsv", ".gz", ".json", ".js"];

/// Options whose value is a host.
const HOSTS: &[&str] = &["-h", "-H", "-S", "--hostname", "--host", "--server"];

/// Options whose value is neither a host nor a database.
const OTHERS: &[&str] = &[
    "-c",
    "--command",
    "-e",
    "--execute",
    "-f",
    "--file",
    "-i",
    "--input-file",
    "-p",
    "-P",
    "--password",
    "--port",
    "-q",
    "-Q",
    "--query",
    "-u",
    "-U",
    "--user",
    "--username",
    "--eval",
];

/// Clients whose database is a file.
const FILE_CLIENTS: &[&str] = &["clickhouse-local", "duckdb", "litecli", "sqlite", "sqlite3"];

/// Variables with the host of a client.
const VARIABLES: &[&str] = &["PGHOST", "PGHOSTADDR", "MYSQL_HOST", "CQLSH_HOST"];

/// Returns the server that the command talks to, if other people use it.
pub(super) fn shared(run: &Run<'_>) -> Option<String> {
    if FILE_CLIENTS.contains(&run.name.as_str()) {
        return None;
    }
    // The operands of a store's client are its commands.
    let names_database = !matches!(run.name.as_str(), "redis-cli" | "valkey-cli");
    let mut before = "";
    let mut plain = None;
    for word in run.arguments() {
        let option = std::mem::replace(&mut before, &word.text);
        let text = word.text.as_str();
        if let Some(host) = host_in(option, text) {
            let name = addresses::host(host);
            let is_other = !addresses::is_here(&name) && (is_production(host) || hosts::is_shared(&name));
            return is_other.then(|| host.to_owned());
        }
        let is_other = text.starts_with('-') || text.contains(char::is_whitespace) || OTHERS.contains(&option);
        if plain.is_none() && names_database && !is_other && is_remote(text) {
            plain = Some(text.to_owned());
        }
    }
    let set = || run.variable(VARIABLES).filter(|host| is_production(host) || hosts::is_shared(host));
    plain.or_else(|| set().map(str::to_owned))
}

/// Returns the host or URL that a word gives, or that the option before it takes.
fn host_in<'w>(option: &str, word: &'w str) -> Option<&'w str> {
    let joined = || HOSTS.iter().find_map(|name| word.strip_prefix(name)).filter(|rest| !rest.is_empty());
    let fields = || word.split_whitespace().find_map(|field| field.strip_prefix("host="));
    let is_host = HOSTS.contains(&option) && !word.starts_with('-');
    // `-u` is a user or a URL.
    let may_be_url = option == "-u" || !OTHERS.contains(&option);
    if is_host || may_be_url && word.contains("://") && !word.contains(char::is_whitespace) {
        return Some(word);
    }
    joined().map(|rest| rest.trim_start_matches('=')).or_else(fields)
}

/// Returns whether a word names a shared server: a host with a domain, or something called production.
pub(crate) fn is_remote(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    if FILES.iter().any(|end| word.ends_with(end)) {
        return false;
    }
    let option = word.split_once('=').filter(|(name, _)| name.starts_with("--host") || *name == "host");
    let word = option.map_or(word.as_str(), |(_, host)| host);
    if is_production(word) {
        return true;
    }
    let host = word.split_once("://").map_or(word, |(_, rest)| rest);
    let is_url = host.len() < word.len();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host.split(['/', ':', '?']).next().unwrap_or_default();
    let labels = host.split('.').count();
    // `schema.table` isn't a host, but `db.example.com` is.
    (labels > 2 || is_url && labels > 1) && hosts::is_shared(host)
}

#[cfg(test)]
mod tests {
    use super::is_remote;

    #[test]
    fn hosts_with_a_domain_and_what_is_called_production_are_remote() {
        for word in ["db.example.com", "prod", "app-prod", "postgres://u:p@db.example.com/app", "--host=db.example.com"]
        {
            assert!(is_remote(word), "{word}");
        }
        for word in
            ["localhost", "db", "127.0.0.1", "app_dev", "prod.sql", "public.users", "db.internal", "product", "-f"]
        {
            assert!(!is_remote(word), "{word}");
        }
    }
}
