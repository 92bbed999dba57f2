//! [`Layer`]: the commands and texts that a wrapper runs.

use guard_sdk::paths::last_name;
use guard_sdk::syntax::{Assignment, Part, Via, Word};

use super::sandbox::Sandbox;
use crate::options::Options;
use crate::word::expand::literal;
use crate::word::is_name;

/// A wrapper's own command, and everything that it runs.
#[derive(Debug)]
pub(crate) struct Layer {
    /// The part that is also listed as a command.
    pub(crate) outer: Option<Vec<Word>>,
    pub(crate) runs: Vec<Run>,
}

/// One command or text that a wrapper runs.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) via: Via,
    pub(crate) what: Runnable,
    pub(crate) place: Place,
    /// False if an option was only known at run time, so that the rest is a guess.
    pub(crate) certain: bool,
    /// The placeholder that the wrapper replaces in the words, such as `{}`.
    pub(crate) mark: Option<String>,
}

/// The command or text of a [`Run`].
#[derive(Debug)]
pub(crate) enum Runnable {
    /// A program and its arguments.
    Words { assignments: Vec<Assignment>, words: Vec<Word> },
    /// A text that becomes shell, with its parameters, starting with `$0`.
    Text { text: Word, parameters: Option<Vec<Word>> },
}

/// Where a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the current shell, whose state it changes.
    Here,
    /// In a separate process.
    Apart,
    /// In a process with this working directory.
    Directory(Word),
    /// In unknown directories.
    Unknown,
    /// On another machine, or in an unknown container.
    Remote,
    /// In a container, or with a separate file system.
    Sandbox(Box<Sandbox>),
    /// In the home of this user on this machine, as after a login. Empty for the calling user.
    Login(String),
    /// Among the processes outside the container, if it can see them.
    Outside,
}

impl Place {
    /// Returns whether the wrapper's input goes to a process elsewhere.
    pub(crate) fn is_handed_on(&self) -> bool {
        matches!(self, Place::Remote | Place::Sandbox(_) | Place::Login(_))
    }
}

/// The kind of wrapper whose commands no longer run in a container's file system.
pub(crate) const OUTSIDE: &str = "nsenter-host";

/// Returns where a command runs after these wrappers: `ssh`, `container`, or empty for this machine.
pub(crate) fn place_of(via: &[Via]) -> &'static str {
    let place = via.iter().rev().find_map(|via| match via.kind.as_str() {
        "ssh" => Some("ssh"),
        "container" => Some("container"),
        OUTSIDE => Some(""),
        _ => None,
    });
    place.unwrap_or_default()
}

/// Creates the options of a wrapper that take a value: letters and long names, which may be abbreviated.
pub(super) const fn takes(short: &'static str, long: &'static str) -> Options {
    Options::leading(short, long)
}

impl Layer {
    /// Creates a layer with one run and no outer command.
    pub(crate) fn one(kind: &str, detail: &str, what: Runnable, place: Place) -> Layer {
        let via = Via { kind: kind.to_owned(), detail: detail.to_owned() };
        Layer { outer: None, runs: vec![Run { via, what, place, certain: true, mark: None }] }
    }
}

/// Returns the name of a command's program, without its folder.
pub(crate) fn program(argv: &[Word]) -> Option<&str> {
    Some(last_name(&argv.first()?.text))
}

/// Joins words with spaces, like `eval` and `ssh`.
pub(crate) fn joined(words: &[Word]) -> Word {
    let mut result = literal("");
    result.parts.clear();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            result.text.push(' ');
            result.parts.extend(literal(" ").parts);
        }
        result.text.push_str(&word.text);
        result.parts.extend(word.parts.iter().cloned());
        result.dynamic |= word.dynamic;
        result.quoted |= word.quoted;
        result.glob |= word.glob;
    }
    result
}

/// Splits off leading `NAME=value` words, and words that read such a file.
pub(super) fn assignments(words: &[Word]) -> (Vec<Assignment>, &[Word]) {
    let mut found = Vec::new();
    let mut rest = words;
    while let Some((first, tail)) = rest.split_first() {
        if !tail.is_empty() && is_file_of_variables(first) {
            rest = tail;
            continue;
        }
        let Some((name, value)) = first.text.split_once('=') else { break };
        // An exported shell function has a special name.
        if !is_name(name) && !name.starts_with("BASH_FUNC_") {
            break;
        }
        let mut word = first.clone();
        word.text = value.to_owned();
        if let Some(part) = word.parts.first_mut() {
            part.text = part.text.split_once('=').map_or_else(String::new, |(_, tail)| tail.to_owned());
        }
        found.push(Assignment { name: name.to_owned(), value: word });
        rest = tail;
    }
    (found, rest)
}

/// Returns whether the word is a file's content, as in `env $(cat vars | xargs) program`. Without quotes, it is treated
/// as assignments, because a file rarely begins with a program's name.
fn is_file_of_variables(word: &Word) -> bool {
    const READERS: &[&str] = &["cat", "grep", "egrep", "sed", "awk", "xargs", "<"];
    let [part] = word.parts.as_slice() else { return false };
    let text = part.text.trim_start_matches(['$', '(', '`', ' ']);
    part.kind == "command" && !part.quoted && READERS.iter().any(|reader| text.starts_with(reader))
}

/// Quotes a text for a shell, if necessary.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "_./:=@%+,-".contains(char);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Quotes a word so that a shell reads the same word again.
pub(crate) fn spelled(word: &Word) -> Word {
    let literal_part = |text: &str| Part { kind: "literal".to_owned(), text: quoted(text), quoted: false };
    let mut result = word.clone();
    if !word.dynamic && !word.glob && word.parts.iter().all(|part| part.kind != "tilde") {
        result.parts = vec![literal_part(&word.text)];
        return result;
    }
    for part in &mut result.parts {
        if part.kind == "literal" {
            *part = literal_part(&part.text);
        }
    }
    result
}
