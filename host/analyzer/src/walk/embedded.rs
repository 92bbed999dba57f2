//! Commands in a program's words: an option's value, a string in code, or a line with a shell escape.
//!
//! These are only candidates. [`Walker::loses`](super::Walker::loses) selects the relevant ones.

use guard_sdk::syntax::Word;

use crate::programs;
use crate::word::expand::literal;
use crate::wrappers::code::languages::ANY;
use crate::wrappers::layer::Runnable;
use crate::wrappers::shells::is_shell;

/// The maximum number of words, signs in a word, and lines that are examined.
const MOST_WORDS: usize = 64;
const MOST_SIGNS: usize = 16;
const MOST_LINES: usize = 64;

/// The maximum number of candidates in one call.
const MOST: usize = 6;

/// The maximum length of an examined value, in bytes.
const LONGEST: usize = 4096;

/// Last parts of the names of options, settings and variables whose value becomes a command.
const RUNS: &[&str] = &[
    "askpass",
    "browser",
    "cmd",
    "command",
    "commands",
    "complete",
    "editor",
    "eval",
    "exec",
    "executable",
    "execute",
    "handler",
    "hook",
    "hooks",
    "launcher",
    "linker",
    "opener",
    "pager",
    "player",
    "prog",
    "program",
    "run",
    "runner",
    "script",
    "scripts",
    "shell",
    "terminal",
    "under",
    "viewer",
    "vettool",
    "wrapper",
    "rsh",
    "onerror",
    "onoutofmemoryerror",
];

/// Further ones for variables only.
const VARIABLES: &[&str] = &["ar", "cc", "cpp", "cxx", "install", "ld", "rm", "rustc", "rustdoc", "ssh"];

/// Names of options whose value is a text for people, a pattern, or data.
const MESSAGES: &[&str] = &[
    "annotation",
    "answer",
    "author",
    "b",
    "body",
    "caption",
    "comment",
    "content",
    "d",
    "data",
    "desc",
    "description",
    "detail",
    "example",
    "expect",
    "grep",
    "h",
    "header",
    "heading",
    "headline",
    "json",
    "label",
    "m",
    "match",
    "message",
    "msg",
    "n",
    "name",
    "note",
    "notes",
    "p",
    "pattern",
    "payload",
    "prompt",
    "query",
    "question",
    "reason",
    "regex",
    "regexp",
    "replace",
    "reply",
    "search",
    "subject",
    "summary",
    "t",
    "tag",
    "text",
    "title",
    "value",
];

/// Signs and words before a command that an interactive program passes to a shell.
const ESCAPES: &[&str] = &[
    "~!", "!", ":!", ".!", "\\!", "shell ", "system ", "sh ", "exec ", "@exec ", ".sy ", ".shell ", ".system ",
    ":shell ",
];

/// Operands that may be followed by a whole command in one word.
const BEFORE_COMMAND: &[&str] = &["call", "exec", "execute", "launch", "new", "run", "runcommand", "spawn", "start"];

/// Programs that lose something for any operand.
const LOSING: &[&str] =
    &["chmod", "chown", "dd", "dropdb", "find", "mkfs", "rm", "rmdir", "shred", "srm", "truncate", "wipefs"];

/// Names of options whose value is code.
const CODE: &[&str] = &["batch", "c", "code", "e", "eval", "exec", "expr", "g", "r"];

/// Calls in code that start programs.
const CALLS: &[&str] =
    &["call", "cmd", "exec", "execute", "popen", "process", "run", "runcommand", "shell", "spawn", "system", "unix"];

/// Returns the last part of an option's or setting's name, in lower case.
fn last_part(name: &str) -> String {
    name.rsplit(['-', '_', '.', ':']).next().unwrap_or(name).to_ascii_lowercase()
}

/// Returns whether the value of an option or setting with this name becomes a command.
pub(super) fn names_command(name: &str) -> bool {
    RUNS.contains(&last_part(name).as_str())
}

/// Returns whether some program runs the value of a variable with this name.
pub(super) fn variable_names_command(name: &str) -> bool {
    let last = last_part(name);
    RUNS.contains(&last.as_str()) || VARIABLES.contains(&last.as_str()) || last.ends_with("pager")
}

fn names_text(name: &str) -> bool {
    MESSAGES.contains(&last_part(name).as_str())
}

/// Returns whether a word is the name of a known program.
fn is_program(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word).to_ascii_lowercase();
    !name.is_empty() && (programs::is_known(&name) || is_shell(&name) || matches!(name.as_str(), "sudo" | "env"))
}

