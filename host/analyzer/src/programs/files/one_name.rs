//! Moves that give many files the same name: in a loop, or in a search that starts `mv` for each result.
//!
//! Each move replaces the previous file, so all but the last are lost. The target must be the same in each iteration,
//! or a piece of the old name that several files may share.

use guard_sdk::syntax::{Command, Part};

use super::cut_names;
use super::targets::Target;
use crate::options::{Operand, Parsed};
use crate::run::Run;

/// The maximum number of commands that are examined before or after a move.
const NEAR: usize = 256;

/// Suppliers that start a program once for each name.
const SUPPLIERS: [&str; 2] = ["find-exec", "xargs"];

/// Returns whether many files each get the target's name.
pub(super) fn gathered(run: &Run<'_>, parsed: &Parsed<'_>, target: &Target<'_, '_>) -> bool {
    let keeps = parsed.has("nib", "no-clobber")
        || ["backup", "interactive", "update"].iter().any(|option| parsed.has("", option))
        || parsed.has("u", "")
        || parsed.value("t", "target-directory").is_some();
    let Some(source) = target.sources.first().filter(|_| !keeps) else { return false };
    if !is_one(target) && !is_fixed(run, source, target) {
        return false;
    }
    if is_supplied(run, source) {
        // A name without an extension is usually that of a folder.
        has_extension(&target.place.text) && !supplies_one(run)
    } else {
        target.sources.len() == 1 && in_loop(run.command) && changes(run, source, &target.place) && !chooses(run)
    }
}

/// Returns whether the text of the target names the same file in each iteration.
fn is_one(target: &Target<'_, '_>) -> bool {
    !target.is_folder_by_its_text() && is_same_each_time(&target.place)
}

/// Returns whether the text of the target names one file with an extension. A name without an extension may be a folder
/// that other code creates.
pub(super) fn is_one_file(target: &Target<'_, '_>) -> bool {
    is_one(target) && has_extension(&target.place.text)
}

/// Returns whether the target's unknown parts don't depend on the source, so that they are the same in each iteration:
/// a variable of the environment, an argument, or the name of the machine. It must end in an extension, because it may
/// be a folder otherwise.
fn is_fixed(run: &Run<'_>, source: &Operand<'_>, target: &Target<'_, '_>) -> bool {
    let parts = &target.place.word.parts;
    let ends = parts.last().is_some_and(|last| last.kind == "literal" && has_extension(&format!("x{}", last.text)));
    let is_of_source = |name: &str| source.word.parts.iter().any(|part| bare_name(&part.text) == name);
    let fixed = |part: &Part| match part.kind.as_str() {
        "literal" => !part.text.contains('{'),
        "tilde" => true,
        "variable" => {
            let name = bare_name(&part.text);
            is_of_environment(name) && !is_of_source(name) && !is_set(run, name) && !shifts(run)
        }
        "command" => is_constant(&part.text) && !waits(run),
        _ => false,
    };
    ends && !target.place.word.glob && !target.is_folder_by_its_text() && parts.iter().all(fixed)
}

/// Returns the name in `$NAME` or `${NAME}`.
fn bare_name(text: &str) -> &str {
    text.trim_start_matches(['$', '{']).trim_end_matches('}')
}

/// Returns whether a name is one of an argument, or in capitals as those of the environment are.
fn is_of_environment(name: &str) -> bool {
    const CHANGING: &[&str] = &["EPOCHREALTIME", "EPOCHSECONDS", "LINENO", "RANDOM", "REPLY", "SECONDS", "SRANDOM"];
    let is_argument = name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_digit() && byte != b'0');
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let is_named = name.starts_with(|first: char| first.is_ascii_uppercase()) && name.bytes().all(is_capital);
    is_argument || is_named && !CHANGING.contains(&name)
}

/// Returns whether a substitution prints the same in each iteration.
fn is_constant(text: &str) -> bool {
    let inner = text.trim_start_matches("$(").trim_matches(['`', ')', ' ']);
    let program = inner.split_whitespace().next().unwrap_or_default();
    match program {
        "date" => ["%N", "$", "-r", "-d", "--date", "--reference"].iter().all(|part| !inner.contains(part)),
        "arch" | "hostname" | "id" | "logname" | "pwd" | "uname" | "whoami" => !inner.contains('$'),
        _ => ["git rev-parse", "git describe", "git branch"].iter().any(|start| inner.starts_with(start)),
    }
}

/// Returns whether the text takes the next argument in turn, or sets variables from a line of a list.
fn shifts(run: &Run<'_>) -> bool {
    run.commands.iter().take(NEAR).any(|command| {
        let takes = matches!(command.program(), "getopts" | "mapfile" | "read" | "readarray" | "set" | "shift");
        // The loop's own variable of the source is in small letters.
        takes && (command.program() != "read" || command.argv.iter().any(|word| is_of_environment(&word.text)))
    })
}

/// Returns whether the text lets time pass.
fn waits(run: &Run<'_>) -> bool {
    run.commands.iter().take(NEAR).any(|command| command.program() == "sleep")
}

