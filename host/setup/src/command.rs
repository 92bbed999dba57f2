//! Parses the command of a handler: the arguments of this program's hook, and whether the handler only starts the hook.
//!
//! A shell line is parsed as one simple command. A line that does more belongs to the user, and is never replaced or
//! removed.

mod closing;
mod line;
mod wrapped;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use guard_contract::paths::lexical;
use guard_contract::shell_word::word;
use serde_json::Value;

use crate::install::{HookLocation, InstallError, InstallOptions, Running};

pub(crate) use closing::opened;
pub(super) use closing::{closed, is_closed, is_replying, replying, tested};
use guard_hook::command_line::SETTINGS_FOLDER;
pub(super) use line::line;

/// The flags of the hook. Each takes a value.
const FLAGS: [&str; 6] = ["--config", "--state", "--cache", "--only", "--settings-dir", "--record"];

/// The names by which an entry of this program is recognized.
pub(super) struct ProgramNames {
    /// The harness's name in the hook's command line.
    pub(super) harness: &'static str,
    /// The file name of this program.
    pub(super) program: String,
    /// The value of `${CLAUDE_PLUGIN_ROOT}`.
    pub(super) plugin: Option<PathBuf>,
    /// The value of `${CLAUDE_PROJECT_DIR}`, and the base of relative paths.
    pub(super) project: PathBuf,
    /// The value of `~` and `$HOME`.
    pub(super) home: String,
}

impl ProgramNames {
    /// Returns the names for a location.
    pub(super) fn at(site: HookLocation<'_>, harness: &'static str, plugin: Option<PathBuf>) -> Self {
        let program = site.environment.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        ProgramNames {
            harness,
            program,
            plugin,
            project: site.project.to_path_buf(),
            home: site.environment.home.clone(),
        }
    }

    /// Expands the harness's variables in a text.
    pub(super) fn expand(&self, text: &str) -> String {
        let plugin = self.plugin.as_deref().map(Path::to_string_lossy).unwrap_or_default();
        let project = self.project.to_string_lossy();
        let values = [("CLAUDE_PLUGIN_ROOT", &*plugin), ("CLAUDE_PROJECT_DIR", &project), ("HOME", &self.home)];
        let text = match text.strip_prefix("~/") {
            Some(rest) => format!("{}/{rest}", self.home),
            None => text.to_owned(),
        };
        values.iter().fold(text, |text, (name, value)| {
            let text = text.replace(&format!("${{{name}}}"), value);
            let variable = format!("${name}");
            let mut parts = text.split(&variable);
            let mut filled = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                // A longer name belongs to another variable.
                if part.starts_with(is_of_name) {
                    filled.extend(["$", name, part]);
                } else {
                    filled.extend([*value, part]);
                }
            }
            filled
        })
    }
}

/// Returns the arguments of the hook. Paths are absolute, so that no variable or repository can change them.
pub(super) fn arguments(
    options: &InstallOptions,
    site: HookLocation<'_>,
    harness: &str,
) -> Result<Vec<String>, InstallError> {
    let mut arguments = Vec::new();
    // Each user of a machine has their own folders.
    if !options.shared && !options.managed {
        for (flag, path) in site.dirs.arguments() {
            if !path.is_absolute() {
                let text = format!("there is no home directory; name a place with `{flag}`");
                return Err(InstallError::Arguments(text));
            }
            arguments.extend([flag.to_owned(), text(path)?.to_owned()]);
        }
    }
    arguments.extend(["hook".to_owned(), harness.to_owned()]);
    let policies = options.policies();
    if !policies.is_empty() {
        arguments.extend(["--only".to_owned(), policies.join(",")]);
    }
    Ok(arguments)
}

/// Returns a path as text.
pub(super) fn text(path: &Path) -> Result<&str, InstallError> {
    let refuse = || InstallError::Arguments(format!("the path `{}` isn't UTF-8 text", path.display()));
    path.to_str().ok_or_else(refuse)
}

/// Returns how to start a process for a line: without a shell, if the words mean the same. A single word is a script.
/// The line's fallback for a failure is removed.
pub(super) fn running(line: &str) -> Running {
    let plain = |words: &Vec<String>| !words.iter().any(|word| word.contains('$') || word.starts_with('~'));
    let words = words(&opened(line)).filter(plain);
    match words.as_deref().and_then(<[String]>::split_first) {
        Some((program, arguments)) if !arguments.is_empty() => Running::Program(program.clone(), arguments.to_vec()),
        _ => Running::Shell(opened(line).into_owned()),
    }
}

/// Returns whether the handler starts this program's hook, regardless of version and location.
pub(super) fn is_ours(handler: &Value, names: &ProgramNames) -> bool {
    started(handler, names).is_some()
}

