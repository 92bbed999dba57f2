//! `noted`: a call that reads a file with secrets, or creates a file from a downloaded one.
//! It is recorded for later calls and never stopped.
//!
//! ## Why
//! A call that is harmless alone may be the first part of an attack.
//!
//! ## Examples
//! - noted: `cat .env`
//! - passes: `cat .env.example`
//!
//! ## Instead
//! Nothing to do.

use guard_sdk::syntax::{Command, Effect};
use guard_sdk::{Call, Finding, Outcome, Presence, Rule};

use crate::past::SessionHistory;
use crate::{Settings, downloads};

pub(crate) const RULE: Rule = Rule {
    id: "noted",
    summary: "records secrets that are read and files made from downloads",
    default: Outcome::Abstain,
    ceiling: Outcome::Abstain,
};

/// The maximum number of files that are noted for one call.
const FILES: usize = 32;

/// Programs that print variables.
const PRINTERS: &[&str] = &["declare", "echo", "env", "export", "printenv", "printf", "set", "typeset"];

/// Programs that use a secret file without showing it.
const USERS: &[&str] =
    &[".", "direnv", "dotenv", "git-crypt", "ls", "scp", "sftp", "source", "ssh", "ssh-add", "stat", "test", "["];

pub(crate) fn findings(call: &Call<'_>, past: &SessionHistory<'_>, settings: &Settings) -> Vec<Finding> {
    let analysis = call.analysis();
    let prints = analysis.commands.iter().filter(|command| PRINTERS.contains(&command.program()));
    let last_print = prints.map(|command| command.id).max().unwrap_or(0);
    let is_secret =
        |effect: &&Effect| reads_secret(call, effect, past.index.command(effect.command_id), settings, last_print);
    let secrets = analysis.effects.iter().filter(is_secret);
    let secrets = secrets.map(|effect| ("secret-read", name(effect)));
    let downloads = downloads::downloaded_files(call, past).into_iter().map(|path| ("download", path));
    let mut noted: Vec<(&str, String)> = secrets.chain(downloads).take(FILES).collect();
    noted.dedup();
    let finding = |(kind, target): (&str, String)| Finding::new(&RULE, "").tag("history", format!("{kind} {target}"));
    noted.into_iter().map(finding).collect()
}

/// Returns the path, or the name of what is read without one.
fn name(effect: &Effect) -> String {
    let path = &effect.path.canonical;
    if path.is_empty() { effect.target.clone() } else { path.clone() }
}

/// `last_print` is the id of the last command that prints variables, or 0.
fn reads_secret(
    call: &Call<'_>,
    effect: &Effect,
    command: Option<&Command>,
    settings: &Settings,
    last_print: u32,
) -> bool {
    if effect.kind != "read" || effect.tag("where").is_some() || call.tool() == "Glob" {
        return false;
    }
    if effect.operation == "secret.read" {
        return true;
    }
    let is_shown =
        command.is_some_and(|command| matches!(command.program(), "source" | ".") && command.id < last_print);
    let is_used = !is_shown && command.is_some_and(|command| USERS.contains(&command.program()));
    let is_public = effect.target.ends_with(".pub") || effect.target.ends_with("known_hosts");
    // A search of everything only reads existing files.
    let is_there = effect.tag("swept").is_none() || effect.path.exists == Presence::Yes;
    !is_used && !is_public && is_there && settings.files.find_secret(effect).is_some()
}
