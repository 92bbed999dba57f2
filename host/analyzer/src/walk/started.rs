//! The files that a command runs: scripts, code in other languages, rules, package scripts.

use std::borrow::Cow;

use guard_sdk::syntax::{Command, Word};

use super::Walker;
use super::content::Content;
use super::output::Input;
use super::readers::{ENTRIES, INCLUDES, LAUNCHERS, MAIN, READERS, by_ending, is_foreign, reader, reading};
use super::running::interpreter;
use crate::programs::named_tasks::is_rehearsal;
use crate::word::expand::{Values as _, literal};
use crate::wrappers;
use crate::wrappers::layer::program;
use crate::wrappers::shells::{self, Script};

/// Programs that run package scripts.
pub(super) const PACKAGERS: &[&str] = &["npm", "pnpm", "yarn", "bun"];

/// The maximum number of files that one command's statements include.
const MOST: usize = 32;

/// The maximum number of folders in a program search.
const FOLDERS: usize = 8;

/// Builtins that take precedence over any file.
const BUILTINS: &[&str] =
    &["test", "[", "echo", "printf", "cd", "true", "false", "set", "export", "read", "exit", "pwd"];

/// Code that a command reads from a file.
pub(super) struct Started {
    /// The name of the code.
    pub(super) name: String,
    /// The program and its arguments that read the code as input. Empty for shell.
    pub(super) argv: Vec<String>,
    pub(super) content: Content,
    /// Whether exactly this code runs, and not perhaps another rule or script.
    pub(super) sure: bool,
    /// Whether the code gets arguments that it may use.
    pub(super) is_given: bool,
    /// The folder in which the code runs, if it isn't the caller's.
    pub(super) folder: Option<String>,
}

use super::set_up::STARTS;

impl Walker {
    /// Returns the files that a script's name may refer to.
    pub(super) fn meant(&self, file: &Word) -> Vec<String> {
        if self.files.is_empty() {
            return Vec::new();
        }
        if file.glob {
            return self.matching(file);
        }
        if file.text.contains("{}") {
            // A search supplies names, which may be those of scripts.
            let script = |path: &str, content: &Content| path.ends_with("sh") || content.text.text.starts_with("#!");
            return self
                .files
                .all()
                .filter(|(path, content)| script(path, content))
                .map(|(path, _)| path.clone())
                .collect();
        }
        let exact: Vec<String> = self.path_of(file).filter(|path| self.files.get(path).is_some()).into_iter().collect();
        if exact.iter().any(|path| path.starts_with('/')) || file.dynamic || file.text.starts_with('/') {
            return exact;
        }
        // After a `cd` that may have failed or whose target is unknown, any file with this name may be meant.
        let last = |path: &str| path.rsplit('/').next().map(str::to_owned);
        self.files.all().map(|(path, _)| path).filter(|path| last(path) == last(&file.text)).cloned().collect()
    }

    /// Returns the file of this text that a name without a folder resolves to.
    pub(super) fn found(&self, argv: &[Word]) -> Option<Script> {
        let (first, parameters) = argv.split_first().filter(|_| !self.files.is_empty())?;
        if first.dynamic || BUILTINS.contains(&first.text.as_str()) || self.defined.contains_key(&first.text) {
            return None;
        }
        let (path, _) = self.files.all().find(|(path, _)| self.is_found(path, &first.text))?;
        Some(Script { file: literal(path), parameters: parameters.to_vec(), here: false })
    }

    /// Returns the file that a name resolves to in the folders that the text adds before the system's.
    pub(super) fn on_path(&mut self, command: &Command) -> Option<Script> {
        let (first, parameters) = command.argv.split_first()?;
        let own = command.assignments.iter().find(|assignment| assignment.name == "PATH");
        let search =
            own.map(|assignment| assignment.value.clone()).or_else(|| self.shell.value("PATH").map(Cow::into_owned))?;
        if first.dynamic || first.text.contains('/') || BUILTINS.contains(&first.text.as_str()) {
            return None;
        }
        let text = search.text.replace("$PWD", &self.shell.cwd).replace("$HOME", &self.shell.home_text()?);
        let folders = text.split(':').take(FOLDERS).filter(|folder| !folder.contains('$'));
        let files: Vec<Word> =
            folders.map(|folder| literal(&format!("{}/{}", folder.trim_end_matches('/'), first.text))).collect();
        let file = files.into_iter().find(|file| self.running_file(file).is_some())?;
        Some(Script { file, parameters: parameters.to_vec(), here: false })
    }

