//! Names that a search in the same text passes to a command whose operand is only known at run time.

use guard_sdk::syntax::{Command, Word};

use super::Run;
use crate::options::{Operand, parse};
use crate::programs::find;
use crate::programs::placeholder_operands::{self, FD};
use crate::programs::text::sweep;

/// The maximum number of examined searches, and of names in one.
const SEARCHES: usize = 64;
const NAMES: usize = 32;

/// The maximum number of examined earlier commands.
const BEFORE: usize = 256;

/// A name of files that a search supplies.
pub(super) struct SearchedName {
    /// The name, or a pattern.
    pub(super) text: String,
    /// The folder that is searched, unless it is the working directory.
    pub(super) start: Option<String>,
    /// Patterns of names that the search leaves out.
    pub(super) except: Vec<String>,
    /// The tag of the effect: `searched`, or `swept` if the search finds existing files by their content.
    pub(super) tag: &'static str,
}

/// Returns the names of files that a search supplies as the operand.
pub(super) fn behind(run: &Run<'_>, operand: &Operand<'_>) -> Vec<SearchedName> {
    let named = |text: String| SearchedName { text, start: None, except: Vec::new(), tag: "searched" };
    let mut found: Vec<SearchedName> = with_defaults(&operand.text).into_iter().map(named).collect();
    // `fd` also finds other names than the one in the placeholder.
    let is_fd = |command: &&Command| matches!(command.program(), "fd" | "fdfind");
    let suppliers = if run.is_placeholder(operand) {
        run.suppliers(operand)
    } else if placeholder_operands::is_selected(operand) {
        run.before().filter(|_| run.is_via("xargs")).filter(is_fd).into_iter().collect()
    } else {
        suppliers(run, operand)
    };
    let except: Vec<String> = suppliers.iter().flat_map(|command| excluded(command)).take(NAMES).collect();
    for command in &suppliers {
        let mut selected = Vec::new();
        names(command, &mut selected);
        let start = start(command);
        found.extend(selected.into_iter().map(|text| SearchedName {
            start: start.clone(),
            except: except.clone(),
            ..named(text)
        }));
        let is_grep = matches!(command.program(), "ag" | "egrep" | "fgrep" | "ggrep" | "grep" | "rg" | "ugrep");
        if is_grep && sweep::lists_settings(command) {
            found.push(SearchedName { tag: "swept", ..named(".env".to_owned()) });
        }
        let is_behind = |next: &&Command| {
            next.position.pipeline == command.position.pipeline && next.position.index > command.position.index
        };
        let parent = usize::try_from(command.parent).ok().and_then(|id| run.commands.get(id.checked_sub(1)?));
        let is_list = parent.is_none_or(|parent| parent.argv.is_empty() || parent.id == run.command.id);
        if is_list && shows_hidden(command) && !suppliers.iter().any(is_behind) {
            found.push(named(".*".to_owned()));
        }
    }
    found.truncate(NAMES);
    found
}

/// Returns the patterns of names that the searches leave out that supply a command's operands: `find ! -name NAME -exec`.
pub(super) fn left_out(run: &Run<'_>) -> Vec<String> {
    if !run.is_via("find-exec") && !run.is_via("xargs") {
        return Vec::new();
    }
    let position = &run.command.position;
    let parent = usize::try_from(run.command.parent).ok().and_then(|id| run.commands.get(id.checked_sub(1)?));
    let stages = run.pipelines.stages(run.commands, position.pipeline, position.index);
    parent.into_iter().chain(stages).take(SEARCHES).flat_map(excluded).take(NAMES).collect()
}

