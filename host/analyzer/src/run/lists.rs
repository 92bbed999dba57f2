//! Lists of names that aren't in the text: files from which `xargs`, a substitution or a loop reads them.

use guard_sdk::syntax::Command;

use super::Run;
use crate::options::Operand;

/// The maximum number of examined commands.
const MOST: usize = 64;

/// Programs that print the lines of a file.
const PRINTERS: &[&str] =
    &["awk", "cat", "cut", "gawk", "head", "jq", "nl", "sed", "shuf", "sort", "tac", "tail", "tr", "uniq", "yq"];

/// Returns whether a command prints lines of a file, or of a URL.
pub(super) fn is_of_file(command: &Command) -> bool {
    let is_redirected = command.redirections.iter().any(|from| from.operator == "<");
    let operands = command.argv.iter().skip(1).filter(|word| !word.text.starts_with('-')).count();
    match command.program() {
        // `$(<names)`.
        "" => is_redirected,
        "curl" | "wget" => true,
        "cat" | "head" | "nl" | "sort" | "tac" | "tail" | "uniq" | "shuf" => is_redirected || operands > 0,
        // The first operand of these is a program.
        "awk" | "gawk" | "jq" | "sed" | "yq" => is_redirected || operands > 1,
        "cut" | "tr" => is_redirected || command.program() == "cut" && operands > 0,
        _ => false,
    }
}

/// Returns whether the earlier stages of a pipeline print lines of a file, and only filter them.
pub(super) fn comes_from_file(run: &Run<'_>) -> bool {
    let position = &run.command.position;
    let stages = run.pipelines.stages(run.commands, position.pipeline, position.index).rev().take(MOST);
    for stage in stages {
        if is_of_file(stage) {
            return true;
        }
        if !PRINTERS.contains(&stage.program()) {
            return false;
        }
    }
    false
}

/// Returns whether the operand is the variable of a loop over a file's lines: `for f in $(<names); do ... > $f; done`.
/// No command has this list in its words.
pub(super) fn is_in_turn(run: &Run<'_>, operand: &Operand<'_>) -> bool {
    let in_loop = run.command.position.within.iter().any(|place| place == "loop");
    let place = usize::try_from(run.command.id).map_or(0, |id| id.saturating_sub(1));
    let mut before = run.commands.get(..place).unwrap_or_default().iter().rev().take(MOST);
    let is_list = |command: &Command| {
        let is_captured = command.position.within.last().is_some_and(|place| place == "substitution");
        is_captured && command.parent == 0 && is_of_file(command)
    };
    in_loop && operand.text.starts_with('$') && before.any(is_list)
}

/// Returns whether `xargs` or `parallel` starts the command.
pub(super) fn has_list(run: &Run<'_>) -> bool {
    run.is_via("xargs") || run.is_via("parallel")
}

/// Returns whether the operand is a variable that an earlier command reads: `while read f; do ... "$f"; done < names`.
pub(super) fn is_read(run: &Run<'_>, operand: &Operand<'_>) -> bool {
    let name = operand.text.trim_start_matches("${").trim_start_matches('$').trim_end_matches('}');
    let is_array = name.ends_with(']');
    let name = name.split('[').next().unwrap_or_default();
    let programs: &[&str] = if is_array { &["mapfile", "readarray"] } else { &["read"] };
    let place = usize::try_from(run.command.id).map_or(0, |id| id.saturating_sub(1));
    let before = run.commands.get(..place).unwrap_or_default().iter().rev().take(MOST);
    let reads = |command: &Command| {
        let is_interactive = command.argv.iter().any(|word| word.text == "-p");
        let names = command.argv.iter().skip(1).any(|word| word.text == name);
        programs.contains(&command.program()) && !is_interactive && (names || name == "REPLY" || name == "MAPFILE")
    };
    !name.is_empty() && before.into_iter().any(reads)
}

/// Programs that search for files.
const LISTERS: &[&str] = &["fd", "fdfind", "find", "gfind", "locate", "mdfind"];

/// Patterns of files that editors and compilers leave behind.
const LEFTOVERS: &[&str] = &["*.aux", "*.o", "*.orig", "*.pyc", "*.rej", "*.swo", "*.swp", "*.tmp", "*~"];

/// Returns whether `ls` only lists such files.
fn lists_leftovers(command: &Command) -> bool {
    let mut operands = command.argv.iter().skip(1).filter(|word| !word.text.starts_with('-')).peekable();
    let is_leftover = |text: &str| LEFTOVERS.contains(&text.rsplit('/').next().unwrap_or_default());
    operands.peek().is_some() && operands.all(|word| word.glob && is_leftover(&word.text))
}

/// Returns whether the operand is the variable of a loop over another program's search results: `find . | while read f;
/// do ... "$f"; done`.
pub(crate) fn is_found(run: &Run<'_>, operand: &Operand<'_>) -> bool {
    let name = operand.text.trim_start_matches("${").trim_start_matches('$').trim_end_matches('}');
    let is_whole = operand.text.starts_with('$')
        && !name.is_empty()
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    let in_loop = run.command.position.within.iter().any(|place| place == "loop");
    let lists = |command: &&Command| {
        let says = |word: &str| command.argv.iter().any(|given| given.text == word);
        let is_taken = command.position.length > 1
            || command.position.within.last().is_some_and(|place| place == "substitution" || place == "process");
        let is_lister = match command.program() {
            "git" => command.word(1) == "ls-files",
            "grep" | "rg" => says("-l") || says("-rl") || says("--files") || says("--files-with-matches"),
            "ls" => !lists_leftovers(command),
            program => LISTERS.contains(&program),
        };
        is_taken && is_lister
    };
    operand.dynamic && is_whole && in_loop && run.commands.iter().take(MOST).any(|command| lists(&command))
}
