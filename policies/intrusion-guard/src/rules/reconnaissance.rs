//! `reconnaissance`: a call that takes several looks at the machine, its users and its network. One look
//! alone passes. With `strict`, a search of the whole machine for a way to more permissions, or a scan of a network, is
//! enough.
//!
//! ## Why
//! An intruder looks around first. ATT&CK T1082, T1087, T1046, T1069, T1083.
//!
//! ## Examples
//! - asked: `sudo -l; id; cat /etc/passwd; uname -a`
//! - asked: `find / -perm -4000 -type f; getcap -r /`
//! - passes: `whoami; hostname`
//! - passes: `uname -a; cat /etc/os-release; nproc; free -h`
//! - passes: `find . -perm -u=x`
//! - passes: `ss -tlnp`
//!
//! ## Instead
//! Ask for the one fact that the task needs.

use std::collections::BTreeSet;

use guard_sdk::syntax::Command;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{has_any, is_any, places};
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "reconnaissance",
    summary: "takes several looks at the machine and its users",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// What a look is about. The first ones are seldom part of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    Setuid,
    Writable,
    Capabilities,
    Scan,
    Rights,
    Settings,
    Users,
    Identity,
    Host,
    Network,
    Processes,
    Schedule,
}

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let looks: BTreeSet<Look> = view.commands().filter_map(|command| look(command, view)).collect();
    let strong = looks.iter().filter(|look| **look <= Look::Rights).count();
    let finds =
        looks.iter().any(|look| matches!(look, Look::Setuid | Look::Writable | Look::Capabilities | Look::Scan));
    let by_users = looks.contains(&Look::Users) && looks.len() >= 4;
    let enough = strong >= 2 || strong == 1 && looks.len() >= 3 || by_users || looks.len() >= 6;
    let alone = view.settings.strict && (finds || looks.contains(&Look::Settings));
    (enough || alone).then(|| {
        let message = match looks.len() {
            1 => "Searches the machine or its network for a weak point".to_owned(),
            count => format!("Takes {count} different looks at the machine, its users and its network"),
        };
        Hit::new(message, "ask for the one fact that the task needs")
    })
}

fn look(command: &Command, view: &View<'_>) -> Option<Look> {
    let any = |parts: &[&str]| texts(command).any(|text| has_any(text, parts));
    let program = name(command);
    match &*program {
        "find" | "gfind" | "bfs" => of_search(command, view),
        "getcap" => any(&["/"]).then_some(Look::Capabilities),
        "sudo" | "doas" => has_option(command, "l", &["list"]).then_some(Look::Rights),
        "nmap" => scans(command).then_some(Look::Scan),
        "fping" | "arp-scan" | "netdiscover" | "nbtscan" | "rpcclient" | "enum4linux" | "smbclient" => Some(Look::Scan),
        "ping" => {
            let repeats = command.argv.iter().skip(1).any(|word| word.dynamic && word.text.contains('.'));
            repeats.then_some(Look::Scan)
        }
        "id" | "whoami" | "groups" | "logname" => Some(Look::Identity),
        "uname" | "hostname" | "hostnamectl" | "lsb_release" | "sw_vers" | "arch" => Some(Look::Host),
        "netstat" | "ss" | "ifconfig" | "ip" | "arp" | "route" | "lsof" => Some(Look::Network),
        "ps" | "top" | "pstree" => Some(Look::Processes),
        "w" | "who" | "last" | "lastlog" | "users" | "finger" => Some(Look::Users),
        "getent" => {
            matches!(texts(command).collect::<Vec<_>>().as_slice(), ["passwd" | "group"]).then_some(Look::Users)
        }
        "crontab" => any(&["-l"]).then_some(Look::Schedule),
        "cat" | "less" | "head" | "tail" | "cut" | "awk" | "grep" | "ls" => {
            if any(&["/etc/passwd", "/etc/group"]) {
                Some(Look::Users)
            } else if any(&["/etc/cron", "/var/spool/cron"]) {
                Some(Look::Schedule)
            } else if any(&["/etc/os-release", "/etc/issue", "/proc/version"]) {
                Some(Look::Host)
            } else {
                let deep = program == "ls" && has_option(command, "R", &["recursive"]);
                (deep && texts(command).any(|text| places::is_broad(text, view) && !text.starts_with('~')))
                    .then_some(Look::Settings)
            }
        }
        _ => None,
    }
}

/// A search of the machine, or of places that the text found before.
fn of_search(command: &Command, view: &View<'_>) -> Option<Look> {
    let words: Vec<&str> = texts(command).collect();
    let roots = words.iter().take_while(|word| !word.starts_with(['-', '(', '!', '\\']));
    let is_wide = |root: &str| {
        places::is_broad(root, view)
            || root.starts_with('$')
            || matches!(root, "/bin" | "/usr/bin" | "/sbin" | "/usr/sbin" | "/etc/init" | "/etc/init.d")
    };
    if !roots.into_iter().any(|root| is_wide(root)) {
        return None;
    }
    let modes = words.windows(2).filter_map(|pair| match pair {
        ["-perm", mode] => Some(*mode),
        _ => None,
    });
    let modes: Vec<&str> = modes.collect();
    let is_special = |mode: &str| {
        let digits = mode.trim_start_matches(['-', '/', '+']);
        digits.len() >= 4 && digits.starts_with(['1', '2', '4', '6', '7']) || mode.contains("=s") || mode.contains("+s")
    };
    let is_open = |mode: &str| has_any(mode, &["o=w", "o+w", "-o w", "-002", "-222", "-2", "o x", "-o"]);
    if modes.iter().any(|mode| is_special(mode)) {
        return Some(Look::Setuid);
    }
    let has = |list: &[&str]| words.iter().any(|word| is_any(word, list));
    if has(&["-writable", "-readable", "-executable"]) || modes.iter().any(|mode| is_open(mode)) {
        return Some(Look::Writable);
    }
    let of_settings = words.windows(2).any(|pair| match pair {
        [test, value] => {
            test.contains("name")
                && has_any(
                    value,
                    &[
                        ".conf",
                        ".ini",
                        ".bak",
                        ".cfg",
                        ".config",
                        "Dockerfile",
                        "docker-compose",
                        ".old",
                        ".sql",
                        ".kdb",
                        ".php",
                        ".*",
                    ],
                )
        }
        _ => false,
    });
    let of_owner = has(&["-user", "-uid", "-nouser", "-nogroup", "-group", "-gid"]);
    (of_settings || of_owner).then_some(Look::Settings)
}

/// Whether it looks at more than this machine.
fn scans(command: &Command) -> bool {
    let is_here = |text: &str| guard_sdk::addresses::is_here(text);
    let targets = texts(command).filter(|text| !text.starts_with('-') && (text.contains('.') || text.contains(':')));
    let far = targets.filter(|text| !is_here(text)).count() > 0;
    far && !has_option(command, "V", &["version", "help"])
}
