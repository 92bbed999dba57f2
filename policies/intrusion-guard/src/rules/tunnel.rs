//! `tunnel`: a call that bypasses the firewall: a tunnel to the internet, a reverse or dynamic SSH forward,
//! a proxy, or Tor.
//!
//! ## Why
//! Other people can then reach services on this machine or its network. ATT&CK T1572, T1090, T1567.
//!
//! ## Examples
//! - asked: `cloudflared tunnel --url http://localhost:3000`
//! - asked: `ssh -N -R 9000:localhost:9000 me@203.0.113.9`
//! - asked: `ngrok http 3000`
//! - passes: `ssh -L 5432:localhost:5432 db.example.org`
//! - passes: `cloudflared tunnel list`
//! - passes: `tailscale status`
//!
//! ## Instead
//! Ask the user to open the tunnel. To trust the host at its other end, add it to `hosts`.

use guard_sdk::addresses::host;
use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{hosts, is_any};
use crate::view::{View, has_option, is_in_a_container, name, texts};

pub(crate) const RULE: Rule =
    Rule { id: "tunnel", summary: "opens a way through the firewall", default: Outcome::Ask, ceiling: Outcome::Deny };

/// Programs whose only purpose is a tunnel.
const TUNNELS: &[&str] = &[
    "localtunnel",
    "lt",
    "frpc",
    "frps",
    "rathole",
    "npc",
    "nps",
    "revsocks",
    "rsocks",
    "iodine",
    "iodined",
    "dnscat",
    "dnscat2",
    "dnscat2-client",
    "ptunnel",
    "ptunnel-ng",
    "icmptunnel",
    "icmpsh",
    "icmpdoor",
    "dns2tcpc",
    "dns2tcpd",
    "dnstt-client",
    "sshuttle",
    "ligolo",
    "ligolo-ng",
    "ligolo-agent",
    "ligolo-proxy",
    "pagekite",
    "pagekite.py",
    "teleconsole",
    "tunnelto",
    "tunnelmole",
    "tmole",
    "tor",
    "torsocks",
    "torify",
    "proxychains",
    "proxychains4",
    "gost",
    "brook",
    "v2ray",
    "xray",
    "trojan-go",
    "sing-box",
    "hysteria",
    "3proxy",
    "microsocks",
    "redsocks",
    "stunnel",
    "stunnel4",
    "bore",
    "holesail",
    "pinggy",
    "playit",
    "earthworm",
    "nc-relay",
    "udp2raw",
    "kcptun",
    "neo-regeorg",
];

/// Programs that open a tunnel with one of these words.
const VERBS: &[(&str, &[&str])] = &[
    ("ngrok", &["http", "https", "tcp", "tls", "start", "tunnel", "service"]),
    ("devtunnel", &["host", "port", "connect"]),
    ("tailscale", &["funnel", "serve"]),
    ("zrok", &["share", "access"]),
    ("inlets", &["client", "server", "http", "tcp"]),
    ("inlets-pro", &["http", "tcp", "uplink"]),
    ("expose", &["share", "share-port"]),
    ("loophole", &["http", "path", "webdav"]),
    ("loclx", &["tunnel"]),
    ("code", &["tunnel"]),
    ("code-insiders", &["tunnel"]),
    ("cursor", &["tunnel"]),
    ("wstunnel", &["client", "server"]),
    ("netbird", &["up"]),
    ("zerotier-cli", &["join"]),
    ("netsh", &["portproxy"]),
    ("pktriot", &["http", "tcp", "tls", "start", "edit"]),
];

/// Subcommands of `cloudflared tunnel` that open no tunnel.
const ADMINISTRATION: &[&str] = &[
    "list", "info", "delete", "cleanup", "login", "create", "route", "token", "diag", "ready", "help", "vnet",
    "ingress",
];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let command = view.analysis.commands.iter().find(|command| opens(command, view));
    let shown = match command {
        Some(command) => command.text(),
        None => relay(view)?,
    };
    Some(Hit::new(
        format!("Opens a tunnel through the firewall: `{}`", shorten(&shown)),
        "ask the user to open it; to trust the host it leads to, add it to `hosts` in the settings of `intrusion-guard`",
    ))
}

