//! Commands that run another command: what they run, and what of them stays.
//!
//! One [`peel`] takes one layer off. Which options take a value is data, in [`table`].

mod carried;
mod code;
mod remote;
mod options;
mod search;
pub(crate) mod shells;
mod table;

use guard_sdk::syntax::{Assignment, Part, Via, Word};

use crate::word::expand::literal;
use crate::word::is_name;

/// What a wrapper runs.
#[derive(Debug)]
pub(crate) struct Layer {
    /// What stays as a command of its own.
    pub(crate) outer: Option<Vec<Word>>,
    pub(crate) runs: Vec<Run>,
}

/// One thing that a wrapper runs.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) via: Via,
    pub(crate) what: What,
    pub(crate) place: Place,
    /// False if an option was known only at run time, so that the rest is a guess.
    pub(crate) certain: bool,
    /// What the wrapper replaces in the words, such as `{}`.
    pub(crate) mark: Option<String>,
}

/// What is run.
#[derive(Debug)]
pub(crate) enum What {
    /// A program and its words.
    Words { assignments: Vec<Assignment>, words: Vec<Word> },
    /// A text that becomes shell, with the parameters it gets, `$0` first.
    Text { text: Word, parameters: Option<Vec<Word>> },
}

/// Where it is run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In this shell: what it sets stays set.
    Here,
    /// In a process of its own.
    Apart,
    /// In a process with this working directory.
    Directory(Word),
    /// In directories that are not known.
    Unknown,
    /// On another machine, or in a container.
    Remote,
}

impl Layer {
    pub(crate) fn one(kind: &str, detail: &str, what: What, place: Place) -> Layer {
        let via = Via { kind: kind.to_owned(), detail: detail.to_owned() };
        Layer { outer: None, runs: vec![Run { via, what, place, certain: true, mark: None }] }
    }
}

/// Takes the outermost layer off a command; `None` if it is no wrapper.
///
/// `input` is what it reads, if that is known.
pub(crate) fn peel(argv: &[Word], input: Option<&str>) -> Option<Layer> {
    let name = program(argv)?;
    let mut carried = carried::runs(name, argv);
    carried.append(&mut code::runs(name, argv, input));
    let layer = outermost(name, argv, input);
    if carried.is_empty() {
        return layer;
    }
    let mut layer = layer.unwrap_or_else(|| Layer { outer: Some(argv.to_vec()), runs: Vec::new() });
    layer.runs.extend(carried);
    Some(layer)
}

fn outermost(name: &str, argv: &[Word], input: Option<&str>) -> Option<Layer> {
    match name {
        "find" | "gfind" => search::find(argv),
        "fd" | "fdfind" => search::fd(argv),
        "xargs" | "gxargs" => search::xargs(argv, input),
        "parallel" => search::parallel(argv, input),
        "ssh" | "autossh" | "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" | "kubectl"
        | "oc" => remote::peel(name, argv),
        "eval" => shells::eval(argv),
        "trap" => shells::trap(argv),
        "git" => shells::git_alias(argv),
        "pwsh" | "powershell" | "pwsh.exe" | "powershell.exe" | "cmd" | "cmd.exe" => shells::of_windows(name, argv),
        _ if shells::is_shell(name) => shells::command_text(argv),
        // The loader runs the program that it is given.
        _ if name.starts_with("ld-linux") || name.starts_with("ld-musl") => table::peel("ld.so", argv),
        _ if name.starts_with("qemu-")
            && !["system", "img", "nbd", "io", "ga"].iter().any(|tool| name.contains(tool)) =>
        {
            table::peel("qemu-user", argv)
        }
        // `=rm` is where zsh finds `rm`.
        _ if name.strip_prefix('=').is_some_and(is_name) => {
            let mut words = argv.to_vec();
            *words.first_mut()? = literal(name.trim_start_matches('='));
            Some(Layer::one("command", "", What::Words { assignments: Vec::new(), words }, Place::Here))
        }
        _ => table::peel(name, argv),
    }
}

/// The name of a command's program, without its folder.
pub(crate) fn program(argv: &[Word]) -> Option<&str> {
    let name = argv.first()?.text.as_str();
    name.rsplit('/').next()
}

/// Whether the standard input of this program is often a program itself: code, queries, or commands of a store.
pub(crate) fn reads_program(argv: &[Word]) -> bool {
    const STORES: &[&str] = &["sql", "maria", "mongo", "redis", "valkey", "duckdb", "clickhouse", "cqlsh", "keydb"];
    let name = program(argv).unwrap_or_default().to_ascii_lowercase();
    let store = STORES.iter().any(|part| name.contains(part));
    store || reads_code(&name)
}

/// Whether this program reads code of a general language.
pub(crate) fn reads_code(name: &str) -> bool {
    code::is_language(&name.to_ascii_lowercase())
}

/// The file of code that a command has a general language read.
pub(crate) fn code_file(argv: &[Word]) -> Option<&Word> {
    code::file(program(argv)?, argv)
}

/// Whether the value of this setting of git, in lower case, is a program.
pub(crate) fn is_program_setting(name: &str) -> bool {
    carried::is_program_setting(name)
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

/// Splits leading `NAME=value` words off.
fn assignments(words: &[Word]) -> (Vec<Assignment>, &[Word]) {
    let mut found = Vec::new();
    let mut rest = words;
    while let Some((first, tail)) = rest.split_first()
        && let Some((name, value)) = first.text.split_once('=')
        // A function for a shell has a name of its own kind.
        && (is_name(name) || name.starts_with("BASH_FUNC_"))
    {
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

/// A word spelled so that a shell reads the same word again.
pub(crate) fn spelled(word: &Word) -> Word {
    let quoted = |text: &str| {
        let plain = |char: char| char.is_ascii_alphanumeric() || "_./:=@%+,-".contains(char);
        if !text.is_empty() && text.chars().all(plain) {
            return text.to_owned();
        }
        format!("'{}'", text.replace('\'', "'\\''"))
    };
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
