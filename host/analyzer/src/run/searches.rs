//! Names that a search in the same text gives to a command whose operand is known only at run time.

use guard_sdk::syntax::{Command, Word};

use super::Run;
use crate::options::Operand;

/// The most searches that are looked at, and the most names of one.
const SEARCHES: usize = 64;
const NAMES: usize = 32;

/// How many commands before are looked through.
const BEFORE: usize = 256;

/// The patterns by which searches select what the operand may name.
pub(super) fn behind(run: &Run<'_>, operand: &Operand<'_>) -> Vec<String> {
    let mut found = Vec::new();
    suppliers(run, operand).into_iter().for_each(|command| names(command, &mut found));
    found.truncate(NAMES);
    found
}

/// The commands whose output the operand may be.
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

/// Whether the text takes what the command prints.
fn is_captured(command: &Command) -> bool {
    command.position.within.last().is_some_and(|place| place == "substitution" || place == "process")
}

/// The names that a search selects.
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
        "fd" | "fdfind" => found.extend(words.iter().find(plain).map(|word| pattern(&word.text))),
        "grep" | "egrep" | "fgrep" | "rg" if command.position.index > 0 => {
            let inverts =
                |word: &Word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('v');
            if !words.iter().any(inverts) {
                let text = words.iter().find(plain).map_or("", |word| word.text.as_str());
                found.push(pattern(text));
                // What begins with a dot is found as well, where a pattern of the shell would not.
                if text.starts_with(char::is_alphanumeric) && text.chars().all(|char| char.is_alphanumeric()) {
                    found.push(format!(".{text}"));
                }
            }
        }
        "ls" | "echo" | "printf" | "realpath" | "readlink" | "locate" => {
            found.extend(words.iter().filter(plain).map(|word| word.text.clone()));
        }
        "git" if command.word(1) == "ls-files" => {
            found.extend(words.iter().skip(1).filter(plain).map(|word| word.text.clone()));
        }
        _ => {}
    }
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