    /// Returns whether the shell finds the file at `path` for a command with this name.
    pub(super) fn is_found(&self, path: &str, name: &str) -> bool {
        const RUNNERS: &[&str] = &["uv", "poetry", "pipenv", "npx", "pnpx", "bunx", "tsx", "hatch", "pdm"];
        // All files of the text are tried for each command.
        if !path.ends_with(name) {
            return false;
        }
        let Some((folder, last)) = path.rsplit_once('/') else { return false };
        let is_run = || self.scope.via.last().is_some_and(|via| RUNNERS.contains(&via.kind.as_str()));
        last == name && (self.files.searched || folder.ends_with("/bin") || is_run())
    }

    /// Returns the code that a command reads from files.
    pub(super) fn started(&mut self, command: &Command, input: &Input) -> Vec<Started> {
        let Some(name) = program(&command.argv).map(str::to_owned) else { return Vec::new() };
        let words = command.argv.get(1..).unwrap_or_default();
        let mut found = self.tasks(&name, words);
        found.extend(self.settings_of_git(&name, words, &command.assignments));
        found.extend(self.tmux_files(&name, words, input));
        if name == "parallel" {
            found.extend(self.lines_of_parallel(&command.argv, &command.redirections));
        }
        if found.is_empty() {
            found.extend(self.code_files(&name, command));
        }
        if found.is_empty() {
            found.extend(self.option_file(&name, words));
        }
        if found.is_empty() {
            found.extend(self.launched(&name, words));
        }
        if found.is_empty() {
            found.extend(self.by_name(command));
        }
        found.extend(self.read_in(&name, command, input));
        found.extend(self.included(&name, command, &found));
        found.extend(self.set_up_by(&command.argv, &command.assignments));
        found.extend(self.modules_of(&found));
        found
    }

    /// Returns the code files passed to an interpreter.
    fn code_files(&mut self, name: &str, command: &Command) -> Vec<Started> {
        let mut found: Vec<Started> = Vec::new();
        // Files that Python loads automatically.
        let own = ["sitecustomize.py", "usercustomize.py"]
            .iter()
            .filter(|_| name.starts_with("python"))
            .map(|name| literal(name));
        for file in wrappers::code_files(&command.argv).into_iter().chain(own) {
            let inside = |walker: &mut Self| {
                let folder = file.text.trim_end_matches('/');
                let main = MAIN.iter().filter(|(programs, _)| name.starts_with(programs));
                let mut main = main.map(|(_, main)| literal(&format!("{folder}/{main}")));
                main.find_map(|file| walker.running_file(&file))
            };
            let Some((path, content)) = self.running_file(&file).or_else(|| inside(self)) else { continue };
            if found.iter().any(|started| started.name == path) {
                continue;
            }
            let given = command.argv.iter().skip_while(|word| word.text != file.text).skip(1);
            let given: Vec<String> = given.map(|word| word.text.clone()).collect();
            let is_given = given.iter().any(|word| !is_rehearsal(word)) && takes_arguments(&content.text.text);
            let argv = match name.ends_with("awk") {
                true => ["awk", "-f", "-"].map(str::to_owned).to_vec(),
                false => {
                    let mut argv = reader(name);
                    let last = argv.len().saturating_sub(1);
                    argv.splice(last..last, variable_options(&command.argv, &file.text));
                    argv.into_iter().chain(given).collect()
                }
            };
            found.push(Started { name: path, argv, content, sure: true, is_given, folder: None });
        }
        let code = command.argv.windows(2).find_map(|pair| match pair {
            [option, code] if matches!(option.text.as_str(), "-c" | "-e" | "--eval") => Some(code.text.clone()),
            _ => None,
        });
        if let Some(code) = code
            && let Some(folder) = self.path_here(&literal("."))
        {
            let mut modules = self.imported(name, folder.trim_end_matches('/'), &code);
            modules.retain(|module| found.iter().all(|started| started.name != module.name));
            found.append(&mut modules);
        }
        found
    }

