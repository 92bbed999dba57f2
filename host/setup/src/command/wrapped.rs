//! The script that a shell line starts behind other words, as in `timeout 5 bash SCRIPT || true`.

use std::collections::BTreeSet;

use guard_contract::paths::lexical;

use super::{INTERPRETERS, ProgramNames, RUNNERS, SHELLS, file_name, is_name, words};

/// Programs that start the command in their arguments.
const WRAPPERS: &[&str] = &["command", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "time", "timeout"];

/// Options of wrappers and of interpreters whose value is the next word.
const WRAPPER_VALUES: &[&str] = &["-a", "-k", "-n", "-s", "-u"];
const INTERPRETER_VALUES: &[&str] = &["-o"];

/// Programs that do nothing without the script.
const HARMLESS: &[&str] = &[":", "cat", "echo", "exit", "false", "printf", "set", "test", "true"];

/// Words before a command of a list.
const KEYWORDS: &[&str] = &["if ", "then ", "else ", "! ", "{ ", "( "];

/// Words that end a list.
const ENDS: &[&str] = &["fi", "}", ")"];

/// The maximum depth of `sh -c`.
const DEPTH: usize = 4;

/// Returns the script that a line starts. `None` if the line starts several, or does more than that.
pub(super) fn script(line: &str, names: &ProgramNames) -> Option<String> {
    let mut found = Scripts { names, paths: BTreeSet::new(), has_others: false };
    found.read(line, &names.project.to_string_lossy(), DEPTH);
    let is_one = found.paths.len() == 1 && !found.has_others;
    found.paths.pop_first().filter(|_| is_one)
}

/// The scripts of a line.
struct Scripts<'a> {
    names: &'a ProgramNames,
    paths: BTreeSet<String>,
    /// Whether the line runs commands that aren't scripts, or isn't understood.
    has_others: bool,
}

impl Scripts<'_> {
    fn read(&mut self, line: &str, folder: &str, depth: usize) {
        let mut folder = folder.to_owned();
        for (command, operator) in commands(line) {
            let mut command = command.trim();
            while let Some(rest) = KEYWORDS.iter().find_map(|keyword| command.strip_prefix(keyword)) {
                command = rest.trim_start();
            }
            let is_test = ["[ ", "[[ "].iter().any(|test| command.starts_with(test));
            if command.is_empty() || is_test || ENDS.contains(&command) {
                continue;
            }
            match words(&without_redirections(command)).as_deref() {
                Some([cd, path]) if cd == "cd" && matches!(operator, "&&" | ";" | "\n") => {
                    folder = lexical(&self.names.expand(path), &folder, &self.names.home);
                }
                Some(words) => self.read_words(words, &folder, depth),
                None => self.has_others = true,
            }
        }
    }

    fn read_words(&mut self, words: &[String], folder: &str, depth: usize) {
        let mut rest = words;
        let (program, arguments) = loop {
            let [first, more @ ..] = rest else { return };
            let is_assignment = first.split_once('=').is_some_and(|(name, _)| is_name(name));
            rest = match more {
                _ if is_assignment => more,
                _ if WRAPPERS.contains(&file_name(first)) => without_options(more, WRAPPER_VALUES),
                [run, more @ ..] if RUNNERS.contains(&file_name(first)) && run == "run" => {
                    without_options(more, WRAPPER_VALUES)
                }
                _ => break (first, more),
            };
        };
        let name = file_name(program);
        let is_shell = SHELLS.contains(&name);
        let path = match arguments {
            _ if HARMLESS.contains(&name) => return,
            [flags, text, ..] if is_shell && flags.starts_with('-') && flags.ends_with('c') => {
                return match depth.checked_sub(1) {
                    Some(depth) => self.read(text, folder, depth),
                    None => self.has_others = true,
                };
            }
            // A module of Python.
            [flag, ..] if flag == "-m" => None,
            _ if INTERPRETERS.contains(&name) || matches!(name, "." | "source") => {
                without_options(arguments, INTERPRETER_VALUES).first()
            }
            _ => Some(program),
        };
        let path = path.map(|path| self.names.expand(path)).filter(|path| path.contains('/') && !path.contains('$'));
        match path {
            Some(path) => {
                self.paths.insert(lexical(&path, folder, &self.names.home));
            }
            None => self.has_others = true,
        }
    }
}

/// Returns the words after the options and numbers of a program that starts another one.
fn without_options<'w>(words: &'w [String], values: &[&str]) -> &'w [String] {
    let mut rest = words;
    while let [first, more @ ..] = rest {
        let is_time = first.trim_end_matches(['s', 'm', 'h', 'd']).parse::<f64>().is_ok();
        rest = match more {
            [_, more @ ..] if values.contains(&first.as_str()) => more,
            _ if first.starts_with('-') || is_time => more,
            _ => break,
        };
    }
    rest
}

/// Splits a line into its commands, each with the operator behind it.
fn commands(line: &str) -> Vec<(&str, &str)> {
    let (mut found, mut start, mut quote) = (Vec::new(), 0, None);
    let mut chars = line.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match (quote, c) {
            (None | Some('"'), '\\') => {
                chars.next();
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            // `2>&1`, `&>FILE` and `>|FILE`
            (None, '&' | '|') if matches!(before, '>' | '<') || c == '&' && next == Some('>') => {}
            (None, '&' | '|' | ';' | '\n') => {
                let is_double = next == Some(c) || (c, next) == ('|', Some('&'));
                let end = at + if is_double { 2 } else { 1 };
                if is_double {
                    chars.next();
                }
                found.push((line.get(start..at).unwrap_or_default(), line.get(at..end).unwrap_or_default()));
                start = end;
            }
            _ => {}
        }
        before = c;
    }
    found.push((line.get(start..).unwrap_or_default(), ""));
    found
}

/// Returns the command without `2>/dev/null` and the like.
fn without_redirections(command: &str) -> String {
    let mut kept = Vec::new();
    let mut tokens = command.split(' ');
    while let Some(token) = tokens.next() {
        let rest = token.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        match rest.trim_start_matches(['>', '<', '&', '|']) {
            // The file is the next word.
            "" if rest.starts_with(['>', '<']) => {
                tokens.next();
            }
            _ if rest.starts_with(['>', '<']) => {}
            _ => kept.push(token),
        }
    }
    kept.join(" ")
}
