//! `unseen-program`: a program in a folder for temporary files that runs as root. With `strict`, also without. A
//! program that the call itself has made there passes.
//!
//! ## Why
//! Installed programs are elsewhere, and anybody can write there. ATT&CK T1036.005, T1059.
//!
//! ## Examples
//! - asked: `sudo /tmp/capture -i en0`
//! - passes: `/tmp/build/app --version`
//! - passes: `sudo /usr/bin/apt-get update`
//! - passes: `gcc x.c -o /tmp/x && sudo /tmp/x`
//!
//! ## Instead
//! Build the program in the project, and run it from there.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::view::{View, path};

pub(crate) const RULE: Rule = Rule {
    id: "unseen-program",
    summary: "runs a program from a folder for temporary files",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

const FOLDERS: &[&str] = &["/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/"];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let command = view.commands().find(|command| is_unseen(command, view))?;
    Some(Hit::new(
        format!("Runs `{}` from a folder for temporary files", shorten(&command.text())),
        "build the program in the project, and run it from there",
    ))
}

fn is_unseen(command: &Command, view: &View<'_>) -> bool {
    let program = command.word(0);
    if !FOLDERS.iter().any(|folder| program.starts_with(folder)) || command.script().is_some() {
        return false;
    }
    let facts = view.facts();
    let own = [&facts.cwd, &facts.project_root].iter().any(|folder| crate::kinds::places::is_inside(program, folder));
    let is_root = command.via.iter().any(|via| matches!(via.kind.as_str(), "sudo" | "doas" | "pkexec" | "su" | "run0"));
    let made = || {
        view.analysis.effects.iter().any(|effect| {
            let path = path(effect);
            effect.kind == "write" && (path == program || crate::kinds::places::is_inside(program, path))
        })
    };
    !own && (is_root || view.settings.strict) && !made()
}
