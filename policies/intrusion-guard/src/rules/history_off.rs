//! `history-off`: a call that clears the shell's history or turns it off.
//!
//! ## Why
//! Honest tasks don't need that, because the agent's commands aren't in the user's history anyway. ATT&CK T1070.003,
//! T1562.003.
//!
//! ## Examples
//! - asked: `unset HISTFILE`
//! - asked: `export HISTSIZE=0`
//! - asked: `history -c`
//! - passes: `history 20`
//! - passes: `export HISTSIZE=10000`
//! - passes: `export HISTCONTROL=ignoredups`
//!
//! ## Instead
//! Leave the history unchanged.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::is_any;
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "history-off",
    summary: "turns the shell's history off, or clears it",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Variables of a shell's history.
const VARIABLES: &[&str] =
    &["HISTFILE", "HISTSIZE", "HISTFILESIZE", "SAVEHIST", "HISTCMD", "fish_history", "HISTIGNORE", "HISTCONTROL"];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    view.commands().find(|command| disables_history(command)).map(|command| {
        let set = command.assignments.iter().find(|set| is_off(&set.name, &set.value.text));
        let shown = set.map_or_else(|| command.text(), |set| format!("{}={}", set.name, set.value.text));
        let message = format!("Disables or clears the shell history: `{}`", shorten(&shown));
        Hit::new(message, "leave the history as it is")
    })
}

fn disables_history(command: &Command) -> bool {
    let set = command.assignments.iter().any(|set| is_off(&set.name, &set.value.text));
    let exported = || texts(command).filter_map(|text| text.split_once('=')).any(|(name, value)| is_off(name, value));
    let words = || texts(command).collect::<Vec<_>>();
    // A builtin has no folder.
    if command.word(0).contains('/') && command.program() != "env" {
        return set;
    }
    set || match &*name(command) {
        "export" | "declare" | "typeset" | "local" | "readonly" | "env" | "setenv" => exported(),
        "unset" if !has_option(command, "fn", &[]) => {
            texts(command).any(|text| is_any(text, VARIABLES) && text != "HISTCONTROL" && text != "HISTIGNORE")
        }
        "history" => {
            let clears = |text: &str| {
                text.strip_prefix('-').is_some_and(|rest| rest.contains(['c', 'd']) && !rest.starts_with('-'))
            };
            texts(command).any(|text| clears(text) || matches!(text, "clear" | "--clear" | "delete"))
                || has_option(command, "w", &[]) && texts(command).any(|text| text == "/dev/null")
        }
        "set" => words().windows(2).any(|pair| matches!(pair, ["+o", "history"])),
        "shopt" => has_option(command, "u", &[]) && texts(command).any(|text| text == "history"),
        "fc" => has_option(command, "p", &[]) && texts(command).any(|text| text == "/dev/null"),
        "clear-history" => true,
        "set-psreadlineoption" => texts(command).any(|text| text.eq_ignore_ascii_case("savenothing")),
        _ => false,
    }
}

/// Returns whether the value makes a shell save nothing, or omit lines.
fn is_off(name: &str, value: &str) -> bool {
    let value = value.trim_matches(['"', '\'']);
    match name {
        "HISTFILE" => value.is_empty() || value.starts_with("/dev/"),
        "HISTSIZE" | "HISTFILESIZE" | "SAVEHIST" => matches!(value, "0" | ""),
        "HISTCONTROL" => value.contains("ignorespace") || value.contains("ignoreboth"),
        "HISTIGNORE" => value.contains('*') || value.contains(':'),
        "fish_history" => value.is_empty(),
        _ => false,
    }
}
