//! `git-config-code`: a git setting whose value git runs as a program. The rule passes ordinary editors, pagers and
//! credential stores, and the removal of a setting.
//!
//! ## Why
//! The next harmless git command runs that program.
//!
//! ## Examples
//! - asked: `git config core.hooksPath /tmp/h`
//! - asked: `git config --global alias.st '!sh x'`
//! - passes: `git config --global core.editor 'code --wait'`
//! - passes: `git config alias.st status`
//!
//! ## Instead
//! Set it for one command with `git -c`, or ask the user to set it.

use guard_sdk::syntax::{Command, Effect};
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "git-config-code",
    summary: "a git setting that decides which programs run",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    if effect.operation != "git.config" {
        return None;
    }
    let key = effect.target.to_ascii_lowercase();
    let runs = RUN.contains(&key.as_str())
        || key.starts_with("filter.")
        || key.starts_with("alias.")
            && view.command(effect).is_some_and(|command| command.argv.iter().any(|word| word.text.starts_with('!')));
    let is_ordinary = view.command(effect).is_some_and(is_ordinary);
    (runs && !is_ordinary).then(|| {
        let value = view.command(effect).and_then(|command| command.argv.last()).map_or("", |value| &value.text);
        let (why, remedy) = match key.as_str() {
            "core.hookspath" if matches!(value, "" | "/dev/null" | "/dev/null/") => (
                "no hook of the repository runs from then on, so the checks before a commit and a push are off"
                    .to_owned(),
                HOOKS,
            ),
            "core.hookspath" => {
                ("git then runs the hooks of another folder, and those of the repository no longer".to_owned(), HOOKS)
            }
            "init.templatedir" => ("git copies the hooks of that folder into each new repository".to_owned(), SET),
            _ => (format!("git runs the value of `{}` as a program", shorten(&effect.target)), SET),
        };
        Hit::new(RULE.default, effect, why, remedy)
    })
}

const SET: &str = "set it for one command with `git -c`, or ask the user to set it";
const HOOKS: &str = "leave the hooks as they are, or ask the user to set it";

/// Whether the setting is taken away, or becomes a program that it ordinarily is, with no more than options.
fn is_ordinary(command: &Command) -> bool {
    let unset = command.argv.iter().any(|word| matches!(word.text.as_str(), "--unset" | "--unset-all" | "unset"));
    let Some(value) = command.argv.last() else { return false };
    let mut words = value.text.split_whitespace();
    let plain = !value.dynamic && !value.text.contains([';', '|', '&', '`', '$', '\n', '>', '<', '(', '\\']);
    unset
        || plain
            && words.next().is_none_or(|name| ORDINARY.contains(&name))
            && words.all(|word| word.starts_with('-') && !word.contains(['=', ':', '+']) || is_timeout(word))
}

/// Whether the word says how long a password is kept.
fn is_timeout(word: &str) -> bool {
    word.strip_prefix("--timeout=").is_some_and(|time| time.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Programs that git is ordinarily told to use.
const ORDINARY: &[&str] = &[
    "bat",
    "cache",
    "cat",
    "code",
    "cursor",
    "delta",
    "diff-so-fancy",
    "difft",
    "emacs",
    "false",
    "gpg",
    "gpg2",
    "hx",
    "less",
    "manager",
    "micro",
    "more",
    "nano",
    "nvim",
    "osxkeychain",
    "store",
    "subl",
    "true",
    "vi",
    "vim",
    "zed",
];

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
