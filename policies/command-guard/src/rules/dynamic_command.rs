//! `dynamic-command`: a command whose name is known only at run time, with words that a deletion would have.
//!
//! ## Why
//! The name decides whether anything is lost, and nobody knows the name.
//! ## Example
//! `$cmd -rf build` · `"$tool" --hard HEAD~3`
//! ## Settings
//! none

use guard_sdk::syntax::Command;
use guard_sdk::{Outcome, Rule};

use super::{Check, is_program};
use crate::scene::{Hit, Scene, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "dynamic-command",
    summary: "a command known only at run time that looks like a deletion",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Call(check);

fn check(scene: &Scene<'_>) -> Option<Hit> {
    let unknown = |command: &&Command| command.argv.first().is_some_and(|name| name.dynamic);
    let mut commands = scene.analysis.commands.iter().filter(unknown);
    let command = commands.find(|command| command.argv.iter().skip(1).any(|word| is_telling(&word.text)))?;
    let why =
        format!("`{}` is known only at run time, and its words are those of a deletion", shorten(command.word(0)));
    Some(Hit::of_command(RULE.default, command.id, why, "write the command's name out"))
}

/// Whether a word is what a deletion would have.
fn is_telling(word: &str) -> bool {
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
