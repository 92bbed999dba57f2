//! `dynamic-code`: `eval` or `bash -c` of a text that is known only at run time.
//!
//! ## Why
//! No rule can see the commands that run.
//! ## Example
//! `eval "$x"` · `bash -c "$script"`
//! ## Settings
//! none

use guard_sdk::syntax::{Command, Word};
use guard_sdk::{Outcome, Rule};

use super::{Check, SHELLS, is_program};
use crate::scene::{Hit, Scene};

pub(crate) const RULE: Rule = Rule {
    id: "dynamic-code",
    summary: "text known only at run time that runs as code",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Call(check);

fn check(scene: &Scene<'_>) -> Option<Hit> {
    let command = scene.analysis.commands.iter().find(|command| runs_a_dynamic_text(command))?;
    let why = "the commands are known only at run time, so nothing can be said of them";
    Some(Hit::of_command(RULE.default, command.id, why, "write the commands out"))
}

fn runs_a_dynamic_text(command: &Command) -> bool {
    if is_program(command.word(0), &["eval"]) {
        return command.argv.iter().skip(1).any(is_unknown);
    }
    if is_program(command.word(0), SHELLS) {
        let mut words = command.argv.iter().skip(1);
        let run =
            words.find(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('c'));
        return run.is_some() && words.next().is_some_and(is_unknown);
    }
    // What `eval "$x"` leaves when the analyzer has taken it apart: one word, a command that nobody knows.
    let evaluated = command.via.last().is_some_and(|via| matches!(via.kind.as_str(), "eval" | "shell-c"));
    evaluated && command.argv.len() == 1 && command.argv.first().is_some_and(is_unknown)
}

/// Whether a word is known only at run time, and not merely set up by a tool that prints shell set-up.
fn is_unknown(word: &Word) -> bool {
    if !word.dynamic {
        return false;
    }
    let mut dynamic = word.parts.iter().filter(|part| part.kind != "literal").peekable();
    dynamic.peek().is_none() || !dynamic.all(|part| part.kind == "command" && prints_set_up(&part.text))
}

/// Whether a substitution runs a tool whose documented use is `eval "$(tool ...)"`.
fn prints_set_up(substitution: &str) -> bool {
    let text = substitution.trim_start_matches(['$', '(', '`', ' ', '"']).trim_end_matches([')', '`', ' ', '"']);
    if text.contains([';', '|', '&', '$', '`', '(', '<', '>', '\n']) {
        return false;
    }
    let mut words = text.split_whitespace();
    is_program(words.next().unwrap_or_default(), SET_UP)
}

/// Tools that print shell set-up to be evaluated.
const SET_UP: &[&str] = &[
    "brew",
    "conda",
    "dircolors",
    "direnv",
    "fnm",
    "fzf",
    "hub",
    "jenv",
    "keychain",
    "luarocks",
    "mise",
    "nodenv",
    "opam",
    "pyenv",
    "rbenv",
    "resize",
    "rtx",
    "ssh-agent",
    "starship",
    "zoxide",
];
