//! Task runners: the commands in a project's files that a task, a rule or a git hook runs.
//!
//! The files are read line by line, without a YAML or TOML parser. For a task with unusual syntax, the list may have a
//! command too many or too few.

mod literals;
mod packages;
mod projects;
mod references;
mod table;
mod typed;
mod workspaces;

use std::borrow::Cow;

use guard_sdk::serde_json::{self, Value};
use guard_sdk::syntax::{Command, Word};
use guard_sdk::task_runners::{TaskRunner, task_runner};

use super::Walker;
use super::content::Content;
use super::makefiles::{prints_recipes, recipes, recipes_of_just, run_by_dry_run, with_plain_settings};
use super::readers::reader;
use super::shell::resolve;
use super::started::{PACKAGERS, Started, values};
use super::task_files::{at_keys, ini, set, spelled_out, strings, toml, with_variables, yaml};
use super::written::{GOAL, JUST, MAKE};
use crate::programs;
use crate::word::expand::{Values as _, literal};
use crate::wrappers::code::languages::LOADED;

/// The format in which a file contains commands.
#[derive(Clone, Copy)]
enum Form {
    /// Code for this interpreter. All of it runs.
    Code(&'static str),
    /// YAML: the values of these keys, in a task's block below this key.
    Yaml(&'static str, &'static [&'static str]),
    /// TOML: tables with these names contain tasks.
    Toml(&'static [&'static str]),
    /// Lines after these keys, up to one that isn't indented.
    Ini(&'static [&'static str]),
    /// JSON: an object of tasks at this key, all of which run if none is named.
    Json(&'static str),
    /// JSON: the texts at these keys, at any depth.
    JsonKeys(&'static [&'static str]),
    /// Package scripts, named by the operands.
    Scripts,
    /// Lines that set one of these keys, anywhere in the file.
    Keys(&'static [&'static str]),
    /// Lines with a name, a colon and a command.
    Values,
    /// A language without an analyzer: texts in it that look like a command.
    Texts,
}

/// The maximum number of scripts, files and folders in one call.
const SCRIPTS: usize = 16;

/// When a tool runs the tasks in its files.
#[derive(Clone, Copy)]
enum TaskPosition {
    Always,
    /// After one of these words, which the task's name may follow.
    Behind(&'static [&'static str]),
    /// The first operand is the task, or the next one if the first is one of these words.
    Named(&'static [&'static str]),
}

/// A task runner, and the files with its tasks.
struct Runner {
    programs: &'static [&'static str],
    /// A trailing `*` matches any extension of a JavaScript module.
    files: &'static [&'static str],
    form: Form,
    when: TaskPosition,
    /// Options whose value replaces these files, and extensions of operands that do.
    given: &'static [&'static str],
}

impl Runner {
    /// Returns the task that these words run. An empty name means all tasks.
    fn task<'w>(&self, words: &'w [Word]) -> Option<&'w str> {
        const VALUES: &[&str] = &["-C", "-c", "-d", "-f", "-t", "--config", "--dir", "--taskfile", "--rootdir"];
        let known = self.programs.first().and_then(|name| task_runner(name));
        let valued = [VALUES, known.map_or(&[], TaskRunner::value_options)].concat();
        // Values of variables may precede the name of a Taskfile's task.
        let sets = |word: &str| matches!(self.form, Form::Yaml("tasks", _)) && word.contains('=');
        let mut operands = operands(words, &valued).filter(|word| !word.starts_with('+') && !sets(word)).peekable();
        let of = |name: &'w str| name.rsplit(':').next().unwrap_or(name);
        match self.when {
            TaskPosition::Always => Some(""),
            TaskPosition::Behind(known) => {
                let is_so = operands.next().is_some_and(|first| known.contains(&first));
                let name = operands.next();
                is_so.then_some(name.unwrap_or_default())
            }
            TaskPosition::Named(known) => {
                operands.next_if(|first| known.contains(first));
                Some(operands.next().unwrap_or("default"))
            }
        }
        .map(|name| if self.programs.iter().any(|known| matches!(*known, "moon" | "nx")) { of(name) } else { name })
    }
}

/// Returns every runner with this name.
fn runners(program: &str) -> impl Iterator<Item = &'static Runner> + use<'_> {
    let all = table::TASKS.iter().chain(table::SPELLED).chain(table::LOADERS);
    all.filter(move |runner| runner.programs.contains(&program))
}

