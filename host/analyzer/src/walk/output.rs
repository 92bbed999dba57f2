//! The input of a command and its known output, so that `echo TEXT | sh` can be followed.
//!
//! Examines one command at a time, independently of the walk.

use guard_sdk::syntax::{Command, Redirection, Word};

use super::echo::{ECHO_DIALECTS, EchoDialect, echo, printf};
use crate::base64;
use crate::limits;
use crate::parse::tree::Range;
use crate::programs;
use crate::word::expand::{self, Values};
use crate::word::{self, Mode};

/// The standard input of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Input {
    /// The input of the whole text.
    Outer,
    /// Unknown text from a pipe.
    Pipe,
    /// Unknown text from the stages of this pipeline before this index.
    Stage(u32, u32),
    /// This text from a pipe.
    Piped(Word),
    /// A here-document or a here-string.
    Here(Word),
    File,
}

impl Input {
    /// Returns the text, if it is completely known.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Input::Piped(word) | Input::Here(word) if !word.dynamic => Some(&word.text),
            _ => None,
        }
    }

    /// Returns the same kind of input, with unknown text.
    pub(super) fn unknown(&self) -> Input {
        match self {
            Input::Piped(_) | Input::Here(_) => Input::Pipe,
            other => other.clone(),
        }
    }
}

/// Returns the text of a here-document or a here-string.
pub(super) fn here(redirection: &Redirection, values: &dyn Values) -> Input {
    match redirection.operator.as_str() {
        "<<<" => Input::Here(redirection.target.clone()),
        _ if redirection.body_quoted => Input::Here(expand::literal(&redirection.body)),
        _ => {
            let range = Range { start: 0, end: redirection.body.len() };
            let pieces = word::read(&redirection.body, range, Mode::Quoted).pieces;
            Input::Here(expand::word(pieces, values))
        }
    }
}

/// Returns whether a redirection diverts standard output.
pub(super) fn takes_output(redirection: &Redirection) -> bool {
    matches!(redirection.fd, 1 | -1)
}

/// Returns the text that `command` writes to its standard output, regardless of its destination, if its words determine
/// it.
pub(super) fn of(command: &Command, input: &Input, echo_dialect: EchoDialect) -> Input {
    let plain = command.argv.iter().all(|word| !word.dynamic && !word.glob);
    let words = command.argv.get(1..).unwrap_or_default();
    let read = match input {
        Input::Piped(word) | Input::Here(word) => Some(word),
        _ => None,
    };
    let text = match command.program() {
        "echo" if !plain && words.iter().all(|word| !word.glob) => return spelled_out(words),
        _ if !plain => None,
        "echo" => Some(echo(words, echo_dialect)),
        "printf" => printf(words, echo_dialect),
        "tee" => return read.cloned().map_or(Input::Pipe, Input::Piped),
        "cat" if words.iter().all(|word| word.text.starts_with('-')) => {
            return read.cloned().map_or(Input::Pipe, Input::Piped);
        }
        "rev" if words.is_empty() => read.filter(|word| !word.dynamic).map(|word| reversed(&word.text)),
        "command" | "type" => match words {
            [option, name] if matches!(option.text.as_str(), "-v" | "-P" | "-p") => Some(installed(&name.text)),
            _ => None,
        },
        "mktemp" => programs::temporary::name(words),
        "realpath" => absolute(command, words),
        "readlink" if words.iter().any(|word| matches!(word.text.as_str(), "-f" | "-e" | "-m")) => {
            absolute(command, words)
        }
        "dirname" | "basename" => part_of_path(command.program(), words),
        "which" if words.len() == 1 => words.first().map(|word| installed(&word.text)),
        "base64" if words.iter().any(|word| matches!(word.text.as_str(), "-d" | "-D" | "--decode")) => {
            read.filter(|word| !word.dynamic).and_then(|word| String::from_utf8(base64::decode(&word.text)?).ok())
        }
        _ => None,
    };
    text.filter(|text| text.len() <= limits::SOURCE).map_or(Input::Pipe, |text| Input::Piped(expand::literal(&text)))
}

/// Returns the last operand as an absolute path.
fn absolute(command: &Command, words: &[Word]) -> Option<String> {
    let path = words.last().filter(|word| !word.text.starts_with('-'))?;
    super::shell::resolve(&command.cwd, &path.text).filter(|path| path.starts_with('/'))
}

/// Returns whether a command's output depends on the shell whose builtin prints it.
pub(super) fn depends_on_speaker(command: &Command) -> bool {
    let words = command.argv.get(1..).unwrap_or_default();
    if !words.iter().any(|word| word.text.contains('\\')) || words.iter().any(|word| word.dynamic || word.glob) {
        return false;
    }
    let by = |echo_dialect: &EchoDialect| match command.program() {
        "echo" => Some(echo(words, *echo_dialect)),
        "printf" => printf(words, *echo_dialect),
        _ => None,
    };
    ECHO_DIALECTS.windows(2).any(|pair| pair.first().map(by) != pair.last().map(by))
}

/// Returns the usual path of a program. As a command's name, the folder has no effect, but as an operand it has.
pub(super) fn installed(name: &str) -> String {
    if name.contains('/') { name.to_owned() } else { format!("/usr/bin/{name}") }
}

/// Returns the output of `dirname` or `basename` for one path.
fn part_of_path(program: &str, words: &[Word]) -> Option<String> {
    let [path] = words else { return None };
    let path = path.text.as_str();
    let trimmed = path.trim_end_matches('/');
    if path.starts_with('-') || trimmed.is_empty() {
        return None;
    }
    let (folder, name) = trimmed.rsplit_once('/').unwrap_or((".", trimmed));
    let folder = folder.trim_end_matches('/');
    Some(
        match program {
            "basename" => name,
            _ if folder.is_empty() => "/",
            _ => folder,
        }
        .to_owned(),
    )
}

fn reversed(text: &str) -> String {
    text.lines().map(|line| line.chars().rev().collect::<String>()).collect::<Vec<_>>().join("\n")
}

/// Returns the output of `echo` for words with parts that are only known at run time.
fn spelled_out(words: &[Word]) -> Input {
    let options = words.iter().take_while(|word| matches!(word.text.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en"));
    let words = words.get(options.count()..).unwrap_or_default();
    Input::Piped(crate::wrappers::layer::joined(words))
}
