//! `reconnaissance`: a call that collects several kinds of information about the machine, its users and its network.
//! A single lookup passes and is recorded. Together with other lookups in the session, it needs confirmation.
//! With `strict`, a single search of the whole machine for ways to gain permissions, or a network scan, is enough.
//!
//! ## Why
//! Intruders explore a machine first. ATT&CK T1082, T1087, T1046, T1069, T1083.
//!
//! ## Examples
//! - asked: `sudo -l; id; cat /etc/passwd; uname -a`
//! - asked: `find / -perm -4000 -type f; getcap -r /`
//! - passes: `whoami; hostname`
//! - passes: `uname -a; cat /etc/os-release; nproc; free -h`
//! - passes: `find . -perm -u=x`
//! - passes: `ss -tlnp`
//! - noted: `sudo -l`
//! - noted: `for i in $(seq 1 254); do nc -zw1 10.0.0.$i 22; done`
//!
//! ## Instead
//! Ask for the one fact that you need.

mod sweep;

use std::collections::BTreeSet;

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Event, Finding, Outcome, Rule};

use super::Hit;
use crate::kinds::{has_any, is_any, places};
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "reconnaissance",
    summary: "collects information about the machine and its users",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// The subject of a look. The first ones are rarely part of a task.
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

/// The looks that are recorded for later calls of the session, with their names in the history.
const RECORDED: &[(&str, Look)] = &[
    ("setuid", Look::Setuid),
    ("writable", Look::Writable),
    ("capabilities", Look::Capabilities),
    ("scan", Look::Scan),
    ("rights", Look::Rights),
    ("settings", Look::Settings),
    ("users", Look::Users),
];

/// The kind of their events.
const KIND: &str = "look";

/// Returns a finding without an outcome that records the looks of the call.
pub(crate) fn record(view: &View<'_>) -> Option<Finding> {
    let looks = looks(view);
    let seen = RECORDED.iter().filter(|(_, look)| looks.contains(look));
    let finding = Finding::new(&RULE, "").at(Outcome::Abstain);
    let finding = seen.fold(finding, |finding, (name, _)| finding.tag("history", format!("{KIND} {name}")));
    (!finding.tags.is_empty()).then_some(finding)
}

fn looks(view: &View<'_>) -> BTreeSet<Look> {
    let by_code = view.code().any(sweep::is_in_code).then_some(Look::Scan);
    view.commands().filter_map(|command| classify_command(command, view)).chain(by_code).collect()
}

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let now = looks(view);
    let finds = now.iter().any(|look| matches!(look, Look::Setuid | Look::Writable | Look::Capabilities | Look::Scan));
    let alone = view.settings.strict && (finds || now.contains(&Look::Settings));
    let (mut looks, mut before) = (now, 0);
    if RECORDED.iter().any(|(_, look)| looks.contains(look)) {
        let was_seen = |events: &[Event], name: &str| events.iter().any(|event| event.target == name);
        let events = view.history(KIND);
        let recorded = RECORDED.iter().filter(|(name, _)| was_seen(&events, name)).map(|(_, look)| *look);
        let earlier: Vec<Look> = recorded.filter(|look| !looks.contains(look)).collect();
        before = earlier.len();
        looks.extend(earlier);
    }
    let strong = looks.iter().filter(|look| **look <= Look::Rights).count();
    let rare = RECORDED.iter().filter(|(_, look)| looks.contains(look)).count();
    let by_users = looks.contains(&Look::Users) && looks.len() >= 4;
    let enough = strong >= 2 || strong == 1 && looks.len() >= 3 || rare >= 3 || by_users || looks.len() >= 6;
    (enough || alone).then(|| {
        let message = match (looks.len(), before) {
            (1, _) => {
                let command = view.commands().find(|command| classify_command(command, view).is_some());
                let shown = command.map(|command| format!(": `{}`", shorten(&command.text()))).unwrap_or_default();
                format!("Searches the machine or its network for a weak point{shown}")
            }
            (count, 0) => format!("Takes {count} different looks at the machine, its users and its network"),
            (count, _) => {
                format!("Takes another look at the machine, its users and its network: {count} in this session")
            }
        };
        Hit::new(message, "ask for the one fact that the task needs")
    })
}

fn classify_command(command: &Command, view: &View<'_>) -> Option<Look> {
    let any = |parts: &[&str]| texts(command).any(|text| has_any(text, parts));
    let program = name(command);
    match &*program {
        "find" | "gfind" | "bfs" => classify_search(command, view),
        "getcap" => any(&["/"]).then_some(Look::Capabilities),
        // `sudo ls -l` is a list of files.
        "sudo" | "doas" => {
            texts(command).any(|text| matches!(text, "-l" | "-ll" | "-nl" | "-ln" | "--list")).then_some(Look::Rights)
        }
        "nmap" => scans(command).then_some(Look::Scan),
        "fping" | "arp-scan" | "netdiscover" | "nbtscan" | "rpcclient" | "enum4linux" | "smbclient" => Some(Look::Scan),
        "ping" | "nc" | "ncat" | "netcat" | "curl" | "wget" | "telnet" | "ssh" | "httping" => {
            sweep::is_sweep(command).then_some(Look::Scan)
        }
        "ldapsearch" => sweep::lists_directory(command).then_some(Look::Scan),
        "id" | "whoami" | "groups" | "logname" => Some(Look::Identity),
        "uname" | "hostname" | "hostnamectl" | "lsb_release" | "sw_vers" | "arch" => Some(Look::Host),
        "netstat" | "ss" | "ifconfig" | "ip" | "arp" | "route" | "lsof" => Some(Look::Network),
        "ps" | "top" | "pstree" => Some(Look::Processes),
        "w" | "who" | "last" | "lastlog" | "users" | "finger" => Some(Look::Users),
        "getent" => {
            matches!(texts(command).collect::<Vec<_>>().as_slice(), ["passwd" | "group"]).then_some(Look::Users)
        }
        "crontab" => any(&["-l"]).then_some(Look::Schedule),
        "cat" | "less" | "more" | "bat" | "head" | "tail" | "cut" | "awk" | "sed" | "sort" | "grep" | "base64"
        | "xxd" | "od" | "strings" | "nl" | "tac" | "ls" => {
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

/// Returns the subject of a search of the machine, or of places that the text found earlier.
fn classify_search(command: &Command, view: &View<'_>) -> Option<Look> {
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

/// Returns whether it scans more than this machine.
fn scans(command: &Command) -> bool {
    let is_here = |text: &str| guard_sdk::addresses::is_here(text);
    let targets = texts(command).filter(|text| !text.starts_with('-') && (text.contains('.') || text.contains(':')));
    let far = targets.filter(|text| !is_here(text)).count() > 0;
    far && !has_option(command, "V", &["version", "help"])
}