/// Expands a file name: a trailing `*` matches any extension of a JavaScript module.
fn spelled(name: &str) -> impl Iterator<Item = String> + use<'_> {
    const ENDINGS: &[&str] = &["js", "cjs", "mjs", "ts", "mts", "cts"];
    let (stem, endings) = name.strip_suffix('*').map_or((name, &[""][..]), |stem| (stem, ENDINGS));
    endings.iter().map(move |ending| format!("{stem}{ending}"))
}

/// Returns whether this program runs tasks from a project's files.
pub(super) fn is_runner(name: &str) -> bool {
    PACKAGERS.contains(&name)
        || matches!(name, "make" | "gmake" | "just" | "git" | "pip" | "pip3" | "tmux")
        || SERVERS.contains(&name)
        || runners(name).next().is_some()
        || references::has_settings(name)
}

/// Returns whether a program that is in no table may have a configuration file with its own name.
pub(super) fn may_have_config(command: &Command, name: &str) -> bool {
    references::may_have_config(name, command.via.iter().any(|via| references::is_packager(&via.kind)))
}

impl Walker {
    /// Returns the tasks that a runner's words run.
    pub(super) fn tasks(&mut self, name: &str, words: &[Word]) -> Vec<Started> {
        if name == "node" {
            let script = values(words, "--run").into_iter().next();
            let words = script.map(|script| [literal("run"), script]);
            return words.map_or_else(Vec::new, |words| self.package_scripts("npm", &words));
        }
        if name.starts_with("python")
            && let Some(at) = words.iter().position(|word| word.text == "-m")
            && let Some((module, words)) = words.get(at + 1..).and_then(<[Word]>::split_first)
        {
            return if is_runner(&module.text) { self.tasks(&module.text, words) } else { Vec::new() };
        }
        let mut found = if is_runner(name) { self.tasks_of(name, words) } else { Vec::new() };
        // `echo` and its like have no configuration, unless a package brings a program with that name.
        let is_of_package = self.is_of_package();
        if (is_of_package || !programs::is_plain(name)) && references::may_have_config(name, is_of_package) {
            let mut own = self.by_convention(name, words);
            own.retain(|new| found.iter().all(|old| old.name != new.name));
            found.append(&mut own);
        }
        found
    }

    /// Returns the tasks in a runner's own files.
    fn tasks_of(&mut self, name: &str, words: &[Word]) -> Vec<Started> {
        match name {
            "make" | "gmake" => self.rules(name, words).into_iter().collect(),
            "just" => self.rules(name, &with_plain_settings(words)).into_iter().collect(),
            "git" => self.hooks(words),
            "tmux" => Vec::new(),
            "pip" | "pip3" => self.set_up(words).into_iter().collect(),
            "uv" if words.first().is_some_and(|first| first.text == "pip") => self.set_up(words).into_iter().collect(),
            name if SERVERS.contains(&name) => {
                let mut found = self.modules(name, words);
                found.append(&mut self.task(name, words));
                found
            }
            name if PACKAGERS.contains(&name) => {
                let mut found = self.package_scripts(name, words);
                found.extend(self.pnpm_file(name));
                found.append(&mut self.by_unseen_script(words));
                found.append(&mut self.task(name, words));
                found
            }
            name => self.task(name, words),
        }
    }