/// Returns whether the text gives the same name in each iteration, or a piece of each old name followed by an
/// extension.
fn is_same_each_time(place: &Operand<'_>) -> bool {
    let plain = |part: &Part| match part.kind.as_str() {
        "literal" | "tilde" => true,
        "variable" => part.text == "HOME",
        "command" => is_day(&part.text),
        _ => false,
    };
    let parts = &place.word.parts;
    let is_explained = !place.dynamic || !parts.is_empty();
    if !is_explained || place.word.glob {
        return false;
    }
    let mut others = parts.iter().filter(|part| !plain(part));
    match (others.next(), others.next()) {
        (None, _) => !place.text.contains('{'),
        // Folder names usually have no extension.
        (Some(part), None) => {
            let ends =
                parts.last().is_some_and(|last| last.kind == "literal" && has_extension(&format!("x{}", last.text)));
            ends && cut_names::is_piece(part)
        }
        _ => false,
    }
}

/// Returns whether a substitution prints the date, which is the same in all iterations.
fn is_day(text: &str) -> bool {
    let inner = text.trim_start_matches("$(").trim_matches(['`', ')']);
    let format = inner.strip_prefix("date").map(str::trim);
    format.is_some_and(|format| {
        format.starts_with(['+', '"', '\''])
            && !["%N", "%s", "%S", "%T", "%c", "%X", "$"].iter().any(|part| format.contains(part))
    })
}

/// Returns whether another program supplies the source, one name at a time.
fn is_supplied(run: &Run<'_>, source: &Operand<'_>) -> bool {
    let is_marked = || run.command.argv.iter().skip(1).any(|word| word.text.contains("{}"));
    let is_each = run.is_via("parallel") || SUPPLIERS.iter().any(|kind| run.is_via(kind)) && is_marked();
    is_each && (source.word.glob || ["{}", "*", "?"].iter().any(|mark| source.text.contains(mark)))
}

/// Returns whether the supplier has only one name: a search for a whole name, or the first line of a list.
fn supplies_one(run: &Run<'_>) -> bool {
    let parent = usize::try_from(run.command.parent).ok().and_then(|id| id.checked_sub(1));
    let parent = parent.and_then(|place| run.commands.get(place));
    let one = |command: &Command| match command.program() {
        "head" | "tail" | "ghead" | "gtail" => command
            .argv
            .iter()
            .skip(1)
            .any(|word| word.text.trim_start_matches(['-', 'n', 'l', 'i', 'e', 's', '=']) == "1"),
        "find" | "gfind" => {
            let words = command.argv.iter().map(|word| word.text.as_str());
            let named = words.clone().zip(words.clone().skip(1)).any(|(option, name)| {
                matches!(option, "-name" | "-iname" | "-path" | "-wholename" | "-samefile" | "-inum")
                    && !name.contains(['*', '?', '['])
            });
            named || words.clone().any(|word| word == "-quit")
        }
        "which" | "mktemp" | "readlink" | "realpath" | "basename" => true,
        "echo" => command.argv.len() == 2 && command.argv.iter().all(|word| !word.glob && !word.dynamic),
        _ => false,
    };
    parent.is_some_and(one) || run.before().is_some_and(one)
}

pub(super) fn in_loop(command: &Command) -> bool {
    let within = command.position.within.iter().rev();
    // A branch may only run in one of the iterations.
    within.take_while(|place| !matches!(place.as_str(), "condition" | "case" | "function")).any(|place| place == "loop")
}

/// Returns whether the source differs in each iteration: one of the files that a pattern matches, or a variable that
/// only the loop can have set.
fn changes(run: &Run<'_>, source: &Operand<'_>, place: &Operand<'_>) -> bool {
    let globs = || source.word.parts.iter().filter(|part| part.kind == "glob");
    let unquoted = globs().any(|part| !part.quoted);
    if globs().any(|part| part.quoted) {
        // A quoted pattern in the source is the loop's variable. With an unquoted one, the files go into a folder.
        return !unquoted;
    }
    if unquoted {
        return has_extension(&place.text);
    }
    let names = source.word.parts.iter().filter(|part| part.kind == "variable").map(|part| part.text.as_str());
    let is_name = |name: &&str| {
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    let own = names.clone().filter(is_name).any(|name| !is_set(run, name));
    own && names.clone().count() > 0
}

/// Returns whether a command of the text sets the variable. The loop's own `read` is ignored.
fn is_set(run: &Run<'_>, name: &str) -> bool {
    let place = usize::try_from(run.command.id).unwrap_or_default();
    let before = run.commands.get(..place).unwrap_or_default().iter().rev().take(NEAR);
    let assigns = |command: &Command| {
        let declared = command.argv.iter().skip(1).any(|word| {
            word.text.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
                || word.text == name && command.program() == "printf"
        });
        declared || command.assignments.iter().any(|assignment| assignment.name == name)
    };
    before.into_iter().any(assigns)
}

/// Returns whether the loop only moves one file: it ends after the move, or a test precedes the move.
fn chooses(run: &Run<'_>) -> bool {
    let place = usize::try_from(run.command.id).unwrap_or_default();
    let behind = run.commands.get(place..).unwrap_or_default().iter().take(NEAR);
    let ends = |command: &Command| matches!(command.program(), "break" | "exit" | "return");
    let tests = match run.command.position.operator.as_str() {
        "&&" => run.commands.get(place.saturating_sub(2)).is_none_or(|test| match test.program() {
            "[" | "test" => !matches!(test.word(1), "-e" | "-f" | "-s" | "-r" | "-d" | "-n"),
            "echo" | "printf" | "mkdir" | "cp" | "touch" => false,
            _ => true,
        }),
        _ => false,
    };
    tests || behind.into_iter().any(ends)
}

fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty() && (1..=5).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
