//! The words and variables of a command that may name a file which the command writes.
//!
//! Finds candidates in the text of words. Does not know what is guarded, nor what effects a command has.

use guard_sdk::syntax::{Command, Word};

/// Programs whose words of the form `NAME=VALUE` set variables of what runs next.
const SETTERS: &[&str] = &["env", "export", "setenv"];

/// Builtins that do so with the option `-x`.
const DECLARERS: &[&str] = &["declare", "local", "readonly", "typeset"];

/// Variables that name a file which the shell itself writes, so that it needs no program.
const WRITTEN_BY_SHELLS: &[&str] = &["HISTFILE"];

/// Beginnings of names of options that name an output, without dashes.
const OUTPUTS: &[&str] = &[
    "dump",
    "export",
    "generate",
    "log",
    "out",
    "profile",
    "record",
    "report",
    "save",
    "trace",
    "tsbuildinfo",
    "write",
];

/// Beginnings of names of options that end in `-file` and are read.
const INPUTS: &[&str] = &[
    "body", "ca", "cert", "config", "env", "exclude", "from", "ignore", "include", "input", "key", "notes", "pass",
    "rc",
];

/// Programs for which `-o` names no file.
const PLAIN_O: &[&str] =
    &["[", "[[", "ag", "egrep", "exa", "eza", "fgrep", "find", "grep", "ls", "rg", "set", "test", "zgrep"];

/// A variable that a program inherits and whose value `covers` something guarded: the value, and a clause about it. Any
/// program may take the variable for the name of a file that it writes.
pub(crate) fn of_variable(command: &Command, covers: impl Fn(&str) -> bool) -> Option<(String, String)> {
    let program = command.program();
    let inherited = |name: &str| !program.is_empty() || WRITTEN_BY_SHELLS.contains(&name);
    let assigned = command.assignments.iter().map(|given| (given.name.as_str(), given.value.text.as_str()));
    let mut words = command.argv.iter().skip(1).map(|word| word.text.as_str());
    let exports = SETTERS.contains(&program)
        || DECLARERS.contains(&program) && words.any(|word| word.starts_with('-') && word.contains('x'));
    let words = command.argv.iter().skip(1).filter_map(|word| word.text.split_once('='));
    let set = words.filter(|(name, _)| (exports || WRITTEN_BY_SHELLS.contains(name)) && !name.starts_with('-'));
    let (name, value) = assigned.filter(|(name, _)| inherited(name)).chain(set).find(|(_, value)| covers(value))?;
    Some((value.to_owned(), format!("writes unknown content to the file that `{name}` names")))
}

/// A word of a command that may be a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) value: &'a str,
    /// The whole word that has it.
    pub(crate) word: &'a str,
    /// The option that it belongs to names an output.
    pub(crate) is_output: bool,
}

/// The words of a command that may be paths, without those of a command that it starts.
pub(crate) fn candidates<'a>(command: &'a Command, commands: &'a [Command]) -> impl Iterator<Item = Candidate<'a>> {
    let own = command.argv.get(..own_words(command, commands)).unwrap_or_default();
    let short_o = !PLAIN_O.contains(&command.program());
    let befores = std::iter::once("").chain(own.iter().map(|word| word.text.as_str()));
    let words = own.iter().zip(befores).skip(1).filter(|(word, _)| !is_expression(word));
    let words = words.map(|(word, before)| (word.text.as_str(), before));
    let changes = move |(word, before): &(&str, &str)| {
        let option = if word.starts_with('-') { word } else { before };
        let is_choice = selects(option) || *before == "-x" && command.program() == "zip";
        !(is_choice || READ_ONLY.iter().any(|end| word.ends_with(end)))
    };
    words.filter(changes).flat_map(move |(word, before)| {
        let is_option = word.starts_with('-');
        let is_output = names_output(if is_option { word } else { before }, short_o);
        let glued = word.get(2..).filter(|_| is_option && !word.starts_with("--"));
        let behind = word.split_once('=').map(|(_, value)| value);
        let parts = word.split([',', ':', '@', '=']).filter(move |_| !is_option && word.contains([',', ':', '@']));
        let whole = (!is_option).then_some(word);
        let found = whole.into_iter().chain(behind).chain(glued).chain(parts);
        let found = found.filter(|value| !value.contains(char::is_whitespace));
        found.map(move |value| Candidate { value, word, is_output })
    })
}

/// Whether the word is a pattern that the shell leaves alone and that names nothing, such as `'.*'`: a regular expression
/// fits many guarded names, and means none.
fn is_expression(word: &Word) -> bool {
    let has_wildcards = word.text.contains(['*', '?', '[', '+']);
    !word.glob
        && !word.dynamic
        && has_wildcards
        && !word.text.contains(|char: char| char.is_alphanumeric() || char == '/')
}

/// How many of the words are the command's own: what it starts has the others, if they are its last ones.
fn own_words(command: &Command, commands: &[Command]) -> usize {
    let count = command.argv.len();
    let starts_with_these = |started: &&Command| {
        let own = count.saturating_sub(started.argv.len());
        let rest = command.argv.get(own..).unwrap_or_default();
        let same = rest.iter().zip(&started.argv).all(|(one, other)| one.text == other.text);
        started.parent == command.id && !started.argv.is_empty() && own > 0 && same
    };
    // What a command starts follows it.
    let after = commands.partition_point(|other| other.id <= command.id);
    let next = commands.get(after..).unwrap_or_default().iter().take_while(|other| other.parent >= command.id);
    next.take(STARTED).find(starts_with_these).map_or(count, |started| count - started.argv.len())
}

/// A command's first ones are looked at for its own words.
const STARTED: usize = 8;

/// Mounts of a container that end in one of these change nothing.
const READ_ONLY: &[&str] = &[":ro", ",ro", ",readonly"];

/// Whether the value of an option only chooses among files by their names.
fn selects(option: &str) -> bool {
    const CHOICES: &[&str] = &["--exclude", "--filter", "--glob", "--ignore", "--include"];
    CHOICES.iter().any(|start| option.starts_with(start))
}

/// Whether an option, with its value or without, names an output.
fn names_output(option: &str, short_o: bool) -> bool {
    let Some(name) = option.strip_prefix('-') else { return false };
    if short_o && name.starts_with(['o', 'O']) && !option.starts_with("--") {
        return true;
    }
    let name = name.trim_start_matches('-').to_ascii_lowercase();
    let name = name.split('=').next().unwrap_or_default();
    let long = option.starts_with("--") || name.len() > 3;
    let is_file = name.ends_with("-file") && !INPUTS.iter().any(|start| name.starts_with(start));
    long && (is_file || OUTPUTS.iter().any(|start| name.starts_with(start)))
}
