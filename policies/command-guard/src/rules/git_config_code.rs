//! `git-config-code`: a git setting whose value git runs as a program. The rule passes ordinary editors, pagers and
//! credential stores, and the removal of a setting.
//!
//! ## Why
//! The next harmless git command runs that program.
//!
//! ## Examples
//! - asked: `git config core.hooksPath /tmp/h`
//! - asked: `git config --global alias.st '!sh x'`
//! - asked: `git clone -c core.sshCommand=./connect https://example.org/r.git`
//! - passes: `git config --global core.editor 'code --wait'`
//! - passes: `git config alias.st status`
//!
//! ## Instead
//! Set it for one command with `git -c`, or ask the user to set it.

use guard_sdk::syntax::Effect;
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

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    if effect.operation != "git.config" {
        return None;
    }
    let key = effect.target.to_ascii_lowercase();
    let value = effect.tag("runs")?;
    (!is_ordinary(value)).then(|| {
        let (why, remedy) = match key.as_str() {
            "core.hookspath" if matches!(value, "" | "/dev/null" | "/dev/null/") => (
                "no hook of the repository runs from then on, so the checks before a commit and a push are off"
                    .to_owned(),
                HOOKS,
            ),
            "core.hookspath" => {
                ("git then runs the hooks of another folder, and those of the repository no longer".to_owned(), HOOKS)
            }
            "include.path" => ("git reads more settings from that file, and some of them decide what runs".to_owned(), SET),
            "init.templatedir" => ("git copies the hooks of that folder into each new repository".to_owned(), SET),
            _ => (format!("git runs the value of `{}` as a program", shorten(&effect.target)), SET),
        };
        Hit::new(RULE.default, effect, why, remedy)
    })
}

const SET: &str = "set it for one command with `git -c`, or ask the user to set it";
const HOOKS: &str = "leave the hooks as they are, or ask the user to set it";

/// Whether the setting becomes a program that it ordinarily is, with no more than options.
fn is_ordinary(value: &str) -> bool {
    let mut words = value.split_whitespace();
    !value.contains([';', '|', '&', '`', '$', '\n', '>', '<', '(', '\\'])
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