    /// Returns the rules that `make` or `just` runs.
    fn rules(&mut self, program: &str, words: &[Word]) -> Option<Started> {
        let folder = self.rules_folder(program, words);
        let options = ["-f", "--file", "--makefile", "--justfile"];
        let given: Vec<Word> = options.iter().flat_map(|option| values(words, option)).collect();
        let within = |file: &Word| match &folder {
            // `just` looks for its file in the caller's folder.
            Some(folder) if program != "just" && !file.text.starts_with('/') => {
                literal(&format!("{}/{}", folder.text.trim_end_matches('/'), file.text))
            }
            _ => file.clone(),
        };
        let value_options = task_runner(program).map_or(&[][..], TaskRunner::value_options);
        let goals: Vec<&str> = operands(words, value_options)
            .filter(|word| !word.contains('='))
            .filter(|goal| given.iter().chain(&folder).all(|file| file.text != *goal))
            .filter(|goal| !folders(program, words).any(|folder| folder.text == *goal))
            .collect();
        let (path, content) = match (given.is_empty(), program) {
            (true, "just") => self.nearest_justfile(goals.first().copied())?,
            (true, _) => MAKE.iter().find_map(|name| self.running_file(&within(&literal(name))))?,
            (false, _) => given.iter().find_map(|file| self.running_file(&within(file)))?,
        };
        // `just` looks for included files beside its file, and runs there.
        let beside = path.rsplit_once('/').map(|(folder, _)| folder.to_owned()).filter(|_| program == "just");
        let content = self.with_included(content, |file| match &beside {
            Some(folder) if !file.text.starts_with('/') => literal(&format!("{folder}/{}", file.text)),
            _ => within(file),
        });
        let is_given = words.iter().any(|word| word.text.contains('=')) || program == "just" && goals.len() > 1;
        let read = if program == "just" { recipes_of_just } else { recipes };
        let recipes = match prints_recipes(program, words) {
            true => read(&run_by_dry_run(&content.text.text), words, &goals),
            false => read(&content.text.text, words, &goals),
        };
        let text = literal(&recipes.text);
        let folder = folder.map(|folder| folder.text).or(beside);
        let name = format!("{path}{GOAL}{}", goals.join(" "));
        let argv = ["make", "-f", "-"].map(str::to_owned).to_vec();
        let is_inside = self.scope.via.iter().any(|via| matches!(via.kind.as_str(), "code" | "env" | "script"));
        let is_certain = recipes.is_certain && !(recipes.names_start && (folder.is_some() || is_inside));
        let sure = content.is_preexisting && is_certain && given.len() < 2;
        Some(Started { name, argv, content: Content { text, is_excerpt: true, ..content }, sure, is_given, folder })
    }

    /// Returns the justfile in the folder before the recipe's name, as in `just FOLDER/RECIPE`, or in the caller's folder.
    /// Otherwise, returns that of the nearest parent folder.
    fn nearest_justfile(&mut self, goal: Option<&str>) -> Option<(String, Content)> {
        let folder = goal.and_then(|goal| goal.rsplit_once('/')).map(|(folder, _)| format!("{folder}/"));
        let folder = folder.as_deref().unwrap_or_default();
        let here = JUST.iter().find_map(|name| self.running_file(&literal(&format!("{folder}{name}"))));
        here.or_else(|| self.nearest(Some(&literal(&format!("{folder}."))), JUST))
    }

    /// Returns the folder in which `make` or `just` runs, if options set it. Each `-C` is relative to the one before.
    fn rules_folder(&self, program: &str, words: &[Word]) -> Option<Word> {
        let mut found: Option<String> = None;
        for folder in folders(program, words) {
            found = Some(resolve(&found.unwrap_or_else(|| self.shell.cwd.clone()), &self.shell.plain(&folder)?)?);
        }
        found.map(|folder| literal(&folder))
    }

    /// Returns the hooks file that `pnpm` loads.
    fn pnpm_file(&mut self, program: &str) -> Option<Started> {
        let file = Some(".pnpmfile.cjs").filter(|_| program == "pnpm")?;
        let (path, content) = self.running_file(&literal(file))?;
        Some(Started { name: path, argv: reader("node"), content, sure: false, is_given: false, folder: None })
    }

    fn json(&mut self, path: &str, content: &Content) -> Option<Value> {
        if !content.complete {
            return None;
        }
        let read = serde_json::from_str(&content.text.text);
        if read.is_err() {
            self.partial(&format!("{path} holds what runs, and it was not read because it is no JSON"));
        }
        read.ok()
    }

    /// Returns the code that the tools with this name load from their files.
    fn task(&mut self, program: &str, words: &[Word]) -> Vec<Started> {
        let mut found: Vec<Started> = Vec::new();
        for runner in runners(program) {
            let Some(task) = runner.task(words) else { continue };
            let mut started = match runner.form {
                Form::Scripts => self.named_scripts(program, words),
                Form::Code(language) => {
                    let mut files = self.loaded(runner, words, language);
                    let mut named = self.named_in_code(program, &files);
                    files.append(&mut named);
                    files
                }
                _ => self.task_of(task, words, runner),
            };
            started.retain(|new| found.iter().all(|old| old.name != new.name));
            found.append(&mut started);
        }
        if program == "nx" {
            found.append(&mut self.nx_targets(words));
        }
        let mut named = self.named_by_settings(program);
        named.retain(|new| found.iter().all(|old| old.name != new.name));
        found.append(&mut named);
        found
    }

