//! `git-config-code`: a git setting whose value git runs as a program.
//!
//! ## Why
//! The next harmless git command runs it.
//! ## Example
//! `git config core.sshCommand '...'` · `git config --global alias.st '!...'`
//! ## Settings
//! none

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::scene::{Hit, Scene, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "git-config-code",
    summary: "a git setting that runs programs",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    if effect.operation != "git.config" {
        return None;
    }
    let key = effect.target.to_ascii_lowercase();
    let runs = RUN.contains(&key.as_str())
        || key.starts_with("filter.")
        || key.starts_with("alias.")
            && scene.command(effect).is_some_and(|command| command.argv.iter().any(|word| word.text.starts_with('!')));
    runs.then(|| {
        let why = format!("git runs the value of `{}` as a program", shorten(&effect.target));
        Hit::new(RULE.default, effect, why, "set it for one command with `git -c`, or ask the user to set it")
    })
}

/// Settings, in lower case, whose value is a program.
const RUN: &[&str] = &[
    "core.askpass",
    "core.editor",
    "core.fsmonitor",
    "core.hookspath",
    "core.pager",
    "core.sshcommand",
    "credential.helper",
    "diff.external",
    "gpg.program",
    "init.templatedir",
    "sequence.editor",
    "uploadpack.packobjectshook",
];
