//! `git-as-root`: a git command that changes the repository as another user, through `sudo` or a similar program.
//!
//! ## Why
//! The repository's hooks run as that user, and its new files belong to that user.
//!
//! ## Examples
//! - asked: `sudo git merge topic`
//! - asked: `su root -c 'git cherry-pick abc'`
//! - passes: `git merge topic`
//! - passes: `sudo git status`
//!
//! ## Instead
//! Run git as yourself, without `sudo`.

use guard_sdk::syntax::{Command, Word};
use guard_sdk::{Outcome, Rule, git};

use super::{Check, is_program};
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "git-as-root",
    summary: "a change to a repository as another user",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Call(check);

fn check(view: &CallView<'_>) -> Option<Hit> {
    let raised = |command: &&Command| {
        let named =
            is_program(command.word(0), &["git"]) && command.via.iter().any(|via| RAISING.contains(&via.kind.as_str()));
        named && !is_read_only(command.argv.get(1..)) || is_asked_for(command)
    };
    let command = view.analysis.commands.iter().find(raised)?;
    let why = "runs the repository's hooks as that user and changes who owns its files";
    Some(Hit::for_command(RULE.default, command.id, why, "run git as yourself, without `sudo`"))
}

/// Wrappers that run a command as another user.
const RAISING: &[&str] = &[
    "doas",
    "gosu",
    "machinectl",
    "nsenter",
    "pkexec",
    "runuser",
    "setpriv",
    "su",
    "su-exec",
    "sudo",
    "sudo-rs",
    "systemd-run",
];

/// Returns whether the program before git is a variable for `sudo`, such as `${SUDO:-sudo}`.
fn is_asked_for(command: &Command) -> bool {
    let Some(name) = command.argv.first().filter(|name| name.dynamic) else { return false };
    let name = name.text.to_ascii_lowercase();
    let says = name.len() < 64 && (name.contains("sudo") || name.contains("doas"));
    says && is_program(command.word(1), &["git"]) && !is_read_only(command.argv.get(2..))
}

/// Returns whether a git subcommand, after its options, changes nothing.
fn is_read_only(words: Option<&[Word]>) -> bool {
    let words = words.unwrap_or_default().iter().map(|word| word.text.as_str());
    // Most calls of these only show something, and they run no hook.
    let shows = ["config", "reflog", "remote"];
    git::subcommand(words).is_none_or(|(verb, _)| git::READING.contains(&verb) || shows.contains(&verb))
}