    /// Returns the command file in a program's option.
    fn option_file(&mut self, name: &str, words: &[Word]) -> Option<Started> {
        let (_, options) = READERS.iter().find(|(programs, _)| programs.contains(&name))?;
        let files: Vec<Word> = options.iter().flat_map(|option| values(words, option)).collect();
        let (file, (path, content)) =
            files.into_iter().find_map(|file| self.running_file(&file).map(|at| (file, at)))?;
        let is_code = path.ends_with(".lua") && words.iter().any(|word| word.text == "-l");
        let reads = name != "emacs" && wrappers::reads_program(std::slice::from_ref(&literal(name)));
        let (argv, content) = match reads {
            true => (without(name, words, &file.text), content),
            false => reading(if is_code { "lua" } else { name }, &path, content),
        };
        Some(Started { name: path, argv, content, sure: false, is_given: false, folder: None })
    }

    /// Returns the code file that another program runs.
    fn launched(&mut self, name: &str, words: &[Word]) -> Option<Started> {
        let module = words.windows(2).find(|pair| pair.first().is_some_and(|word| word.text == "-m"));
        let module = module.and_then(<[Word]>::last).filter(|_| name.starts_with("python"));
        let launcher = module.map_or(name, |module| module.text.as_str());
        if !LAUNCHERS.contains(&launcher) {
            return None;
        }
        let file = words.iter().find(|word| !word.text.starts_with('-') && by_ending(&word.text).is_some());
        let file = file.cloned().or_else(|| self.entry(name, words))?;
        let program = by_ending(&file.text)?;
        let (path, content) = self.running_file(&file)?;
        let is_given = takes_arguments(&content.text.text);
        let (argv, content) = reading(program, &path, content);
        Some(Started { name: path, argv, content, sure: true, is_given, folder: None })
    }

    /// Returns the entry file of a project's code, if this text wrote it.
    fn entry(&self, name: &str, words: &[Word]) -> Option<Word> {
        let (_, files) = ENTRIES.iter().find(|(launcher, _)| *launcher == name)?;
        words.iter().find(|word| matches!(word.text.as_str(), "run" | "r"))?;
        let mut files = files.iter().map(|file| literal(file));
        files.find(|file| self.path_of(file).is_some_and(|path| self.files.get(&path).is_some()))
    }

    /// Returns the files that a client's statements include.
    fn included(&mut self, name: &str, command: &Command, found: &[Started]) -> Vec<Started> {
        let Some((_, begins)) = INCLUDES.iter().find(|(client, _)| *client == name) else { return Vec::new() };
        let here = command.redirections.iter().flat_map(|read| [&read.body, &read.target.text]);
        let words = command.argv.iter().skip(1).map(|word| &word.text);
        let files = found.iter().map(|started| &started.content.text.text);
        let texts = here.chain(words).chain(files);
        let lines = texts.flat_map(|text| text.split(['\n', ';'])).map(str::trim);
        let named = lines.filter_map(|line| begins.iter().find_map(|begin| line.strip_prefix(begin)));
        let named: Vec<Word> = named.map(|file| literal(file.trim().trim_matches(['\'', '"']))).take(MOST).collect();
        let mut started = Vec::new();
        for file in named {
            let Some((path, content)) = self.running_file(&file) else { continue };
            let others = command.argv.iter().skip(1).filter(|word| !word.text.contains(&file.text));
            let (argv, content) = match wrappers::code::editors::is_vim(name) {
                true => reading(name, &path, content),
                false => {
                    let words = others.map(|word| word.text.clone());
                    (std::iter::once(name.to_owned()).chain(words).collect(), content)
                }
            };
            started.push(Started { name: path, argv, content, sure: true, is_given: false, folder: None });
        }
        started
    }

    /// Returns the script with a command's name. Its first line or extension determines the interpreter.
    fn by_name(&mut self, command: &Command) -> Option<Started> {
        let first = command.argv.first()?;
        // Windows shells also search the working directory.
        let is_foreign_file = by_ending(&first.text).is_some_and(is_foreign);
        let file = match first.text.contains('/') || is_foreign_file {
            true => first.clone(),
            false => self.found(&command.argv).or_else(|| self.on_path(command))?.file,
        };
        let (path, content) = self.running_file(&file)?;
        let name = match interpreter(&content.text.text) {
            Some(name) => name.to_owned(),
            None => by_ending(&path)?.to_owned(),
        };
        let given = command.argv.iter().skip(1).map(|word| word.text.clone());
        let is_given =
            command.argv.iter().skip(1).any(|word| !is_rehearsal(&word.text)) && takes_arguments(&content.text.text);
        let is_known = is_foreign(&name) || name == "nu" || wrappers::reads_code(&name);
        let is_code = is_foreign(&name) || name == "nu";
        let (argv, content) = reading(&name, &path, content);
        let argv = if is_code { argv } else { argv.into_iter().chain(given).collect() };
        is_known.then_some(Started { name: path, argv, content, sure: true, is_given, folder: None })
    }

