//! `log-erased`: a call that clears a log of the system with the program that keeps it.
//!
//! ## Why
//! The log is how somebody finds out later what happened. ATT&CK T1070.002, T1070.001.
//!
//! ## Examples
//! - asked: `sudo log erase --all`
//! - asked: `dmesg -C`
//! - passes: `dmesg | tail`
//! - passes: `log show --last 1h`
//! - passes: `git log --all`
//!
//! ## Instead
//! Read the log, and leave it.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule =
    Rule { id: "log-erased", summary: "clears a log of the system", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let command = view.commands().find(|command| erases(command))?;
    Some(Hit::new(format!("Clears a log of the system: `{}`", shorten(&command.text())), "read the log, and leave it"))
}

fn erases(command: &Command) -> bool {
    match &*name(command) {
        "log" => texts(command).next() == Some("erase"),
        "dmesg" => has_option(command, "Cc", &["clear", "read-clear"]),
        "utmpdump" => has_option(command, "r", &["reverse"]),
        "praudit" | "audit" => texts(command).any(|text| text == "-t"),
        "clear-eventlog" | "remove-eventlog" | "limit-eventlog" => true,
        _ => false,
    }
}
