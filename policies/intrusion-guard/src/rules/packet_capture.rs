//! `packet-capture`: a call that records a network interface's packets.
//! Reading a recording passes.
//!
//! ## Why
//! The packets contain passwords, cookies and data of everyone on the network. ATT&CK T1040.
//!
//! ## Examples
//! - asked: `tcpdump -i any -w c.pcap`
//! - asked: `sudo tshark -i eth0`
//! - passes: `tshark -r c.pcap -Y dns`
//! - passes: `tcpdump --version`
//! - passes: `tcpdump -nr c.pcap`
//!
//! ## Instead
//! Ask the user to record the packets, and read the recording with `tcpdump -r`.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::view::{View, has_option, name};

pub(crate) const RULE: Rule =
    Rule { id: "packet-capture", summary: "records network packets", default: Outcome::Ask, ceiling: Outcome::Deny };

const REMEDY: &str = "ask the user to record what is needed, and read the recording with `tcpdump -r`";

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let command = view.commands().find(|command| records(command));
    let in_code = || {
        view.scripts().find(|script| {
            script.text.contains("AF_PACKET") || script.text.contains("sniff(") && script.text.contains("scapy")
        })
    };
    let shown = match command {
        Some(command) => command.text(),
        None => in_code()?.text.clone(),
    };
    Some(Hit::new(format!("Captures network packets: `{}`", shorten(&shown)), REMEDY))
}

fn records(command: &Command) -> bool {
    let only_looks = has_option(command, "", &["version", "help", "list-interfaces"])
        || command.argv.len() < 2 && name(command) != "tcpdump";
    match &*name(command) {
        "tcpdump" => !only_looks && !has_option(command, "rDLdhV", &[]),
        "tshark" | "dumpcap" | "wireshark" | "rawshark" => {
            !only_looks && !has_option(command, "rDLGhv", &["read-file"])
        }
        "ngrep" | "tcpick" => !only_looks && !has_option(command, "IrhV", &[]),
        "snoop" | "tcpflow" | "airodump-ng" | "urlsnarf" | "mailsnarf" | "netsniff-ng" | "ssldump" | "httpry"
        | "pktmon" => !only_looks && !has_option(command, "rh", &[]),
        _ => false,
    }
}