/// Returns the patterns of names that a search leaves out: `find ! -name NAME`, `grep -v TEXT`, hidden files for `fd`.
fn excluded(command: &Command) -> Vec<String> {
    let words = command.argv.get(1..).unwrap_or_default();
    match command.program() {
        "find" | "gfind" => {
            let negated = words.windows(3).filter_map(|words| match words {
                [not, test, name] if matches!(not.text.as_str(), "!" | "-not") && test.text.ends_with("name") => {
                    Some(name.text.clone())
                }
                _ => None,
            });
            negated.collect()
        }
        "fd" | "fdfind" => {
            let parsed = parse(words, FD, false);
            let is_hidden = parsed.is("Hu", "hidden") || parsed.is("", "unrestricted");
            if is_hidden { Vec::new() } else { vec![".*".to_owned()] }
        }
        "grep" | "egrep" | "fgrep" | "rg" if inverts(words) => {
            let text = words.iter().find(|word| !word.text.starts_with('-'));
            text.into_iter().flat_map(|text| matching(&text.text)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns whether an option of `grep` selects the lines that don't match.
fn inverts(words: &[Word]) -> bool {
    words.iter().any(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('v'))
}

/// Returns the folder that `find` searches, unless it searches the working directory.
fn start(command: &Command) -> Option<String> {
    let mut starts = find::starts(command.argv.get(1..)?).filter(|_| command.program().ends_with("find"));
    let first = starts.next()?;
    let is_here = |word: &Word| matches!(word.text.as_str(), "." | "./");
    (!is_here(first) && !starts.any(is_here)).then(|| first.text.clone())
}

/// Returns the commands whose output may be the operand.
pub(super) fn suppliers<'a>(run: &Run<'a>, operand: &Operand<'_>) -> Vec<&'a Command> {
    if operand.word.parts.iter().any(|part| part.kind == "command") {
        return run.pipelines.children(run.commands, run.command.id).take(SEARCHES).collect();
    }
    let in_loop = run.command.position.within.iter().any(|place| place == "loop");
    let place = usize::try_from(run.command.id).map_or(0, |id| id.saturating_sub(1));
    let before = run.commands.get(..place).unwrap_or_default().iter().rev().take(BEFORE);
    let supplies = |command: &&Command| is_captured(command) || in_loop && command.position.length > 1;
    before.filter(supplies).take(SEARCHES).collect()
}

/// Returns whether the operand may be any file of the working directory, including hidden ones, through another
/// program's list: `ls -A | xargs cat`, `find . -type f -exec cat {} +`.
pub(crate) fn are_hidden_listed(run: &Run<'_>, operand: &Operand<'_>) -> bool {
    let is_given = run.is_via("find-exec") || run.is_via("xargs");
    if !is_given && !operand.dynamic {
        return false;
    }
    let parent = usize::try_from(run.command.parent).ok().and_then(|id| id.checked_sub(1));
    let parent = parent.and_then(|place| run.commands.get(place)).filter(|_| run.is_via("find-exec"));
    let position = &run.command.position;
    let suppliers: Vec<&Command> = match parent {
        Some(parent) => vec![parent],
        None if is_given => {
            run.pipelines.stages(run.commands, position.pipeline, position.index).take(SEARCHES).collect()
        }
        None => suppliers(run, operand),
    };
    let narrows =
        |command: &&Command| matches!(command.program(), "grep" | "egrep" | "rg" | "awk" | "sed" | "head" | "tail");
    suppliers.iter().any(|command| shows_hidden(command)) && !suppliers.iter().any(narrows)
}

/// Returns whether a command lists all files of the working directory, including hidden ones.
fn shows_hidden(command: &Command) -> bool {
    let words = command.argv.get(1..).unwrap_or_default();
    let operands = || words.iter().map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
    let letters = |wanted: &[char]| {
        words
            .iter()
            .any(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(wanted))
    };
    let has = |options: &[&str]| words.iter().any(|word| options.contains(&word.text.as_str()));
    let is_here = || operands().all(|root| matches!(root, "." | "./"));
    match command.program() {
        "ls" | "gls" => is_here() && (letters(&['a', 'A']) || has(&["--all", "--almost-all"])),
        "git" => {
            let ignored = letters(&['i']) || has(&["--ignored"]);
            let excludes = has(&["--exclude-standard"]) && !ignored;
            operands().eq(["ls-files"]) && (letters(&['o']) || has(&["--others"])) && !excludes
        }
        "find" | "gfind" => takes_all(words),
        "fd" | "fdfind" => {
            let found = placeholder_operands::found(command).unwrap_or_default();
            let is_all = found.first().is_some_and(|name| name.text == "./*");
            is_all && (letters(&['H', 'u']) || has(&["--hidden", "--unrestricted"]))
        }
        _ => false,
    }
}

/// Returns whether the tests of a `find` in the working directory exclude at most some files.
fn takes_all(words: &[Word]) -> bool {
    let text = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", |word| word.text.as_str());
    let narrows = |(at, word): (usize, &Word)| {
        let is_negated = matches!(text(at.checked_sub(1)), "!" | "-not") || text(at.checked_add(2)) == "-prune";
        let pattern = text(at.checked_add(1));
        if is_negated && (pattern == ".*" || pattern.starts_with(".env") || pattern.ends_with("/.*")) {
            return true;
        }
        let folders = word.text == "-type" && text(at.checked_add(1)) == "d";
        folders || find::is_filtered(std::slice::from_ref(word)) && !is_negated
    };
    find::starts(words).all(|start| matches!(start.text.as_str(), "." | "./")) && !words.iter().enumerate().any(narrows)
}

/// Returns whether the command's output is captured.
fn is_captured(command: &Command) -> bool {
    command.position.within.last().is_some_and(|place| place == "substitution" || place == "process")
}

/// Returns the operand with the default values of `${NAME:-VALUE}` parts, for unset variables. `None` without such a
/// part.
fn with_defaults(text: &str) -> Option<String> {
    let mut spelled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        let (inner, after) = behind.split_once('}')?;
        let (name, value) = inner.split_once(['-', '='])?;
        if !name.trim_end_matches(':').chars().all(|char| char.is_ascii_alphanumeric() || char == '_') {
            return None;
        }
        spelled.push_str(before);
        spelled.push_str(value);
        rest = after;
    }
    spelled.push_str(rest);
    (spelled != text && !spelled.contains('$')).then_some(spelled)
}

/// Returns whether git prints file names selected by its operands.
fn names_files(command: &Command) -> bool {
    command.argv.iter().take(OPTIONS).any(|word| matches!(word.text.as_str(), "ls-files" | "check-ignore"))
}

/// The maximum number of words examined for git's verb.
const OPTIONS: usize = 8;

/// Adds the names that a search selects.
fn names(command: &Command, found: &mut Vec<String>) {
    let words = command.argv.get(1..).unwrap_or_default();
    let plain = |word: &&Word| !word.text.starts_with('-') && !word.dynamic;
    match command.program() {
        "find" | "gfind" => {
            let mut negated = false;
            for pair in words.windows(2) {
                let [option, name] = pair else { continue };
                match option.text.as_str() {
                    "!" | "-not" => negated = true,
                    "-name" | "-iname" | "-path" | "-ipath" | "-wholename" if !negated => found.push(name.text.clone()),
                    "-regex" | "-iregex" if !negated => found.push(pattern(&name.text)),
                    _ => negated = false,
                }
            }
        }
        "fd" | "fdfind" => {
            let parsed = parse(words, FD, false);
            let is_hidden = parsed.is("Hu", "hidden") || parsed.is("", "unrestricted");
            let text = parsed.operands.first().filter(|operand| !operand.dynamic).map_or("", |found| &*found.text);
            found.extend(matching(text).filter(|name| is_hidden || !name.starts_with('.')));
        }
        "awk" | "gawk" | "sed" if command.position.index > 0 => {
            let script = words.iter().find(plain).map_or("", |word| word.text.as_str());
            let expression = script.strip_prefix('/').and_then(|rest| rest.split_once('/'));
            found.extend(expression.into_iter().flat_map(|(text, _)| matching(text)));
        }
        "grep" | "egrep" | "fgrep" | "rg" if command.position.index > 0 => {
            if !inverts(words) {
                let text = words.iter().find(plain).map_or("", |word| word.text.as_str());
                found.extend(matching(text));
            }
        }
        "echo" | "printf" => found.extend(words.iter().filter(plain).map(|word| word.text.clone())),
        "git" if names_files(command) => {
            found.extend(words.iter().skip(1).filter(plain).map(|word| word.text.clone()));
        }
        _ => found.extend(printed_names(command).filter(plain).map(|word| word.text.clone())),
    }
}

/// Returns the operands whose names a program prints: `ls a b`, `wc -l a`, `grep -l text a`.
fn printed_names(command: &Command) -> impl Iterator<Item = &Word> {
    const PRINTERS: &[&str] = &[
        "b2sum",
        "cksum",
        "du",
        "file",
        "locate",
        "ls",
        "md5sum",
        "mdfind",
        "readlink",
        "realpath",
        "sha1sum",
        "sha224sum",
        "sha256sum",
        "sha384sum",
        "sha512sum",
        "shasum",
        "stat",
        "wc",
    ];
    let words = command.argv.get(1..).unwrap_or_default();
    let skipped = match command.program() {
        "grep" | "egrep" | "fgrep" | "ggrep" | "rg" | "ag" | "ack" | "ugrep" if lists_matching_files(words) => Some(1),
        program => PRINTERS.contains(&program).then_some(0),
    };
    let operands = words.iter().filter(|word| !word.text.starts_with('-'));
    operands.skip(skipped.unwrap_or(usize::MAX))
}

/// Returns whether an option of `grep` prints the names of files instead of their lines.
fn lists_matching_files(words: &[Word]) -> bool {
    let is_letter = |text: &str| !text.starts_with("--") && text.starts_with('-') && text.contains(['l', 'L']);
    words.iter().any(|word| is_letter(&word.text) || word.text.starts_with("--files-with"))
}

/// Returns the patterns of the names that a regular expression finds, including hidden ones, which a shell pattern
/// excludes.
fn matching(text: &str) -> impl Iterator<Item = String> {
    let is_plain = !text.is_empty() && text.chars().all(char::is_alphanumeric);
    [Some(pattern(text)), is_plain.then(|| format!(".{text}"))].into_iter().flatten().filter(move |_| !text.is_empty())
}

/// Converts the selection of a regular expression to a shell pattern.
fn pattern(text: &str) -> String {
    let begins = ["^", ".", "\\.", "/\\."].iter().any(|start| text.starts_with(start)) && !text.starts_with(".*");
    let ends = text.ends_with('$');
    let bare = text.trim_start_matches(['^', '/']).trim_end_matches('$').replace('\\', "").replace(".*", "*");
    format!("{}{bare}{}", if begins { "" } else { "*" }, if ends { "" } else { "*" })
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn a_regular_expression_becomes_a_pattern() {
        for (text, expected) in
            [("\\.env$", ".env"), ("env", "*env*"), ("^a.*b", "a*b*"), ("/\\.env", ".env*"), (".*x", "**x*")]
        {
            assert_eq!(pattern(text), expected);
        }
    }
}
