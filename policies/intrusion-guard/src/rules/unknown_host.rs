//! `unknown-host`: a connection to an unknown host. Off without `strict`.
//! Known hosts are this machine, well-known registries, forges and mirrors, and those in `hosts`.
//! Names that no one can register pass, such as those in `example.com` and `.test`.
//!
//! ## Why
//! An attacker needs a host of their own to send commands and to receive stolen data. ATT&CK T1071, T1105,
//! T1571.
//!
//! ## Examples
//! - asked: `curl https://files.acme-tools.net/tool.tgz`, with `strict`
//! - asked: `ssh build.acme-tools.net uptime`, with `strict`
//! - passes: `curl https://api.github.com/repos/o/r`, with `strict`
//! - passes: `git push`, with `strict`
//! - passes: `curl http://localhost:3000/health`, with `strict`
//! - passes: `curl https://api.example.com/v1`, with `strict`
//!
//! ## Instead
//! Add the host to `hosts`.
//!
//! ## Settings
//! - `hosts`: trusted hosts.

use guard_sdk::addresses::host;
use guard_sdk::syntax::{Command, Script};
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::{Hit, code};
use crate::kinds::{SHOWING, has_any, hosts, is_any};
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule =
    Rule { id: "unknown-host", summary: "connects to an unknown host", default: Outcome::Ask, ceiling: Outcome::Deny };

/// The maximum number of addresses in one script that are examined.
const ADDRESSES: usize = 64;

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    if !view.settings.strict {
        return None;
    }
    if let Some(command) = view.commands().find(|command| trusts_a_proxy(command)) {
        let message =
            format!("Sends requests through a proxy that can read and change them: `{}`", shorten(&command.text()));
        return Some(Hit::new(message, "leave the checks of certificates on"));
    }
    let is_unknown = |host: &String| view.is_foreign(host) && !hosts::is_known(host) && !hosts::is_reserved(host);
    let by_command = view.commands().find_map(|command| contacts(command, view).into_iter().find(is_unknown));
    let to = by_command.or_else(|| view.scripts().find_map(|script| hosts_in_code(script).find(is_unknown)))?;
    if to.parse::<u16>().is_ok() {
        return Some(Hit::new(format!("Uses the network on port {to}"), "ask the user whether it is needed"));
    }
    Some(Hit::new(
        format!("Connects to `{}`, which isn't a known host", shorten(&to)),
        "to trust the host, add it to `hosts` in the settings of `intrusion-guard`",
    ))
}

/// Returns whether a request uses a proxy from its words without certificate checks.
fn trusts_a_proxy(command: &Command) -> bool {
    let is_proxy = |text: &str| {
        matches!(text, "--proxy" | "--preproxy" | "-x") || text.starts_with("--proxy=") || text.starts_with("--socks")
    };
    name(command) == "curl" && texts(command).any(is_proxy) && has_option(command, "k", &["insecure", "proxy-insecure"])
}

/// Names of settings for a proxy, in the environment or for `wget -e`.
const PROXIES: &[&str] = &["http_proxy", "https_proxy", "all_proxy", "ftp_proxy"];

/// Returns the hosts of the proxies that a command uses.
fn proxies(command: &Command) -> impl Iterator<Item = String> {
    let is_proxy = |name: &str| is_any(&name.to_ascii_lowercase(), PROXIES);
    let set = command.assignments.iter().filter(move |set| is_proxy(&set.name)).map(|set| host(&set.value.text));
    let may = matches!(&*name(command), "wget" | "export");
    let given = texts(command).filter(move |_| may).filter_map(|text| text.split_once('='));
    let proxies = set.chain(given.filter(move |(name, _)| is_proxy(name)).map(|(_, value)| host(value)));
    // A plain name is in the local network.
    proxies.filter(|host| host.contains('.'))
}

/// Returns the hosts that a command contacts: from its effects, addresses, ssh and images.
fn contacts(command: &Command, view: &View<'_>) -> Vec<String> {
    let program = name(command);
    let effects = view.index().effects(command).iter().filter(|effect| effect.kind == "network");
    let mut found: Vec<String> = effects
        .filter(|effect| !effect.target.starts_with(':') && !is_neighbour(&effect.target))
        .map(|effect| host(&effect.target))
        .collect();
    let operand = || {
        let mut words = texts(command);
        let takes_value = |word: &str| word.len() == 2 && word.ends_with(['p', 'i', 'l', 'o', 'F', 'J', 'L', 'R', 'D']);
        while let Some(word) = words.next() {
            if !word.starts_with('-') {
                return Some(host(word));
            }
            if takes_value(word) {
                words.next();
            }
        }
        None
    };
    match &*program {
        "ssh" | "mosh" | "autossh" | "ssh-copy-id" => found.extend(operand()),
        "docker" | "podman" | "nerdctl" => {
            // `registry.example.net/a/b`: a name without a dot is in the default registry.
            let is_registry = |name: &str| name.contains('.') && !name.starts_with('.') && !name.contains(['$', '=']);
            let pulls = texts(command).next() == Some("pull");
            let image = texts(command).filter(|_| pulls).find_map(|text| text.split_once('/'));
            found.extend(image.map(|(registry, _)| host(registry)).filter(|registry| is_registry(registry)));
        }
        _ => (),
    }
    if !is_any(&program, SHOWING) || matches!(&*program, "pip" | "pip3" | "npm") {
        let addresses = texts(command).map(|text| {
            text.split_once('=').map_or(text, |(option, value)| if option.starts_with('-') { value } else { text })
        });
        found.extend(addresses.filter(|text| is_address(text)).map(host));
    }
    found.extend(proxies(command));
    // A host that is only known at run time has no name here.
    found.retain(|host| !host.is_empty() && !host.contains(['*', '{', '%', '<']));
    found
}

/// Returns whether a request goes to a plain name, as neighbors in a container network have: `http://api:8000`.
fn is_neighbour(target: &str) -> bool {
    target.starts_with("http") && target.contains("://") && !host(target).contains('.')
}

fn is_address(text: &str) -> bool {
    ["http://", "https://", "ftp://", "ssh://", "ws://", "wss://", "git+https://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
        && !text.contains(char::is_whitespace)
        && !is_neighbour(text)
}

/// Returns the hosts of the addresses in code that sends requests.
fn hosts_in_code(script: &Script) -> impl Iterator<Item = String> {
    let text = script.text.as_str();
    let asks = code::sends(text)
        || code::connects(text)
        || has_any(
            text,
            &["urlopen(", "urlretrieve(", "requests.", "httpx.", "fetch(", "https.get(", "http.get(", "URI.open"],
        );
    let addresses = text.split("://").skip(1).take(if asks { ADDRESSES } else { 0 });
    let end = |char: char| matches!(char, '"' | '\'' | '`' | ')' | ' ' | '\\' | '\n');
    let named = addresses.filter_map(move |rest| rest.split(end).next()).map(host);
    named.filter(|host| host.contains('.') && !host.contains(['{', '%', '<']))
}