/// Returns the commands that a program may run. For a program with a description or its own code, only options whose
/// names indicate a command are considered.
pub(super) fn candidates(words: &[Word], input: Option<&str>, is_described: bool) -> Vec<Runnable> {
    let mut found = Vec::new();
    for (name, value) in values(words) {
        let is_variable = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        let counts = match is_described {
            true => names_command(name) || is_variable && variable_names_command(name) || name.starts_with("--on-"),
            false => !names_text(name),
        };
        if counts && value.len() <= LONGEST {
            let before = found.len();
            inside(value, &mut found);
            let is_code = || CODE.contains(&last_part(name).as_str()) && value.contains(['(', '[', '"', '\'']);
            if !is_described && found.len() == before && is_code() {
                let words = [ANY, "-e", value].map(literal).to_vec();
                found.push(Runnable::Words { assignments: Vec::new(), words });
            }
        }
    }
    if !is_described {
        operands(words, &mut found);
    }
    if let Some(input) = input.filter(|_| !is_described) {
        for line in input.lines().take(MOST_LINES).filter(|line| line.len() <= LONGEST) {
            of_line(line.trim(), &mut found);
        }
    }
    found.truncate(MOST);
    found
}

/// Adds the commands in operands: a losing program with its arguments, a call in code, a line with an escape.
fn operands(words: &[Word], found: &mut Vec<Runnable>) {
    let befores = std::iter::once("").chain(words.iter().map(|word| word.text.as_str()));
    for ((at, word), before) in words.iter().enumerate().zip(befores).take(MOST_WORDS) {
        let name = word.text.rsplit('/').next().unwrap_or_default();
        let behind = words.get(at..).unwrap_or_default();
        if LOSING.contains(&name) || name.starts_with("mkfs.") {
            if behind.len() > 1 {
                found.push(Runnable::Words { assignments: Vec::new(), words: behind.to_vec() });
            }
        } else if !before.starts_with('-') && !word.dynamic && word.text.contains(' ') && word.text.len() <= LONGEST {
            let is_command = BEFORE_COMMAND.contains(&before.to_ascii_lowercase().as_str());
            if is_command && is_program(first_word(&word.text)) {
                found.push(text(&word.text));
            }
            of_line(&word.text, found);
        }
    }
}

/// Returns the values of options and settings, each with its name.
fn values(words: &[Word]) -> impl Iterator<Item = (&str, &str)> {
    let befores = std::iter::once("").chain(words.iter().map(|word| word.text.as_str()));
    words.iter().zip(befores).take(MOST_WORDS).filter(|(word, _)| !word.dynamic).flat_map(|(word, before)| {
        let text = word.text.as_str();
        let is_option = text.starts_with('-');
        let pair = text.split_once('=').filter(|(name, _)| !name.contains(char::is_whitespace));
        let behind = !is_option && before.starts_with('-') && before.len() > 1 && !before.contains('=');
        let apart = behind.then_some((before, text));
        let plus = text.strip_prefix('+').map(|command| ("+", command));
        [pair, apart, plus].into_iter().flatten()
    })
}

/// Adds the commands in a value: all of it, or the text after a bracket or a quote.
fn inside(value: &str, found: &mut Vec<Runnable>) {
    let bare = value.trim_start_matches(['!', '|', ':', '+', '$', ' ', ';', '~']);
    let escaped = ["shell ", "exec ", "execute ", "spawn ", "system ", "run "].iter();
    let bare = escaped.fold(bare, |bare, verb| bare.strip_prefix(verb).unwrap_or(bare)).trim_start();
    if bare.contains(' ') && is_program(first_word(bare)) {
        found.push(text(bare));
        return;
    }
    for (at, sign) in value.char_indices().filter(|(_, sign)| "\"'`({[!|;<,".contains(*sign)).take(MOST_SIGNS) {
        let rest = value.get(at + sign.len_utf8()..).unwrap_or_default();
        found.extend(behind_sign(sign, rest));
        if found.len() >= MOST {
            return;
        }
    }
}

/// Returns the command after an opening sign.
fn behind_sign(sign: char, rest: &str) -> Option<Runnable> {
    let name = first_word(rest.trim_start());
    if !is_program(name) {
        return None;
    }
    let rest = rest.trim_start();
    let tail = rest.get(name.len()..)?;
    let close = match sign {
        '(' => ')',
        '{' => '}',
        '[' => ']',
        '"' | '\'' | '`' => sign,
        _ => '\n',
    };
    if matches!(sign, '"' | '\'') && tail.starts_with(sign) {
        // A list of strings.
        let listed = tail.get(1..)?;
        let words: Vec<Word> = listed.split(sign).skip(1).step_by(2).take(MOST_SIGNS).map(literal).collect();
        let words: Vec<Word> = std::iter::once(literal(name)).chain(words).collect();
        return (words.len() > 1).then_some(Runnable::Words { assignments: Vec::new(), words });
    }
    if sign == '{' && tail.starts_with(',') {
        let words = rest.split(close).next()?.split(',').take(MOST_SIGNS).map(literal).collect();
        return Some(Runnable::Words { assignments: Vec::new(), words });
    }
    let command = rest.split(close).next()?;
    (tail.starts_with([' ', '\t']) && command.len() > name.len()).then(|| text(command))
}