fn opens(command: &Command, view: &View<'_>) -> bool {
    let wraps = command.via.iter().any(|via| is_any(&via.kind, &["torsocks", "torify", "proxychains", "proxychains4"]));
    let program = name(command);
    let program = program.split('@').next().unwrap_or_default();
    if wraps {
        return true;
    }
    if command.argv.is_empty() || has_option(command, "", &["help", "version"]) {
        return false;
    }
    let operands = || texts(command).filter(|text| !text.starts_with('-'));
    if program == "tailscale" && texts(command).any(|text| text == "--ssh" || text.starts_with("--advertise-")) {
        return true;
    }
    if let Some((_, verbs)) = VERBS.iter().find(|(name, _)| *name == program) {
        return operands().take(2).any(|word| verbs.contains(&word)) && !texts(command).any(|text| text == "status");
    }
    match program {
        "cloudflared" => {
            let mut words = operands();
            match words.next() {
                Some("tunnel") => !operands().any(|word| is_any(word, ADMINISTRATION)),
                Some("access") => operands().any(|word| is_any(word, &["tcp", "ssh", "rdp", "smb"])),
                Some("service") => operands().any(|word| word == "install"),
                _ => false,
            }
        }
        // To this machine, or for any address.
        "chisel" => texts(command).any(|text| text.starts_with("R:") || text.contains("socks") || text == "--reverse"),
        "ssh" | "autossh" | "plink" => is_ssh_tunnel(command, view),
        // A local port leads to another network.
        "socat" => {
            let upper = |text: &str| text.to_ascii_uppercase();
            let listens =
                texts(command).any(|text| upper(text).contains("-LISTEN:") || upper(text).starts_with("TCP-L:"));
            let leads = |text: &str| {
                let kind = upper(text.split(':').next().unwrap_or_default());
                !kind.contains("LISTEN")
                    && matches!(&*kind, "TCP" | "TCP4" | "TCP-CONNECT" | "OPENSSL" | "SSL" | "SOCKS4A" | "PROXY")
                    && text.split(':').nth(1).is_some_and(|to| super::raw_connection::is_far(to, view))
            };
            listens && texts(command).any(leads)
        }
        "osascript" => texts(command).any(|text| text.contains("do script \"tor\"")),
        "systemctl" | "service" | "launchctl" | "brew" => {
            operands().any(|word| matches!(word, "start" | "restart" | "enable" | "run"))
                && operands()
                    .any(|word| matches!(word.trim_end_matches(".service"), "tor" | "cloudflared" | "ngrok" | "frpc"))
        }
        _ => {
            is_any(program, TUNNELS) && !operands().any(|word| word == "completion") && !has_option(command, "hV", &[])
        }
    }
}

fn is_ssh_tunnel(command: &Command, view: &View<'_>) -> bool {
    let words: Vec<&str> = texts(command).collect();
    // After the host follows a command for the other machine.
    let options = |letter: char| {
        words.iter().take(24).take_while(|word| !word.contains(' ')).any(|word| {
            word.strip_prefix('-').is_some_and(|cluster| {
                let head: String = cluster.chars().take_while(char::is_ascii_alphabetic).collect();
                !cluster.starts_with('-')
                    && head.ends_with(letter)
                    && head.chars().all(|one| one == letter || "fNnTtqvCgAaKkMsxXYyG46".contains(one))
            })
        })
    };
    let forwards = options('R') || options('D') || options('w') || words.iter().any(|word| has_forward(word));
    let to = words.iter().map(|word| host(word.rsplit('@').next().unwrap_or_default())).find(|host| host.contains('.'));
    let is_trusted = to.as_deref().is_some_and(|to| view.settings.trusts(to));
    (forwards || to.as_deref().is_some_and(hosts::is_tunnel_end)) && !is_trusted
}

fn has_forward(word: &str) -> bool {
    let word = word.trim_start_matches("-o").to_ascii_lowercase();
    word.starts_with("remoteforward") || word.starts_with("dynamicforward") || word.starts_with("tunnel=")
}

/// Returns two plain connections that feed each other.
fn relay(view: &View<'_>) -> Option<String> {
    let connects = |operation: &str| {
        view.analysis.effects.iter().find(|effect| effect.operation == operation && !is_in_a_container(effect))
    };
    let (listens, to) = (connects("network.listen")?, connects("network.connect")?);
    let (first, second) = (view.index().command(listens.command_id)?, view.index().command(to.command_id)?);
    let is_plain = |command: &Command| is_any(&name(command), crate::kinds::CONNECTORS);
    let makes_pipe = view.commands().any(|command| is_any(&name(command), &["mkfifo", "mknod"]));
    (first.id != second.id && is_plain(first) && is_plain(second) && makes_pipe).then(|| second.text())
}
