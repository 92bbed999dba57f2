//! `dynamic-command`: a command whose name is known only at run time and whose words look like those of a deletion, or
//! whose name is printed on the spot.
//!
//! ## Why
//! The name decides whether anything is lost, and nobody knows the name.
//!
//! ## Examples
//! - asked: `$cmd -rf build`
//! - asked: `$(printf rm) a`
//! - passes: `$PYTHON -m pytest`
//! - passes: `$(which python3) x.py`
//!
//! ## Instead
//! Write the command's name out.

use guard_sdk::syntax::Command;
use guard_sdk::{Outcome, Rule};

use super::{Check, is_program};
use crate::call_view::{Hit, CallView, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "dynamic-command",
    summary: "a command known only at run time that looks like a deletion",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Call(check);

fn check(view: &CallView<'_>) -> Option<Hit> {
    let unknown = |command: &&Command| command.argv.first().is_some_and(|name| name.dynamic);
    let mut commands = view.analysis.commands.iter().filter(unknown);
    let telling = commands.find(|command| command.argv.iter().skip(1).any(|word| fits_deletion(&word.text)));
    let command = telling.or_else(|| assembled(view))?;
    let why = format!("`{}` is known only at run time, and may be a deletion", shorten(command.word(0)));
    Some(Hit::of_command(RULE.default, command.id, why, "write the command's name out"))
}

/// A command whose name is put together from a printed text, as nobody does who has nothing to hide.
fn assembled<'a>(view: &'a CallView<'_>) -> Option<&'a Command> {
    let printing = view.analysis.commands.iter().filter(|command| {
        let inside = command.position.within.last().is_some_and(|place| place == "substitution");
        inside && is_program(command.word(0), &["echo", "printf", "cat", "base64", "rev", "tr", "xxd", "curl", "wget"])
    });
    let mut outer = printing.filter_map(|command| view.command_by_id(command.parent));
    outer.find(|outer| outer.argv.first().is_some_and(|name| name.parts.iter().any(|part| part.kind == "command")))
}

/// Whether a word is what a deletion would have.
fn fits_deletion(word: &str) -> bool {
    if is_program(word, &["rm", "dd", "shred", "mkfs", "rmdir", "wipefs"]) {
        return true;
    }
    match word.strip_prefix('-') {
        Some(long) if long.starts_with('-') => {
            matches!(word, "--recursive" | "--force" | "--hard" | "--no-preserve-root" | "--delete")
        }
        Some("delete") => true,
        Some(short) => short.contains(['r', 'R']) && short.contains('f') && short.len() <= 4,
        None => false,
    }
}