/// Adds the command in a line for an interactive program.
fn of_line(line: &str, found: &mut Vec<Runnable>) {
    let escape = ESCAPES.iter().find_map(|sign| line.strip_prefix(sign));
    if let Some(command) = escape.map(|command| command.trim().trim_matches(['"', '\''])) {
        if is_program(first_word(command)) {
            found.push(text(command));
        }
        return;
    }
    for (at, sign) in line.char_indices().filter(|(_, sign)| matches!(sign, '"' | '\'')).take(MOST_SIGNS) {
        let (before, rest) = line.split_at_checked(at).unwrap_or_default();
        let before = before.trim_end_matches([' ', '(', '[']);
        let start = before.rfind(|char: char| !char.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
        let call = before.get(start..).unwrap_or_default().to_ascii_lowercase();
        if CALLS.contains(&call.as_str()) {
            found.extend(behind_sign(sign, rest.get(1..).unwrap_or_default()));
        }
    }
}

fn first_word(text: &str) -> &str {
    let end = text.find(|char: char| !char.is_ascii_alphanumeric() && !"_-./".contains(char)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

fn text(command: &str) -> Runnable {
    Runnable::Text { text: literal(command), parameters: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &[&str], input: Option<&str>, is_described: bool) -> Vec<String> {
        let words: Vec<Word> = words.iter().map(|word| literal(word)).collect();
        let spell = |what: Runnable| match what {
            Runnable::Text { text, .. } => text.text,
            Runnable::Words { words, .. } => words.iter().map(|word| word.text.clone()).collect::<Vec<_>>().join(" "),
        };
        let mut found: Vec<String> = candidates(&words, input, is_described).into_iter().map(spell).collect();
        found.dedup();
        found
    }

    #[test]
    fn values_and_strings_hold_commands() {
        for words in [
            &["--on-exit", "rm a b"][..],
            &["--on-exit=rm a b"],
            &["-o", "opener=rm a b"],
            &["-Dapp.launcher=rm a b"],
            &["-e", "system(\"rm a b\")"],
            &["-e", "(exec 'rm a b')"],
            &["-e", "Run([\"rm\", \"a\", \"b\"])"],
            &["-x", "(call \"rm\" \"a\" \"b\")"],
            &["-E", "%(rm a b)"],
            &["-c", "!rm a b"],
            &["-c", "shell rm a b"],
            &["+!rm a b"],
            &["-s", "x={rm,a,b}"],
            &["exec rm a b"],
            &["!rm a b"],
            &["os.execute('rm a b')"],
            &["x", "runCommand", "rm a b"],
            &["--flag", "x", "rm", "a", "b"],
        ] {
            assert_eq!(found(words, None, false), ["rm a b"], "{words:?}");
        }
        for line in ["!rm a b", "~!rm a b", ":!rm a b", "shell rm a b", "@exec \"rm a b\"", "x; system('rm a b')"] {
            assert_eq!(found(&[], Some(line), false), ["rm a b"], "{line}");
            assert!(found(&[], Some(line), true).is_empty(), "{line}");
        }
    }

    #[test]
    fn texts_and_data_hold_none() {
        for words in [
            &["--message", "rm a b"][..],
            &["-m", "rm a b"],
            &["--title=rm a b"],
            &["rm a b"],
            &["-e", "a b"],
            &["--out", "rm"],
            &["-x", "the rm command"],
        ] {
            assert!(found(words, None, false).is_empty(), "{words:?}");
        }
        for line in ["rm a b", "run the rm command", "print('rm a b')", "# !rm a b"] {
            assert!(found(&[], Some(line), false).is_empty(), "{line}");
        }
        for words in [&["-e", "rm a b"][..], &["--grep=rm a b"]] {
            assert!(found(words, None, true).is_empty(), "{words:?}");
        }
        assert_eq!(found(&["--post-hook", "rm a b"], None, true), ["rm a b"]);
    }

    #[test]
    fn long_values_cost_little() {
        let long = "(rm ".repeat(5_000);
        assert!(found(&["-e", &long], Some(&long), false).is_empty());
    }
}
