//! The words and variables of a command that may name an output file.
//!
//! Finds candidates in the text of words. Doesn't know the protected files and the command's effects.

use guard_sdk::syntax::{Command, Word};

/// Programs whose words `NAME=VALUE` set variables for the next program.
const SETTERS: &[&str] = &["env", "export", "setenv"];

/// Builtins that export variables with the option `-x`.
const DECLARERS: &[&str] = &["declare", "local", "readonly", "typeset"];

/// Variables for files that the shell itself writes without a program.
const WRITTEN_BY_SHELLS: &[&str] = &["HISTFILE"];

/// Prefixes of options for an output, without dashes.
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

/// Prefixes of options that end in `-file` and are inputs.
const INPUTS: &[&str] = &[
    "body", "ca", "cert", "config", "env", "exclude", "from", "ignore", "include", "input", "key", "notes", "pass",
    "rc",
];

/// Programs whose `-o` isn't a file.
const PLAIN_O: &[&str] =
    &["[", "[[", "ag", "egrep", "exa", "eza", "fgrep", "find", "grep", "ls", "rg", "set", "test", "zgrep"];

/// Returns an inherited variable's value that `covers` something protected, and a clause about it. Any program may use
/// the variable as the path of an output file.
pub(crate) fn variable_mention(command: &Command, covers: impl Fn(&str) -> bool) -> Option<(String, String)> {
    let program = command.program();
    let inherited = |name: &str| !program.is_empty() || WRITTEN_BY_SHELLS.contains(&name);
    let assigned =
        command.assignments.iter().map(|assignment| (assignment.name.as_str(), assignment.value.text.as_str()));
    let mut words = command.argv.iter().skip(1).map(|word| word.text.as_str());
    let exports = SETTERS.contains(&program)
        || DECLARERS.contains(&program) && words.any(|word| word.starts_with('-') && word.contains('x'));
    let words = command.argv.iter().skip(1).filter_map(|word| word.text.split_once('='));
    let set = words.filter(|(name, _)| (exports || WRITTEN_BY_SHELLS.contains(name)) && !name.starts_with('-'));
    let mut values = assigned
        .filter(|(name, _)| inherited(name))
        .chain(set)
        .flat_map(|(name, value)| std::iter::once(value).chain(option_values(value)).map(move |value| (name, value)));
    let (name, value) = values.find(|(_, value)| covers(value))?;
    Some((value.to_owned(), format!("writes unknown content to the file that `{name}` names")))
}

/// Returns the values of options that a variable contains: `--log-file=FILE`, `-Xlog:gc:file=FILE`.
fn option_values(value: &str) -> impl Iterator<Item = &str> {
    let is_input = |option: &str| {
        let name = option.trim_start_matches('-');
        selects(option) || INPUTS.iter().any(|start| name.starts_with(start))
    };
    let options = value.split_whitespace().filter(move |word| word.starts_with('-') && !is_input(word));
    options.take(OPTIONS).flat_map(|option| option.split(['=', ':', ',']).skip(1))
}

/// The maximum number of options that are examined in a variable.
const OPTIONS: usize = 64;

/// A word of a command that may be a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) value: &'a str,
    /// The whole word that contains the path.
    pub(crate) word: &'a str,
    /// Whether its option is for an output.
    pub(crate) is_output: bool,
}

/// Returns the words of a command that may be paths, without those of a command that it starts.
pub(crate) fn candidates<'a>(command: &'a Command, commands: &'a [Command]) -> impl Iterator<Item = Candidate<'a>> {
    let own = command.argv.get(..own_word_count(command, commands)).unwrap_or_default();
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

/// Returns whether the word is a pattern that the shell doesn't expand and that names nothing, such as `'.*'`: a
/// regular expression can match many protected names without targeting any.
fn is_expression(word: &Word) -> bool {
    let has_wildcards = word.text.contains(['*', '?', '[', '+']);
    !word.glob
        && !word.dynamic
        && has_wildcards
        && !word.text.contains(|char: char| char.is_alphanumeric() || char == '/')
}

/// Returns the number of the command's own words. The last words may belong to a command that it starts.
fn own_word_count(command: &Command, commands: &[Command]) -> usize {
    let count = command.argv.len();
    let starts_with_these = |started: &&Command| {
        let own = count.saturating_sub(started.argv.len());
        let rest = command.argv.get(own..).unwrap_or_default();
        let same = rest.iter().zip(&started.argv).all(|(one, other)| one.text == other.text);
        started.parent == command.id && !started.argv.is_empty() && own > 0 && same
    };
    // A started command follows its starter.
    let after = commands.partition_point(|other| other.id <= command.id);
    let next = commands.get(after..).unwrap_or_default().iter().take_while(|other| other.parent >= command.id);
    next.take(STARTED).find(starts_with_these).map_or(count, |started| count - started.argv.len())
}

/// The number of started commands that are checked for the command's own words.
const STARTED: usize = 8;

/// Suffixes of container mounts that are read-only.
const READ_ONLY: &[&str] = &[":ro", ",ro", ",readonly"];

/// Returns whether the value of an option only selects files by name.
fn selects(option: &str) -> bool {
    const CHOICES: &[&str] = &["--exclude", "--filter", "--glob", "--ignore", "--include"];
    CHOICES.iter().any(|start| option.starts_with(start))
}

/// Returns whether an option, with or without its value, is for an output.
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