/// The part of this program's hook that a handler starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StartedHook {
    /// The policies that it runs. Empty for all.
    pub(super) only: Vec<String>,
    /// The configuration file in the arguments.
    pub(super) config: Option<PathBuf>,
    /// The folder of settings files in the arguments.
    pub(super) settings: Option<PathBuf>,
    /// The program and its arguments. Empty if a link is started.
    pub(super) words: Vec<String>,
    /// The script that starts the hook.
    pub(super) script: Option<String>,
}

/// Returns the part of this program's hook that a handler starts. `None` if it starts something else.
pub(super) fn started(handler: &Value, names: &ProgramNames) -> Option<StartedHook> {
    let command = handler.get("command").and_then(Value::as_str)?;
    if let Some(args) = handler.get("args").and_then(Value::as_array).filter(|args| !args.is_empty()) {
        let args = args.iter().map(Value::as_str);
        let words = std::iter::once(Some(command)).chain(args).map(|word| word.map(str::to_owned));
        return hook(words.collect::<Option<_>>()?, names);
    }
    let line = opened(command);
    if let Some(started) = words(&line).and_then(|words| hook(words, names)) {
        return Some(started);
    }
    let (words, folder) = unwrapped(words_behind_cd(&line, names, &names.project.to_string_lossy())?, names)?;
    let path = script_of_words(&words, SHELLS, names, &folder)?;
    let started = match read_script(&path) {
        Some(text) => shim_hook(&text, Path::new(&path), names)?,
        None if words.len() == 1 => {
            linked_hook(Path::new(&path), names).or_else(|| removed_script_hook(command, &path))?
        }
        None => return None,
    };
    Some(StartedHook { script: Some(path), ..started })
}

/// Returns whether the line starts a script directly, without an interpreter.
pub(super) fn is_direct(line: &str) -> bool {
    words(&opened(line)).is_some_and(|words| words.len() == 1)
}

/// Shells that run a `sh` script.
const SHELLS: &[&str] = &["bash", "dash", "ksh", "sh", "zsh"];

/// Programs whose `run` starts a command in an environment.
const RUNNERS: &[&str] = &["pipenv", "poetry", "uv"];

/// Programs that run a script.
const INTERPRETERS: &[&str] = &["bash", "dash", "ksh", "node", "perl", "python", "python3", "ruby", "sh", "zsh"];

/// Returns the script that a handler starts, regardless of its author.
pub(super) fn script_of(handler: &Value, names: &ProgramNames) -> Option<String> {
    let line = opened(handler.get("command").and_then(Value::as_str)?);
    let args = handler.get("args").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let args = args.iter().filter_map(Value::as_str).map(word);
    wrapped::script(&std::iter::once(line.into_owned()).chain(args).collect::<Vec<_>>().join(" "), names)
}

/// Returns the words of a line, and the directory in which its command starts. Supports `cd FOLDER && ...`.
fn words_behind_cd(line: &str, names: &ProgramNames, from: &str) -> Option<(Vec<String>, String)> {
    let behind = line.split_once("&&").and_then(|(before, after)| match words(before)?.as_slice() {
        [cd, folder] if cd == "cd" => Some((lexical(&names.expand(folder), from, &names.home), after)),
        _ => None,
    });
    let (folder, line) = behind.unwrap_or_else(|| (from.to_owned(), line));
    Some((words(line)?, folder))
}

/// Returns the words of the inner command: the text of `sh -c`, or the command of `uv run`.
fn unwrapped((words, folder): (Vec<String>, String), names: &ProgramNames) -> Option<(Vec<String>, String)> {
    match words.as_slice() {
        [shell, flag, line] if flag == "-c" && SHELLS.contains(&file_name(shell)) => {
            words_behind_cd(line, names, &folder)
        }
        [runner, run, rest @ ..] if RUNNERS.contains(&file_name(runner)) && run == "run" => {
            Some((rest.to_vec(), folder))
        }
        _ => Some((words, folder)),
    }
}

fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
}

fn script_of_words(words: &[String], interpreters: &[&str], names: &ProgramNames, folder: &str) -> Option<String> {
    let words = match words {
        [first, rest @ ..] if file_name(first) == "env" => rest,
        words => words,
    };
    let path = match words {
        [path] => path,
        [program, path] if interpreters.contains(&file_name(program)) && !path.starts_with('-') => path,
        _ => return None,
    };
    let path = names.expand(path);
    let is_path = path.contains('/') && !path.contains('$');
    is_path.then(|| lexical(&path, folder, &names.home))
}

