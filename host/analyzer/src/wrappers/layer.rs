//! [`Layer`]: what is under a wrapper, and the words that lead to it.

use guard_sdk::syntax::{Assignment, Part, Via, Word};

use super::sandbox::Sandbox;
use crate::options::Options;
use crate::word::expand::literal;
use crate::word::is_name;

/// A wrapper's own command, and everything that it runs.
#[derive(Debug)]
pub(crate) struct Layer {
    /// The part that remains as a command of its own.
    pub(crate) outer: Option<Vec<Word>>,
    pub(crate) runs: Vec<Run>,
}

/// One thing that a wrapper runs.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) via: Via,
    pub(crate) what: Runnable,
    pub(crate) place: Place,
    /// False if an option was known only at run time, so that the rest is a guess.
    pub(crate) certain: bool,
    /// The placeholder that the wrapper replaces in the words, such as `{}`.
    pub(crate) mark: Option<String>,
}

/// The program or text that is run.
#[derive(Debug)]
pub(crate) enum Runnable {
    /// A program and its words.
    Words { assignments: Vec<Assignment>, words: Vec<Word> },
    /// A text that becomes shell, with the parameters it gets, `$0` first.
    Text { text: Word, parameters: Option<Vec<Word>> },
}

/// Where it is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// In this shell: what it sets stays set.
    Here,
    /// In a process of its own.
    Apart,
    /// In a process with this working directory.
    Directory(Word),
    /// In directories that are not known.
    Unknown,
    /// On another machine, or in a container of which nothing is known.
    Remote,
    /// In a container, or another file system of its own.
    Sandbox(Box<Sandbox>),
    /// In the home of this user of this machine, as after a login; without a name, of the user who calls.
    Login(String),
    /// Among the processes of the machine around the container, if it can see them.
    Outside,
}

impl Place {
    /// Whether what the wrapper is given to read goes to a process elsewhere.
    pub(crate) fn is_handed_on(&self) -> bool {
        matches!(self, Place::Remote | Place::Sandbox(_) | Place::Login(_))
    }
}

/// The kind of a wrapper after which commands run in a container's file system no longer.
pub(crate) const OUTSIDE: &str = "nsenter-host";

/// Where a command runs behind these wrappers: `ssh`, `container`, or on this machine, which is empty.
pub(crate) fn place_of(via: &[Via]) -> &'static str {
    let place = via.iter().rev().find_map(|via| match via.kind.as_str() {
        "ssh" => Some("ssh"),
        "container" => Some("container"),
        OUTSIDE => Some(""),
        _ => None,
    });
    place.unwrap_or_default()
}

/// The options of a wrapper that take a value, letters and long names, which may be abbreviated.
pub(super) const fn takes(short: &'static str, long: &'static str) -> Options {
    Options::leading(short, long)
}

impl Layer {
    /// One thing that runs, and nothing that stays.
    pub(crate) fn one(kind: &str, detail: &str, what: Runnable, place: Place) -> Layer {
        let via = Via { kind: kind.to_owned(), detail: detail.to_owned() };
        Layer { outer: None, runs: vec![Run { via, what, place, certain: true, mark: None }] }
    }
}

/// The name of a command's program, without its folder.
pub(crate) fn program(argv: &[Word]) -> Option<&str> {
    let name = argv.first()?.text.as_str();
    name.rsplit('/').next()
}

/// Words joined by spaces, as `eval` and `ssh` join them.
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

/// Splits leading `NAME=value` words off, and words that read a file of them.
pub(super) fn assignments(words: &[Word]) -> (Vec<Assignment>, &[Word]) {
    let mut found = Vec::new();
    let mut rest = words;
    while let Some((first, tail)) = rest.split_first() {
        if !tail.is_empty() && is_file_of_variables(first) {
            rest = tail;
            continue;
        }
        let Some((name, value)) = first.text.split_once('=') else { break };
        // A function for a shell has a name of its own kind.
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

/// Whether the word is what a file holds, as in `env $(cat vars | xargs) program`. Unquoted, each word of it is taken as an
/// assignment, because a file rarely begins with the name of a program.
fn is_file_of_variables(word: &Word) -> bool {
    const READERS: &[&str] = &["cat", "grep", "egrep", "sed", "awk", "xargs", "<"];
    let [part] = word.parts.as_slice() else { return false };
    let text = part.text.trim_start_matches(['$', '(', '`', ' ']);
    part.kind == "command" && !part.quoted && READERS.iter().any(|reader| text.starts_with(reader))
}

/// A text as a shell reads it back: in quotes if it has to be.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "_./:=@%+,-".contains(char);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A word spelled so that a shell reads the same word again.
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
