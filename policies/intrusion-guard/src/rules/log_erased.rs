//! `log-erased`: a call that clears a system log with the program that manages it.
//!
//! ## Why
//! The log shows what happened on the machine. ATT&CK T1070.002, T1070.001.
//!
//! ## Examples
//! - asked: `sudo log erase --all`
//! - asked: `dmesg -C`
//! - passes: `dmesg | tail`
//! - passes: `log show --last 1h`
//! - passes: `git log --all`
//!
//! ## Instead
//! Read the log without clearing it.

use guard_sdk::syntax::{Command, Effect};
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::has_any;
use crate::view::{View, has_option, is_in_a_container, name, path, texts};

pub(crate) const RULE: Rule =
    Rule { id: "log-erased", summary: "clears a system log", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let command = view.commands().find(|command| erases(command)).map(Command::text);
    let by_code = || {
        let script = view.scripts().find(|script| empties_logs(&script.text))?;
        Some(format!("{} code", script.language))
    };
    let shown = command.or_else(by_code).or_else(|| {
        let is_loss =
            |effect: &&Effect| matches!(effect.kind.as_str(), "delete" | "write") && !is_in_a_container(effect);
        let is_record = |effect: &&Effect| effect.spellings().any(|path| is_record(path, &effect.kind));
        view.analysis.effects.iter().filter(is_loss).find(is_record).map(|effect| path(effect).to_owned())
    })?;
    Some(Hit::new(format!("Clears a system log: `{}`", shorten(&shown)), "read the log, and leave it"))
}

/// Returns whether code iterates over the log folder, and empties or deletes each file.
fn empties_logs(text: &str) -> bool {
    let lists = ["glob", "Dir[", "readdir", "opendir", "listdir", "iterdir", "scandir", "walk("];
    let of_logs = has_any(text, &["\"/var/log", "'/var/log", "</var/log"]);
    let loses = ["truncate", "unlink", "File.delete", "FileUtils.rm", "os.remove", "rmSync", ".rm("];
    // `File.open(f, "w")`
    let opens = text.match_indices("open(").take(CALLS).any(|(at, call)| {
        let rest = text.get(at + call.len()..).unwrap_or_default().trim_start_matches("my ");
        let name = rest.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '$'));
        name.len() < rest.len()
            && ["\"w\"", "'w'"].iter().any(|mode| name.trim_start_matches([',', ' ']).starts_with(mode))
    });
    of_logs && has_any(text, &lists) && (has_any(text, &loses) || opens)
}

/// The maximum number of calls in one script that are examined.
const CALLS: usize = 64;

/// Returns whether a file lists logged-in users, or contains the system's mail to its users.
fn is_record(path: &str, kind: &str) -> bool {
    let is_mail = ["/var/mail/", "/var/spool/mail/"].iter().any(|folder| path.starts_with(folder));
    matches!(path, "/run/utmp" | "/var/run/utmp") || kind == "delete" && is_mail
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
