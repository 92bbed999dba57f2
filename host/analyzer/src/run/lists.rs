//! Lists of names that aren't in the text: files from which `xargs`, a substitution or a loop reads them.

use guard_sdk::syntax::{Command, Part};

use super::Run;
use crate::options::Operand;
use crate::programs::placeholder_operands;

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

/// Returns whether a command prints the names of files.
fn prints_names(command: &Command) -> bool {
    let says = |word: &str| command.argv.iter().any(|given| given.text == word);
    match command.program() {
        "git" => command.word(1) == "ls-files",
        "grep" | "rg" => says("-l") || says("-rl") || says("--files") || says("--files-with-matches"),
        "ls" => !lists_leftovers(command),
        program => LISTERS.contains(&program),
    }
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
        let is_taken = command.position.length > 1
            || command.position.within.last().is_some_and(|place| place == "substitution" || place == "process");
        is_taken && prints_names(command)
    };
    operand.dynamic && is_whole && in_loop && run.commands.iter().take(MOST).any(|command| lists(&command))
}

/// Programs that repeat a command with names from their input or their search.
const REPEATERS: &[&str] = &["find-exec", "parallel", "xargs"];

/// Returns the pattern of an operand that means another file in each repetition, or a list of files, if the names are
/// only known at run time: `notes/*` for `notes/{}` and `notes/$f`.
pub(crate) fn unknown_names(run: &Run<'_>, operand: &Operand<'_>) -> Option<String> {
    let is_command = |part: &&Part| part.kind == "command" && !part.quoted;
    if operand.word.parts.iter().any(|part| is_command(&part)) {
        let before = operand.word.parts.iter().take_while(|part| !is_command(part));
        let folder: String = before.map(|part| part.text.as_str()).collect();
        let is_last = operand.word.parts.last().is_some_and(|part| !part.text.contains('/') || is_command(&part));
        let found = run.pipelines.children(run.commands, run.command.id).next().and_then(placeholder_operands::found);
        let name = match found.as_deref() {
            Some([name]) => name.text.trim_start_matches("./").replace(".*", "*"),
            _ => format!("{folder}*"),
        };
        return (is_last && is_list(run)).then_some(name);
    }
    let (pattern, first) = pattern_of(&operand.text)?;
    let is_array = operand.text.ends_with("[@]}") || operand.text.ends_with("[*]}");
    let via = run.command.via.iter().any(|via| REPEATERS.contains(&via.kind.as_str()));
    let is_positional = first.starts_with(|char: char| char.is_ascii_digit() || matches!(char, '@' | '*'));
    if is_array || via && (is_positional || operand.text.contains('{') && !operand.text.contains("${")) {
        return Some(pattern);
    }
    let leaves = |command: &Command| command.program() == "ls" && lists_leftovers(command);
    if run.commands.iter().take(MOST).any(leaves) {
        return None;
    }
    let in_loop = operand.dynamic && run.command.position.within.iter().any(|place| place == "loop");
    // Names in capitals are usually those of the environment, which a loop doesn't set.
    let is_own = !pattern.starts_with('*')
        || first.starts_with(|char: char| char.is_ascii_lowercase() || char == '_')
        || is_read(run, operand)
        || is_in_turn(run, operand);
    (in_loop && is_own).then_some(pattern)
}

/// Returns whether a substitution in the command's words prints a list, and not only one line of it.
fn is_list(run: &Run<'_>) -> bool {
    let stages = || run.pipelines.children(run.commands, run.command.id).take(MOST);
    let one = ["-1", "-n1", "1"];
    let is_one = |stage: &Command| {
        matches!(stage.program(), "head" | "tail") && stage.argv.iter().any(|word| one.contains(&word.text.as_str()))
    };
    stages().any(|stage| is_of_file(stage) || prints_names(stage)) && !stages().any(is_one)
}

/// Returns an operand's text with `*` for each unknown part, and the first of these parts without its marks. `None` if
/// there is none.
fn pattern_of(text: &str) -> Option<(String, &str)> {
    let mut pattern = String::new();
    let mut first = None;
    let mut rest = text;
    while let Some(at) = rest.find(['$', '{']) {
        let (before, behind) = rest.split_at_checked(at)?;
        let inner = behind.trim_start_matches('$');
        if inner.starts_with('(') {
            // The end of a substitution isn't examined.
            pattern.push_str(before);
            pattern.push('*');
            return Some((pattern, first.unwrap_or(inner)));
        }
        let end = match inner.strip_prefix('{') {
            Some(braced) => braced.find('}')?.saturating_add(1),
            None => {
                let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
                let is_digit = inner.starts_with(|char: char| !is_name(char) || char.is_ascii_digit());
                let one = usize::from(!inner.is_empty());
                if is_digit { one } else { inner.find(|char: char| !is_name(char)).unwrap_or(inner.len()) }
            }
        };
        let closing = usize::from(inner.starts_with('{'));
        let (part, after) = inner.split_at_checked(end.saturating_add(closing).min(inner.len()))?;
        pattern.push_str(before);
        pattern.push('*');
        first.get_or_insert(part.trim_start_matches('{'));
        rest = after;
    }
    pattern.push_str(rest);
    first.map(|first| (pattern, first))
}

#[cfg(test)]
mod tests {
    use super::pattern_of;

    #[test]
    fn unknown_parts_become_stars() {
        for (text, expected) in [
            ("notes/{}", "notes/*"),
            ("notes/$f.md", "notes/*.md"),
            ("${f%.c}.o", "*.o"),
            ("a-$1b", "a-*b"),
            ("$d/{/.}.md", "*/*.md"),
            ("notes/$(basename $f).md", "notes/*"),
        ] {
            assert_eq!(pattern_of(text).map(|(pattern, _)| pattern).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(pattern_of("notes/a"), None);
    }
}
