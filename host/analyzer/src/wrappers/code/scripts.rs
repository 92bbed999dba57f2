//! Commands started by `sed` and `awk` scripts.

use guard_sdk::syntax::{Via, Word};

use super::super::layer::{Place, Run, Runnable};
use crate::languages::pieces::Pieces;
use crate::languages::{awk, sed};
use crate::options::{Operand, parse};
use crate::word::expand::literal;
use crate::wrappers::shells::is_input;

/// The maximum number of input lines that run.
const MOST: usize = 64;

/// Returns whether this program is a version of `awk`.
pub(super) fn is_awk(name: &str) -> bool {
    matches!(name, "awk" | "gawk" | "mawk" | "nawk" | "original-awk")
}

/// Returns the text of a script file that is standard input.
fn content(file: &Operand<'_>, input: Option<&str>) -> Option<String> {
    input.filter(|_| file.text == "-" || is_input(&file.text)).map(str::to_owned)
}

pub(super) fn sed(words: &[Word], input: Option<&str>) -> Vec<Run> {
    let parsed = parse(words, sed::OPTIONS, false);
    if parsed.is("", "sandbox") {
        return Vec::new();
    }
    let given = sed::given(&parsed, |file| content(file, input));
    let reads_files = parsed.operands.len() > given.operands || !given.files.is_empty();
    let input = input.filter(|_| !reads_files);
    let mut found = Vec::new();
    for act in sed::acts(&given.text) {
        match act {
            sed::Action::Runs(pieces) => found.push(run("sed", &pieces)),
            sed::Action::RunsLines => match input {
                Some(input) => found.extend(lines(input, |line| Some(line.to_owned()))),
                None => found.push(run("sed", &Pieces::unknown())),
            },
            sed::Action::RunsReplaced { from, to } => match input {
                Some(input) => {
                    found.extend(lines(input, |line| line.contains(&from).then(|| line.replace(&from, &to))));
                }
                None => found.push(run("sed", &Pieces::known(&to))),
            },
            sed::Action::Reads(_) | sed::Action::Writes(_) => {}
        }
    }
    found
}

/// Returns the runs for the lines of an input.
fn lines(input: &str, change: impl Fn(&str) -> Option<String>) -> Vec<Run> {
    let mut found: Vec<Run> =
        input.lines().filter_map(change).take(MOST).map(|line| run("sed", &Pieces::known(&line))).collect();
    if found.len() >= MOST {
        found.push(run("sed", &Pieces::unknown()));
    }
    found
}

pub(super) fn awk(words: &[Word], input: Option<&str>) -> Vec<Run> {
    let parsed = parse(words, awk::OPTIONS, false);
    let given = awk::given(&parsed, |file| content(file, input));
    let mut found = Vec::new();
    for act in awk::acts(&given.text, awk::variables(&parsed)) {
        if let awk::Action::Runs(pieces) = act {
            found.push(run("awk", &pieces));
        }
    }
    found
}

/// Returns the program files of an `awk` call.
pub(super) fn awk_files(words: &[Word]) -> Vec<Word> {
    let parsed = parse(words, awk::OPTIONS, false);
    awk::given(&parsed, |_| None).files.iter().map(file_word).collect()
}

/// Returns the word of a file, or only the value if it is attached to its option.
fn file_word(file: &Operand<'_>) -> Word {
    if file.text.len() == file.word.text.len() { file.word.clone() } else { literal(&file.text) }
}

/// Returns a text that becomes shell. A completely unknown one is run with `eval`.
fn run(name: &str, pieces: &Pieces) -> Run {
    let known = pieces.says_something();
    let text = if known || pieces.text().is_some() { pieces.word() } else { Pieces::unknown().word() };
    let text = if text.text.is_empty() { literal(":") } else { text };
    let via = Via { kind: if known { "code" } else { "eval" }.to_owned(), detail: name.to_owned() };
    Run { via, what: Runnable::Text { text, parameters: None }, place: Place::Apart, certain: true, mark: None }
}
