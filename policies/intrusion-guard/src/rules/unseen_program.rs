//! `unseen-program`: a program in a folder for temporary files that runs as root.
//! With `strict`, the rule also covers programs and scripts there that run as the user.
//! A program that this call or session wrote there passes.
//!
//! ## Why
//! Programs are normally installed elsewhere, and everyone can write to such a folder. ATT&CK T1036.005, T1059.
//!
//! ## Examples
//! - asked: `sudo /tmp/capture -i en0`
//! - passes: `/tmp/build/app --version`
//! - passes: `sudo /usr/bin/apt-get update`
//! - passes: `gcc x.c -o /tmp/x && sudo /tmp/x`
//!
//! ## Instead
//! Build the program in the project, and run it there.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::places::is_inside;
use crate::kinds::{SHELLS, is_any};
use crate::view::{View, name, path, texts};

pub(crate) const RULE: Rule = Rule {
    id: "unseen-program",
    summary: "runs a program from a temporary folder",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

const FOLDERS: &[&str] = &["/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/"];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let command = view.commands().find(|command| is_unseen(command, view))?;
    Some(Hit::new(
        format!("Runs `{}` from a temporary folder", shorten(&command.text())),
        "build the program in the project, and run it from there",
    ))
}

fn is_unseen(command: &Command, view: &View<'_>) -> bool {
    if command.script().is_some() {
        return false;
    }
    let is_temporary = |text: &str| FOLDERS.iter().any(|folder| text.starts_with(folder));
    let runs_script = || view.settings.strict && (is_any(&name(command), SHELLS) || is_any(&name(command), READERS));
    let script = || texts(command).find(|text| !text.starts_with('-')).filter(|text| is_temporary(text));
    let program = command.word(0);
    let program = match is_temporary(program) {
        true => program,
        false if runs_script() => match script() {
            Some(script) => script,
            None => return false,
        },
        false => return false,
    };
    let facts = view.facts();
    let own = [&facts.cwd, &facts.project_root].iter().any(|folder| is_inside(program, folder));
    let is_root = command.via.iter().any(|via| matches!(via.kind.as_str(), "sudo" | "doas" | "pkexec" | "su" | "run0"));
    let made = || {
        view.analysis.effects.iter().any(|effect| {
            let path = path(effect);
            effect.kind == "write" && (path == program || is_inside(program, path))
        })
    };
    let written = || !is_root && view.history("write").iter().any(|event| is_inside(program, &event.target));
    !own && (is_root || view.settings.strict) && !made() && !written()
}

/// Programs that run a script.
const READERS: &[&str] = &["python", "python2", "python3", "perl", "ruby", "php", "node", "osascript", "lua"];