    /// Returns the files that a call specifies in place of a tool's default ones.
    fn given_files(&mut self, words: &[Word], given: &[&str]) -> Vec<(String, Content)> {
        let (options, endings): (Vec<&str>, Vec<&str>) = given.iter().partition(|given| given.starts_with('-'));
        let mut files: Vec<Word> = options.iter().flat_map(|option| values(words, option)).collect();
        let is_file = |word: &&Word| !word.text.starts_with('-') && endings.iter().any(|end| word.text.ends_with(end));
        files.extend(words.iter().filter(is_file).cloned());
        files.iter().take(SCRIPTS).filter_map(|file| self.running_file(file)).collect()
    }

    /// Returns the code that a tool loads.
    fn loaded(&mut self, runner: &Runner, words: &[Word], language: &str) -> Vec<Started> {
        let mut files = self.given_files(words, runner.given);
        if files.is_empty() {
            let names = runner.files.iter().flat_map(|name| spelled(name));
            files.extend(names.filter_map(|name| self.running_name(&name)));
        }
        if runner.files.contains(&"conftest.py") {
            let folders =
                operands(words, &["-k", "-m", "-p", "-c"]).filter_map(|test| Some(test.split("::").next()?.to_owned()));
            let folders: Vec<String> = folders.take(SCRIPTS).collect();
            let names = folders.iter().flat_map(|path| {
                let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]).take(SCRIPTS);
                ends.filter_map(|end| Some(format!("{}/conftest.py", path.get(..end)?)))
            });
            files.extend(names.filter_map(|name| self.running_name(&name)).collect::<Vec<_>>());
        }
        let start = |(path, content)| Started {
            name: path,
            argv: reader(language),
            content,
            sure: false,
            is_given: false,
            folder: None,
        };
        files.into_iter().map(start).collect()
    }

    fn task_of(&mut self, task: &str, words: &[Word], runner: &Runner) -> Vec<Started> {
        let mut files = self.given_files(words, runner.given);
        if files.is_empty() {
            files = self.nearest_all(runner.files);
        }
        let mut found = Vec::new();
        for (path, content) in files {
            let mut names = vec![task.to_owned()];
            if let Form::Yaml(section, _) = runner.form {
                let needed = yaml(&content.text.text, section, task, &["task", "deps"]);
                let needed = needed.iter().flat_map(|names| names.split([',', '[', ']', ' ']));
                names.extend(needed.filter(|name| name.contains(':')).map(str::to_owned));
            }
            for task in names.iter().take(SCRIPTS) {
                let included = self.included_task(task, &content, runner);
                let (path, content, task) = match included {
                    Some(((path, content), task)) => (path, content, task),
                    None => (path.clone(), content.clone(), task.as_str()),
                };
                let mut commands = self.commands_of(task, &path, &content, runner.form);
                if matches!(runner.form, Form::Yaml("tasks", _)) {
                    commands = with_variables(&commands, &content.text.text, words);
                }
                if commands.is_empty() {
                    continue;
                }
                let text = literal(&commands.join("\n"));
                found.push(Started {
                    name: format!("{path}{GOAL}{task}"),
                    argv: Vec::new(),
                    content: Content { text, is_excerpt: true, ..content },
                    sure: false,
                    is_given: false,
                    folder: None,
                });
            }
        }
        found
    }

    /// Returns the file that contains a task such as `docs:build`, because a task file includes it under the first name,
    /// and the rest of the task's name.
    fn included_task<'t>(
        &mut self,
        task: &'t str,
        content: &Content,
        runner: &Runner,
    ) -> Option<((String, Content), &'t str)> {
        let (name, task) = task.split_once(':')?;
        let included = yaml(&content.text.text, "includes", name, &["taskfile"]).into_iter().next()?;
        let names = runner.files.iter().map(|name| format!("{included}/{name}"));
        let file = std::iter::once(included.clone()).chain(names).find_map(|path| self.running_name(&path))?;
        Some((file, task))
    }

    /// Returns the commands of a task in a file.
    fn commands_of(&mut self, task: &str, path: &str, content: &Content, form: Form) -> Vec<String> {
        let text = content.text.text.as_str();
        match form {
            Form::Code(_) | Form::Scripts => Vec::new(),
            Form::Texts => spelled_out(text),
            Form::Keys(keys) => set(text, keys),
            Form::Values => text.lines().filter_map(|line| Some(line.split_once(": ")?.1.trim().to_owned())).collect(),
            Form::Yaml(section, keys) => yaml(text, section, task, keys),
            Form::Toml(tables) => toml(text, tables, task),
            Form::Ini(keys) => ini(text, keys),
            Form::Json(_) | Form::JsonKeys(_) => {
                let mut commands = Vec::new();
                let value = self.json(path, content);
                match form {
                    Form::JsonKeys(keys) => value.iter().for_each(|value| at_keys(value, keys, &mut commands)),
                    Form::Json(key) => {
                        let tasks = value.as_ref().and_then(|value| value.get(key)?.as_object());
                        let tasks = tasks.into_iter().flatten().filter(|(name, _)| task.is_empty() || *name == task);
                        tasks.for_each(|(_, task)| strings(task, &mut commands));
                    }
                    _ => {}
                }
                commands
            }
        }
    }

    /// Returns the `setup.py` that `pip install FOLDER` runs.
    fn set_up(&mut self, words: &[Word]) -> Option<Started> {
        let folders = words.iter().skip_while(|word| !matches!(word.text.as_str(), "install" | "wheel" | "download"));
        let folders = folders.skip(1).filter(|word| word.text.starts_with(['.', '/']));
        // Extras may follow the folder: `.[dev]`.
        let folders = folders.map(|folder| folder.text.split('[').next().unwrap_or(&folder.text).trim_end_matches('/'));
        let files: Vec<Word> = folders.take(SCRIPTS).map(|folder| literal(&format!("{folder}/setup.py"))).collect();
        let (path, content) = files.iter().find_map(|file| self.running_file(file))?;
        Some(Started { name: path, argv: reader("python3"), content, sure: false, is_given: false, folder: None })
    }

    /// Returns the Python modules that a server, a worker or a test runner gets by name: `app.main:app`.
    fn modules(&mut self, program: &str, words: &[Word]) -> Vec<Started> {
        let mut names: Vec<Word> = ["-A", "--app"].iter().flat_map(|option| values(words, option)).collect();
        let is_name = |word: &&Word| match program {
            "unittest" => word.text.contains('.') && !word.text.contains('/'),
            _ => word.text.contains(':'),
        };
        names.extend(words.iter().filter(|word| !word.text.starts_with('-')).filter(is_name).cloned());
        names.extend(self.shell.value("FLASK_APP").filter(|_| program == "flask").map(Cow::into_owned));
        let mut found = Vec::new();
        for name in names.iter().take(SCRIPTS) {
            let module = name.text.split(':').next().unwrap_or_default();
            let path = module.trim_end_matches(".py").replace('.', "/");
            let files = ["", ".py", "/__init__.py"].map(|end| literal(&format!("{path}{end}")));
            let Some((path, content)) = files.iter().find_map(|file| self.running_file(file)) else { continue };
            found.push(Started {
                name: path,
                argv: reader(LOADED),
                content,
                sure: false,
                is_given: false,
                folder: None,
            });
        }
        found
    }
}

/// Returns the folders to which the options of `make` or `just` change.
fn folders<'w>(program: &str, words: &'w [Word]) -> impl Iterator<Item = Word> + use<'w> {
    let options: &[&str] = if program == "just" { &["-d", "--working-directory"] } else { &["-C", "--directory"] };
    options.iter().flat_map(|option| values(words, option))
}

/// Programs and modules that take Python modules by name.
const SERVERS: &[&str] =
    &["uvicorn", "gunicorn", "hypercorn", "daphne", "granian", "waitress-serve", "celery", "flask", "unittest"];

/// Returns the words that are neither options nor values of these options.
pub(super) fn operands<'w, 'v>(
    words: &'w [Word],
    with_value: &'v [&'v str],
) -> impl Iterator<Item = &'w str> + use<'w, 'v> {
    let is_value = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|option| with_value.contains(&option.text.as_str()))
    };
    let operands = words.iter().enumerate().filter(move |(at, word)| !word.text.starts_with('-') && !is_value(*at));
    operands.map(|(_, word)| word.text.as_str())
}