    /// Returns the file from which a program reads its commands, through a redirection or `cat`.
    fn read_in(&mut self, name: &str, command: &Command, input: &Input) -> Option<Started> {
        if !wrappers::reads_program(&command.argv) {
            return None;
        }
        // Files that the text wrote are handled where the command is listed.
        let path = self.input_file(command, input).filter(|path| self.files.get(path).is_none())?;
        let content = self.running(&path)?;
        let given = command.argv.iter().skip(1).map(|word| word.text.clone());
        let argv = std::iter::once(name.to_owned()).chain(given).collect();
        Some(Started { name: path, argv, content, sure: true, is_given: false, folder: None })
    }
}

/// Returns whether a command may run a file that the text didn't write.
pub(super) fn may_start(command: &Command) -> bool {
    let Some(name) = program(&command.argv) else { return false };
    command.word(0).contains('/')
        || command.assignments.iter().any(|assignment| STARTS.contains(&assignment.name.as_str()))
        || by_ending(command.word(0)).is_some_and(is_foreign)
        || INCLUDES.iter().any(|(client, _)| *client == name)
        || super::tasks::is_runner(name)
        || super::tasks::may_have_config(command, name)
        || READERS.iter().any(|(programs, _)| programs.contains(&name))
        || LAUNCHERS.contains(&name)
        || wrappers::reads_program(&command.argv)
        || shells::is_shell(name)
        || matches!(name, "." | "source" | "parallel" | "php" | "screen")
}

/// Returns whether code uses its arguments.
fn takes_arguments(code: &str) -> bool {
    let code = code.to_ascii_lowercase();
    ["arg", "click", "typer", "fire"].iter().any(|part| code.contains(part))
}

/// Returns the options before a code file that load variables from another file: `--env-file .env`, `-r dotenv/config`.
fn variable_options(words: &[Word], file: &str) -> Vec<String> {
    const VALUED: &[&str] = &["--env-file", "--env-file-if-exists", "--import", "--require", "-r"];
    let before = words.iter().skip(1).take_while(|word| word.text != file).map(|word| word.text.as_str());
    let before: Vec<&str> = before.collect();
    let loads = |text: &str| text.contains("dotenv") || text.contains("env-file=");
    let mut kept = Vec::new();
    for (at, text) in before.iter().enumerate() {
        let option = at.checked_sub(1).and_then(|at| before.get(at)).filter(|option| VALUED.contains(option));
        match option {
            Some(option) if loads(text) || option.contains("env-file") => kept.extend([*option, *text]),
            None if text.starts_with('-') && loads(text) => kept.push(*text),
            _ => {}
        }
    }
    kept.into_iter().map(str::to_owned).collect()
}

/// Returns a client's arguments without its statement file.
fn without(name: &str, words: &[Word], file: &str) -> Vec<String> {
    let mut kept = vec![name.to_owned()];
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let is_file = word.text == file || word.text.ends_with(&format!("={file}"));
        let is_option = word.text.starts_with('-') && words.peek().is_some_and(|next| next.text == file);
        if !is_file && !is_option {
            kept.push(word.text.clone());
        }
    }
    kept
}

/// Returns the values of an option, attached or in the next word. For an option without a name, returns the operands.
pub(super) fn values(words: &[Word], option: &str) -> Vec<Word> {
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let text = word.text.as_str();
        let next = || words.get(index + 1).cloned();
        if option.is_empty() {
            found.extend((!text.starts_with('-')).then(|| word.clone()));
        } else if option.starts_with("--") {
            match text.strip_prefix(option) {
                Some("") => found.extend(next()),
                Some(rest) => found.extend(rest.strip_prefix('=').map(literal)),
                None => {}
            }
        } else if text.starts_with('-') && !text.starts_with("--") {
            // The letter may end a cluster, and its value may be attached.
            let letter = option.trim_start_matches('-');
            match text.split_once(letter) {
                Some((_, "")) => found.extend(next()),
                Some((_, rest)) => found.push(literal(rest)),
                None => {}
            }
        }
    }
    found
}
