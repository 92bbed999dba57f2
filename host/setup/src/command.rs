//! The command of a handler: the words of this program's hook, and whether a handler is that hook and nothing else.
//!
//! A line of a shell is taken apart as far as one simple command goes. One that does more is somebody else's, whatever
//! it names: it is never replaced and never removed.

mod closing;
mod line;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use guard_contract::paths::lexical;
use serde_json::Value;

use crate::install::{HookLocation, InstallError, InstallOptions, Running};

pub(crate) use closing::opened;
pub(super) use closing::{closed, is_closed, is_replying, replying};
use guard_hook::command_line::SETTINGS_FOLDER;
pub(super) use line::line;

/// The flags of the hook. Each has a value.
const FLAGS: [&str; 6] = ["--config", "--state", "--cache", "--only", "--settings-dir", "--record"];

/// The names by which an entry of this program is recognized.
pub(super) struct ProgramNames {
    /// The harness, as the hook's command line names it.
    pub(super) harness: &'static str,
    /// The file name of this program.
    pub(super) program: String,
    /// The value of `${CLAUDE_PLUGIN_ROOT}`.
    pub(super) plugin: Option<PathBuf>,
    /// The value of `${CLAUDE_PROJECT_DIR}`, from which relative paths start.
    pub(super) project: PathBuf,
    /// The value of `~` and `$HOME`.
    pub(super) home: String,
}

impl ProgramNames {
    /// The names at a site.
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

    /// A text with the harness's variables filled in.
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
                // A longer name is that of another variable.
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

/// The arguments of the hook. Absolute places, so that no variable and no repository moves them.
pub(super) fn arguments(
    options: &InstallOptions,
    site: HookLocation<'_>,
    harness: &str,
) -> Result<Vec<String>, InstallError> {
    let mut arguments = Vec::new();
    // Every user of a machine has places of their own.
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

/// A path as text.
pub(super) fn text(path: &Path) -> Result<&str, InstallError> {
    let refuse = || InstallError::Arguments(format!("the path `{}` isn't UTF-8 text", path.display()));
    path.to_str().ok_or_else(refuse)
}

/// The way in which a line starts a process: without a shell, if its words mean the same without one. A single word is
/// a script. The part of the line for a failure is left out.
pub(super) fn running(line: &str) -> Running {
    let plain = |words: &Vec<String>| !words.iter().any(|word| word.contains('$') || word.starts_with('~'));
    let words = words(&opened(line)).filter(plain);
    match words.as_deref().and_then(<[String]>::split_first) {
        Some((program, arguments)) if !arguments.is_empty() => Running::Program(program.clone(), arguments.to_vec()),
        _ => Running::Shell(opened(line).into_owned()),
    }
}

/// A handler that starts this program's hook, whatever its version and place.
pub(super) fn is_ours(handler: &Value, names: &ProgramNames) -> bool {
    started(handler, names).is_some()
}

/// The part of this program's hook that a handler starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StartedHook {
    /// The policies that it asks; empty: all.
    pub(super) only: Vec<String>,
    /// The configuration file that it names.
    pub(super) config: Option<PathBuf>,
    /// The folder with settings files that it names.
    pub(super) settings: Option<PathBuf>,
    /// The program and its arguments; empty if a link is started.
    pub(super) words: Vec<String>,
    /// The script through which it does.
    pub(super) script: Option<String>,
}

/// The part of this program's hook that a handler starts; `None` if it starts something else.
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

/// The line starts a script itself, and no interpreter.
pub(super) fn is_direct(line: &str) -> bool {
    words(&opened(line)).is_some_and(|words| words.len() == 1)
}

/// Programs that run a script of `sh`.
const SHELLS: &[&str] = &["bash", "dash", "ksh", "sh", "zsh"];

/// Programs whose `run` starts a command in an environment.
const RUNNERS: &[&str] = &["pipenv", "poetry", "uv"];

/// Programs that run a script.
const INTERPRETERS: &[&str] = &["bash", "dash", "ksh", "node", "perl", "python", "python3", "ruby", "sh", "zsh"];

/// The script that a handler starts, whoever wrote it.
pub(super) fn script_of(handler: &Value, names: &ProgramNames) -> Option<String> {
    let line = opened(handler.get("command").and_then(Value::as_str)?);
    let (mut words, folder) = words_behind_cd(&line, names, &names.project.to_string_lossy())?;
    let args = handler.get("args").and_then(Value::as_array);
    words.extend(args.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
    let (words, folder) = unwrapped((words, folder), names)?;
    script_of_words(&words, INTERPRETERS, names, &folder)
}

/// The words of a line, and the folder from which it starts: also of one that changes the folder first, `cd FOLDER && ...`.
fn words_behind_cd(line: &str, names: &ProgramNames, from: &str) -> Option<(Vec<String>, String)> {
    let behind = line.split_once("&&").and_then(|(before, after)| match words(before)?.as_slice() {
        [cd, folder] if cd == "cd" => Some((lexical(&names.expand(folder), from, &names.home), after)),
        _ => None,
    });
    let (folder, line) = behind.unwrap_or_else(|| (from.to_owned(), line));
    Some((words(line)?, folder))
}

/// The words of the command that others only start: the text of `sh -c`, and what `uv run` runs.
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

/// The hook that a link to this program is, by the link's name.
fn linked_hook(path: &Path, names: &ProgramNames) -> Option<StartedHook> {
    let target = std::fs::canonicalize(path).ok()?;
    let called = path.file_name()?.to_str()?;
    let builtin = guard_builtins::all().iter().find(|builtin| builtin.called == Some(called))?;
    let settings = path.parent().map(|folder| folder.join(SETTINGS_FOLDER));
    let started = StartedHook { only: vec![builtin.name.to_owned()], settings, ..StartedHook::default() };
    is_program(target.to_str()?, names).then_some(started)
}

/// The hook behind a script that no longer exists. Only lines written by this program block calls in that case.
fn removed_script_hook(line: &str, path: &str) -> Option<StartedHook> {
    (is_closed(line) && !Path::new(path).exists()).then(StartedHook::default)
}

/// The text is a script that only becomes this program's hook.
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
    // A shell takes such a word for the value of a variable, and the next one for the program.
    let is_assignment = word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let is_separator = |c: char| c == '/' || cfg!(windows) && c == '\\';
    let name = word.rsplit(is_separator).next().unwrap_or_default();
    !is_assignment && (name == "guard-host" || name == names.program)
}

/// The hook that these words call, if it is one that answers this harness.
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

/// The words of a line that is one simple command; `None` if it is anything else. Variables stay as they are written.
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
            // What joins commands, sends their output elsewhere, or stands for other words.
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '`' | '\n' | '\r' | '*' | '?' | '[' | ']' | '{' | '}' => {
                return None;
            }
            c => word.push(c),
        }
    }
    words.extend(word);
    Some(words)
}

/// Takes what comes after a `$`, if it is the plain name of a variable or the folder of a script, `${0%/*}`.
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
    // One byte each.
    word.extend(rest.by_ref().take(length));
    Some(())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_of_name)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The start of a script.
fn read_script(path: &str) -> Option<String> {
    let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).and_then(|_| File::open(path).ok())?;
    let mut text = String::new();
    file.take(1 << 14).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests;
