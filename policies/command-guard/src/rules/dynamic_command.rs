//! `dynamic-command`: a command that may be a deletion, because its name is known only at run time or is a pattern,
//! and its arguments look like those of a deletion.
//! The rule also covers a name that a command such as `printf` assembles.
//!
//! ## Why
//! The name decides whether anything is lost, and it isn't known.
//!
//! ## Examples
//! - asked: `$cmd -rf build`
//! - asked: `$(printf rm) a`
//! - asked: `"$tool" -r ~/notes`
//! - passes: `$PYTHON -m pytest`
//! - passes: `$(which python3) x.py`
//!
//! ## Instead
//! Write out the command's name.

use guard_sdk::syntax::{Command, Word};
use guard_sdk::{Outcome, Rule};

use super::{Check, is_program};
use crate::call_view::{Hit, CallView, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "dynamic-command",
    summary: "a possible deletion by a command known only at run time",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Call(check);

fn check(view: &CallView<'_>) -> Option<Hit> {
    let unknown = |command: &&Command| command.argv.first().is_some_and(|name| name.dynamic || name.glob);
    let mut commands = view.analysis.commands.iter().filter(unknown);
    let telling = commands.find(|command| looks_like_deletion(command.argv.get(1..).unwrap_or_default()));
    let command = telling
        .or_else(|| assembled_command(view))
        .or_else(|| decoded_command(view))
        .or_else(|| chosen_command(view))?;
    let why = format!("`{}` is known only at run time and may delete something", shorten(command.word(0)));
    Some(Hit::for_command(RULE.default, command.id, why, "write the command's name out"))
}

/// Returns a command whose name is assembled from printed text, which suggests an attempt to hide it.
fn assembled_command<'a>(view: &'a CallView<'_>) -> Option<&'a Command> {
    let printing = view.analysis.commands.iter().filter(|command| {
        let inside = command.position.within.last().is_some_and(|place| place == "substitution");
        inside && is_program(command.word(0), &["echo", "printf", "cat", "base64", "rev", "tr", "xxd", "curl", "wget"])
    });
    let mut outer = printing.filter_map(|command| view.command_by_id(command.parent));
    outer.find(|outer| outer.argv.first().is_some_and(|name| name.parts.iter().any(|part| part.kind == "command")))
}

/// Programs that decode a text.
const DECODERS: &[&str] = &["base32", "base64", "openssl", "rev", "tr", "uudecode", "xxd"];

/// Returns a command whose whole text was decoded into a variable.
fn decoded_command<'a>(view: &'a CallView<'_>) -> Option<&'a Command> {
    let commands = || view.analysis.commands.iter();
    let decodes = |command: &&Command| {
        let inside = command.position.within.last().is_some_and(|place| place == "substitution");
        inside && is_program(command.word(0), DECODERS)
    };
    let outer = commands().filter(decodes).filter_map(|command| view.command_by_id(command.parent));
    let mut names = outer.filter(|outer| outer.argv.is_empty()).flat_map(|outer| &outer.assignments);
    names.find_map(|set| {
        let is_value = |text: &str| text == format!("${}", set.name) || text == format!("${{{}}}", set.name);
        commands().find(|command| is_value(command.word(0)))
    })
}

/// Returns a command that is chosen at run time among texts, of which one is a deletion: an array's element, or the
/// output of a program.
fn chosen_command<'a>(view: &'a CallView<'_>) -> Option<&'a Command> {
    let is_choice = |command: &&Command| {
        let [name] = command.argv.as_slice() else { return false };
        let [part] = name.parts.as_slice() else { return false };
        part.kind == "command" || part.kind == "variable" && name.text.contains('[')
    };
    let text = view.raw_text();
    let is_deletion = |text: &str| {
        let mut words = text.split_whitespace();
        words.next().is_some_and(|name| is_program(name, &["rm", "dd", "shred", "mkfs", "wipefs"])) && words.next().is_some()
    };
    let names_deletion =
        || ['\'', '"'].iter().any(|quote| text.split(*quote).skip(1).step_by(2).any(is_deletion));
    view.analysis.commands.iter().find(is_choice).filter(|_| names_deletion())
}

/// Returns whether words look like a deletion: by one of them, by separate options, or by the files that they name.
fn looks_like_deletion(words: &[Word]) -> bool {
    if words.iter().any(|word| is_deletion_word(&word.text)) {
        return true;
    }
    let short = |word: &&Word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.len() <= 4;
    let has = |letters: [char; 2]| words.iter().filter(short).any(|word| word.text.contains(letters));
    if !has(['r', 'R']) {
        return false;
    }
    let mut operands = words.iter().filter(|word| !word.text.starts_with('-')).peekable();
    let named = operands.peek().is_some();
    has(['f', 'F']) || words.iter().any(is_home) || (named && operands.all(is_in_home))
}

/// Returns whether a word is a home, the root, or all content of one of them.
fn is_home(word: &Word) -> bool {
    let path = word.text.trim_end_matches(['*', '/']);
    let home = matches!(path, "~" | "$HOME" | "${HOME}") || (path.is_empty() && word.text.starts_with('/'));
    home || path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/")).is_some_and(|name| !name.contains('/'))
}

/// Returns whether a word names something in a home.
fn is_in_home(word: &Word) -> bool {
    ["~", "$HOME", "${HOME}", "/home/", "/Users/"].iter().any(|home| word.text.starts_with(home))
}

/// Returns whether a word is typical of a deletion.
fn is_deletion_word(word: &str) -> bool {
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