/// Returns the hook that a link to this program starts, by the link's name.
fn linked_hook(path: &Path, names: &ProgramNames) -> Option<StartedHook> {
    let target = std::fs::canonicalize(path).ok()?;
    let called = path.file_name()?.to_str()?;
    let builtin = guard_builtins::all().iter().find(|builtin| builtin.called == Some(called))?;
    let settings = path.parent().map(|folder| folder.join(SETTINGS_FOLDER));
    let started = StartedHook { only: vec![builtin.name.to_owned()], settings, ..StartedHook::default() };
    is_program(target.to_str()?, names).then_some(started)
}

/// Returns the hook of a script that no longer exists. Only lines written by this program block calls in that case.
fn removed_script_hook(line: &str, path: &str) -> Option<StartedHook> {
    (is_closed(line) && !Path::new(path).exists()).then(StartedHook::default)
}

/// Returns whether the text is a script that only starts this program's hook.
pub(super) fn is_shim(text: &str, names: &ProgramNames) -> bool {
    shim_hook(text, Path::new(""), names).is_some()
}

fn shim_hook(text: &str, path: &Path, names: &ProgramNames) -> Option<StartedHook> {
    let line = text.strip_prefix("#!/bin/sh\nexec ").and_then(|line| line.strip_suffix(" \"$@\"\n"))?;
    let folder = path.parent().unwrap_or(path).to_string_lossy();
    let words = words(line)?.into_iter().map(|word| word.replace("${0%/*}", &folder));
    hook(words.collect(), names)
}

fn is_program(word: &str, names: &ProgramNames) -> bool {
    // A shell interprets such a word as an assignment, and the next one as the program.
    let is_assignment = word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let is_separator = |c: char| c == '/' || cfg!(windows) && c == '\\';
    let name = word.rsplit(is_separator).next().unwrap_or_default();
    !is_assignment && (name == "guard-host" || name == names.program)
}

/// Returns the hook that these words start, if it is for this harness.
fn hook(words: Vec<String>, names: &ProgramNames) -> Option<StartedHook> {
    let (_, arguments) = words.split_first().filter(|(program, _)| is_program(program, names))?;
    let (mut named, mut started) = (Vec::new(), StartedHook::default());
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(argument) = rest.next() {
        let (flag, value) = match argument.split_once('=') {
            Some((flag, value)) if FLAGS.contains(&flag) => (flag, value),
            _ if FLAGS.contains(&argument) => (argument, rest.next()?),
            _ => {
                named.push(argument);
                continue;
            }
        };
        match flag {
            "--only" => started.only.extend(value.split(',').filter(|name| !name.is_empty()).map(str::to_owned)),
            "--config" => started.config = Some(names.expand(value).into()),
            "--settings-dir" => started.settings = Some(names.expand(value).into()),
            _ => {}
        }
    }
    let answers = match named.as_slice() {
        ["hook"] => true,
        ["hook", harness] => *harness == names.harness,
        _ => false,
    };
    answers.then_some(StartedHook { words, ..started })
}

/// Splits a line that is one simple command into words. `None` for anything else. Variables aren't expanded.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if matches!(c, ' ' | '\t') {
            words.extend(word.take());
            continue;
        }
        let starts = word.is_none();
        let word = word.get_or_insert_default();
        match c {
            '\'' => loop {
                match rest.next()? {
                    '\'' => break,
                    c => word.push(c),
                }
            },
            '"' => loop {
                match rest.next()? {
                    '"' => break,
                    '`' => return None,
                    '$' => variable(&mut rest, word)?,
                    '\\' => match rest.next()? {
                        c @ ('"' | '\\' | '$' | '`') => word.push(c),
                        '\n' => {}
                        c => word.extend(['\\', c]),
                    },
                    c => word.push(c),
                }
            },
            '\\' => word.push(rest.next().filter(|c| *c != '\n')?),
            '$' => variable(&mut rest, word)?,
            '#' if starts => return None,
            // Operators, redirections, substitutions and patterns.
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '`' | '\n' | '\r' | '*' | '?' | '[' | ']' | '{' | '}' => {
                return None;
            }
            c => word.push(c),
        }
    }
    words.extend(word);
    Some(words)
}

/// Reads what follows a `$`: the name of a variable, or the folder of a script, `${0%/*}`. `None` for any other
/// expansion.
fn variable(rest: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    let text = rest.as_str();
    let length = match text.strip_prefix('{') {
        Some(inside) => {
            let (inside, _) = inside.split_once('}')?;
            (is_name(inside) || inside == "0%/*").then_some(inside.len() + 2)?
        }
        None => text.find(|c: char| !is_of_name(c)).unwrap_or(text.len()),
    };
    if length == 0 {
        return None;
    }
    word.push('$');
    // All of these characters are one byte long.
    word.extend(rest.by_ref().take(length));
    Some(())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_of_name)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns the start of a script, up to 16 KiB.
fn read_script(path: &str) -> Option<String> {
    let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).and_then(|_| File::open(path).ok())?;
    let mut text = String::new();
    file.take(1 << 14).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests;
