//! Operands of git that may be files or branches, and the files that another command lists for them.

use guard_sdk::syntax::Command;

use crate::options::Operand;
use crate::run::Run;

/// Returns whether an operand can only be a path, not a branch. Git expands a pattern that the shell doesn't.
pub(super) fn is_path(operand: &Operand<'_>) -> bool {
    let text = operand.text.as_ref();
    let is_pattern = operand.word.glob || !operand.dynamic && text.contains(['*', '?', '[']);
    matches!(text, "." | "..") || text.starts_with(['.', '/', '~', ':']) || text.ends_with('/') || is_pattern
}

/// Returns whether an operand may be a file or a branch: it has something like an extension. A dot after a digit is
/// part of a version: `v1.2.3`, `release/1.x`.
pub(super) fn may_be_path(operand: &Operand<'_>) -> bool {
    let name = operand.text.rsplit('/').next().unwrap_or_default();
    name.split_once('.').is_some_and(|(stem, _)| !stem.ends_with(|c: char| c.is_ascii_digit()))
}

/// Returns whether an operand may be the name of a file or folder. A revision such as `HEAD~1` or `@{-1}` isn't.
pub(super) fn may_be_name(operand: &Operand<'_>) -> bool {
    let text = operand.text.as_ref();
    !operand.dynamic && !text.is_empty() && !text.starts_with(['-', '@']) && !text.contains(['~', '^', ':', '{', '$'])
}

/// Returns whether another command of the text lists files for the operand: `git ls-files -m | xargs git checkout`.
pub(super) fn is_listed_file(run: &Run<'_>, operand: &Operand<'_>) -> bool {
    // Loops also use variables for other purposes.
    let is_variable = operand.text.starts_with('$') && !operand.text.starts_with("$(");
    let listed = run.suppliers(operand).into_iter().take(MOST);
    listed.into_iter().any(|command| lists_files(command) && (!is_variable || command.program() == "git"))
}

/// Returns whether a command prints file names.
fn lists_files(command: &Command) -> bool {
    let says = |wanted: &[&str]| command.argv.iter().skip(1).any(|word| wanted.contains(&word.text.as_str()));
    match (command.program(), command.word(1)) {
        ("find" | "gfind" | "fd" | "fdfind" | "ls", _) | ("git", "ls-files") => true,
        ("git", "diff" | "diff-files" | "diff-index" | "diff-tree" | "show" | "log") => {
            says(&["--name-only", "--name-status"])
        }
        ("git", "status") => says(&["-s", "--short", "--porcelain", "-sb", "--porcelain=v1", "-uno"]),
        ("git", "grep") | ("grep" | "rg" | "ag", _) => says(&["-l", "-rl", "-lr", "-Rl", "--files-with-matches"]),
        _ => false,
    }
}

/// Returns whether the input answers the program's prompts, and not all of them with no.
pub(super) fn is_answered(run: &Run<'_>) -> bool {
    let agrees = |line: &str| line.trim_start().starts_with(['y', 'Y', 'a', 'A']);
    if let Some(yes) = run.before().filter(|before| before.program() == "yes") {
        return yes.word(1).is_empty() || agrees(yes.word(1));
    }
    if let Some(input) = run.input() {
        return !input.certain || input.text.lines().any(agrees);
    }
    let mut redirections = run.command.redirections.iter();
    run.before().is_some() || redirections.any(|from| from.operator == "<" && from.target.text != "/dev/null")
}

/// Returns whether the operand is a list of deleted files from git. These have no changes to lose.
pub(super) fn names_deleted(run: &Run<'_>, operand: &Operand<'_>) -> bool {
    let is_substituted = operand.word.parts.len() == 1 && operand.word.parts.iter().all(|part| part.kind == "command");
    let mut listing: Vec<&Command> = Vec::new();
    if is_substituted {
        let mut substitutions =
            run.command.argv.iter().filter(|word| word.parts.iter().any(|part| part.kind == "command"));
        // The analysis doesn't record which substitution a command belongs to.
        let only = substitutions.next().is_some() && substitutions.next().is_none();
        listing.extend(run.pipelines.children(run.commands, run.command.id).filter(|_| only).take(MOST));
    } else if operand.text == "{}" && run.is_via("xargs") {
        let position = &run.command.position;
        listing.extend(run.pipelines.stages(run.commands, position.pipeline, position.index).take(MOST));
    }
    let Some((first, filters)) = listing.split_first() else { return false };
    let says = |wanted: &[&str]| first.argv.iter().any(|word| wanted.contains(&word.text.as_str()));
    let lists = match (first.program(), first.word(1)) {
        ("git", "ls-files") => {
            says(&["-d", "--deleted"]) && !says(&["-m", "--modified", "-o", "--others", "-c", "--cached"])
        }
        ("git", "diff") => says(&["--diff-filter=D"]) && says(&["--name-only"]),
        _ => false,
    };
    lists
        && filters
            .iter()
            .all(|command| matches!(command.program(), "grep" | "egrep" | "rg" | "head" | "tail" | "sort" | "uniq"))
}

/// The maximum number of commands that are searched for the list of files.
const MOST: usize = 16;
