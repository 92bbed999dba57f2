//! Task runners: which commands of a project's files a task, a rule or a hook of git runs.
//!
//! The files are read line by line, not by a parser of YAML or TOML: a task that is spelled in a rare way lists a command
//! too many or too few.

use std::collections::BTreeSet;

use guard_sdk::serde_json::{self, Value};
use guard_sdk::syntax::Word;

use super::Walker;
use super::held::Held;
use super::running::interpreter;
use super::started::{PACKAGERS, Started, reader, values};
use super::written::{GOAL, RULES, SCRIPT, reached};
use crate::word::expand::literal;
use crate::wrappers::reads_code;
use crate::wrappers::shells::is_shell;

/// How a file holds commands.
#[derive(Clone, Copy)]
enum Form {
    /// Code of this interpreter, all of which runs.
    Code(&'static str),
    /// YAML: the values of these keys, in the block of a task below this key.
    Yaml(&'static str, &'static [&'static str]),
    /// TOML: the tables of these names hold tasks.
    Toml(&'static [&'static str]),
    /// Lines behind these keys, until one that is not indented.
    Ini(&'static [&'static str]),
    /// JSON: an object of tasks at this key.
    Json(&'static str),
}

/// Programs, the files in which they find what to run, and the words before the task's name.
const RUNNERS: &[(&[&str], &[&str], Form, &[&str])] = &[
    (&["task", "go-task"], &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"], Form::Yaml("tasks", &["cmd", "cmds"]), &[]),
    (&["lefthook"], &["lefthook.yml", "lefthook.yaml", ".lefthook.yml"], Form::Yaml("", &["run"]), &["run"]),
    (&["pre-commit"], &[".pre-commit-config.yaml"], Form::Yaml("", &["entry"]), &["*"]),
    (&["composer"], &["composer.json"], Form::Json("scripts"), &["run", "run-script"]),
    (&["deno"], &["deno.json", "deno.jsonc"], Form::Json("tasks"), &["task"]),
    (&["tox"], &["tox.ini"], Form::Ini(&["commands", "commands_pre", "commands_post"]), &["*"]),
    (&["nox"], &["noxfile.py"], Form::Code("python3"), &["*"]),
    (&["inv", "invoke"], &["tasks.py"], Form::Code("python3"), &["*"]),
    (&["fab"], &["fabfile.py"], Form::Code("python3"), &["*"]),
    (&["pytest", "py.test"], &["conftest.py"], Form::Code("python3"), &["*"]),
    (&["rake"], &["Rakefile", "rakefile"], Form::Code("ruby"), &["*"]),
    (&["poe", "pdm", "hatch", "rye", "taskipy"], &["pyproject.toml"], Form::Toml(&["poe.tasks", "pdm.scripts", "scripts", "taskipy.tasks"]), &["run"]),
];

/// What runs hooks of the repository, and which.
const HOOKS: &[(&[&str], &[&str])] = &[
    (&["commit"], &["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"]),
    (&["merge", "pull"], &["pre-merge-commit", "post-merge"]),
    (&["push"], &["pre-push"]),
    (&["checkout", "switch"], &["post-checkout"]),
    (&["rebase"], &["pre-rebase", "post-rewrite"]),
    (&["am"], &["applypatch-msg", "pre-applypatch", "post-applypatch"]),
];

/// The most tasks that one task reaches.
const MOST: usize = 32;

/// Whether this program runs tasks of a project's files.
pub(super) fn is_runner(name: &str) -> bool {
    PACKAGERS.contains(&name)
        || matches!(name, "make" | "gmake" | "just" | "git" | "pip" | "pip3")
        || RUNNERS.iter().any(|(programs, ..)| programs.contains(&name))
}

impl Walker {
    /// The tasks that a runner's words run.
    pub(super) fn tasks(&mut self, name: &str, words: &[Word]) -> Vec<Started> {
        if !is_runner(name) {
            return Vec::new();
        }
        match name {
            "make" | "gmake" | "just" => self.rules(words).into_iter().collect(),
            "git" => self.hooks(words),
            "pip" | "pip3" => self.set_up(words).into_iter().collect(),
            name if PACKAGERS.contains(&name) => self.package_scripts(name, words).into_iter().collect(),
            name => self.task(name, words).into_iter().collect(),
        }
    }

    /// The rules that `make` or `just` runs.
    fn rules(&mut self, words: &[Word]) -> Option<Started> {
        let folder = values(words, "-C").into_iter().chain(values(words, "--directory")).next();
        let options = ["-f", "--file", "--makefile", "--justfile"];
        let given: Vec<Word> = options.iter().flat_map(|option| values(words, option)).collect();
        let within = |file: &Word| match &folder {
            Some(folder) if !file.text.starts_with('/') => {
                literal(&format!("{}/{}", folder.text.trim_end_matches('/'), file.text))
            }
            _ => file.clone(),
        };
        let (path, held) = match given.is_empty() {
            true => RULES.iter().find_map(|name| self.running_file(&within(&literal(name))))?,
            false => given.iter().find_map(|file| self.running_file(&within(file)))?,
        };
        let goals = words.iter().filter(|word| !word.text.starts_with('-') && !word.text.contains('='));
        let goals: Vec<&str> = goals
            .map(|word| word.text.as_str())
            .filter(|goal| given.iter().chain(&folder).all(|file| file.text != *goal))
            .collect();
        let text = literal(&reached(&held.text.text, &goals));
        let name = format!("{path}{GOAL}{}", goals.join(" "));
        let argv = ["make", "-f", "-"].map(str::to_owned).to_vec();
        let is_given = words.iter().any(|word| word.text.contains('='));
        Some(Started { name, argv, held: Held { text, is_part: true, ..held }, sure: false, is_given })
    }

    /// The scripts of a package that a package manager's words run, one after the other.
    fn package_scripts(&mut self, program: &str, words: &[Word]) -> Option<Started> {
        const FOLDERS: &[&str] = &["--prefix", "-C", "--dir", "--cwd"];
        let operands: Vec<&str> = operands(words, FOLDERS).collect();
        let name = match operands.first().copied().unwrap_or("install") {
            "run" | "run-script" | "rum" | "urn" => *operands.get(1)?,
            "t" | "tst" => "test",
            "i" | "ci" | "add" | "it" => "install",
            other => other,
        };
        let mut names = vec![format!("pre{name}"), name.to_owned(), format!("post{name}")];
        match name {
            "install" => names.push("prepare".to_owned()),
            "publish" | "pack" => names.extend(["prepublishOnly", "prepack", "prepare", "postpack"].map(str::to_owned)),
            "restart" => names.extend(["stop", "start"].map(str::to_owned)),
            _ => {}
        }
        // What stands behind the script's name is put to its text.
        let given: Vec<&str> = words.iter().map(|word| word.text.as_str()).skip_while(|word| *word != name).skip(1).collect();
        let is_given = given.iter().any(|word| *word != "--");
        let folder = FOLDERS.iter().flat_map(|option| values(words, option)).next();
        let manifest = self.nearest(folder.as_ref(), &["package.json"]);
        let scripts = manifest.as_ref().and_then(|(path, held)| self.json(path, held));
        let scripts = scripts.as_ref().and_then(|value| value.get("scripts"));
        let mut texts = Vec::new();
        let of = name;
        for name in names {
            let set = self.files.get(&format!("{SCRIPT}{name}")).map(|held| held.text.text.clone());
            let text = set.or_else(|| scripts?.get(&name)?.as_str().map(str::to_owned));
            texts.extend(text.map(|text| match name == of {
                true => given.iter().filter(|word| **word != "--").fold(text, |text, word| format!("{text} {}", quoted_word(word))),
                false => text,
            }));
        }
        let whole = manifest.as_ref().is_none_or(|(_, held)| held.whole);
        let lies = manifest.as_ref().is_some_and(|(_, held)| held.lies);
        if texts.is_empty() && whole {
            return None;
        }
        let path = manifest.map_or_else(|| format!("{SCRIPT}{program}"), |(path, _)| path);
        let held = Held { whole, lies, is_part: true, ..Held::known(literal(&texts.join("\n"))) };
        Some(Started { name: format!("{path}{GOAL}{name}"), argv: Vec::new(), held, sure: lies, is_given })
    }

    fn json(&mut self, path: &str, held: &Held) -> Option<Value> {
        if !held.whole {
            return None;
        }
        let read = serde_json::from_str(&held.text.text);
        if read.is_err() {
            self.partial(&format!("{path} holds what runs, and it was not read because it is no JSON"));
        }
        read.ok()
    }

    /// The task of a runner that has a file for them.
    fn task(&mut self, program: &str, words: &[Word]) -> Option<Started> {
        let (_, files, form, before) = RUNNERS.iter().find(|(programs, ..)| programs.contains(&program))?;
        let options: &[&str] = if program == "deno" { &["-c", "--config"] } else { &["-C", "-c", "-d", "-f", "-t", "--dir", "--taskfile", "--rootdir"] };
        let mut operands = operands(words, options).peekable();
        let task = match before.first() {
            Some(&"*") => "",
            Some(_) if operands.peek().is_some_and(|first| before.contains(first)) => operands.nth(1)?,
            // Only behind its own word does it run a task.
            Some(_) if matches!(program, "deno" | "pdm" | "hatch" | "rye" | "lefthook") => return None,
            _ => operands.next().unwrap_or("default"),
        };
        let (path, held) = self.nearest(None, files)?;
        let text = held.text.text.as_str();
        let commands = match *form {
            Form::Code(language) => {
                return Some(Started { name: path, argv: reader(language), held, sure: false, is_given: false });
            }
            Form::Yaml(section, keys) => yaml(text, section, task, keys),
            Form::Toml(tables) => toml(text, tables, task),
            Form::Ini(keys) => ini(text, keys),
            Form::Json(key) => {
                let value = self.json(&path, &held)?;
                let mut commands = Vec::new();
                strings(value.get(key)?.get(task)?, &mut commands);
                commands
            }
        };
        if commands.is_empty() {
            return None;
        }
        let text = literal(&commands.join("\n"));
        Some(Started { name: format!("{path}{GOAL}{task}"), argv: Vec::new(), held: Held { text, is_part: true, ..held }, sure: false, is_given: false })
    }

    /// The hooks of the repository that a command of git runs.
    fn hooks(&mut self, words: &[Word]) -> Vec<Started> {
        let folder = values(words, "-C").into_iter().next();
        let mut operands = operands(words, &["-C", "-c", "--git-dir", "--work-tree"]);
        let Some(command) = operands.next() else { return Vec::new() };
        let Some((_, hooks)) = HOOKS.iter().find(|(commands, _)| commands.contains(&command)) else {
            return Vec::new();
        };
        if words.iter().any(|word| word.text == "--no-verify") {
            return Vec::new();
        }
        let config = self.nearest(folder.as_ref(), &[".git/config"]);
        let Some((root, config)) = config.as_ref().and_then(|(path, held)| Some((path.strip_suffix("/.git/config")?, held)))
        else {
            return Vec::new();
        };
        let set = values(words, "-c").into_iter().find_map(|word| hooks_path(&word.text));
        let set = set.or_else(|| config.text.text.lines().find_map(hooks_path));
        let folder = match set {
            Some(folder) if folder.starts_with('/') => folder,
            Some(folder) => format!("{root}/{folder}"),
            None => format!("{root}/.git/hooks"),
        };
        // What husky puts there starts the files in the folder above.
        let folder = folder.trim_end_matches('/').trim_end_matches("/_");
        let mut found = Vec::new();
        for hook in *hooks {
            let path = format!("{folder}/{hook}");
            let Some(held) = self.running(&path) else { continue };
            let argv = match interpreter(&held.text.text) {
                Some(name) if !is_shell(name) && reads_code(name) => reader(name),
                _ => Vec::new(),
            };
            found.push(Started { name: path, argv, held, sure: true, is_given: false });
        }
        found
    }

    /// `pip install FOLDER`: its `setup.py` runs.
    fn set_up(&mut self, words: &[Word]) -> Option<Started> {
        let folders = words.iter().skip_while(|word| word.text != "install").skip(1);
        let folders = folders.filter(|word| word.text.starts_with(['.', '/']));
        let mut files = folders.map(|folder| literal(&format!("{}/setup.py", folder.text.trim_end_matches('/'))));
        let (path, held) = files.find_map(|file| self.running_file(&file))?;
        Some(Started { name: path, argv: reader("python3"), held, sure: false, is_given: false })
    }
}

/// A word as a shell reads it back.
fn quoted_word(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The words that are no options and no values of these options.
fn operands<'w>(words: &'w [Word], with_value: &'w [&str]) -> impl Iterator<Item = &'w str> {
    let is_value = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|option| with_value.contains(&option.text.as_str()))
    };
    let operands = words.iter().enumerate().filter(move |(at, word)| !word.text.starts_with('-') && !is_value(*at));
    operands.map(|(_, word)| word.text.as_str())
}

/// The folder of hooks that a line of git's settings names.
fn hooks_path(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches("core.");
    let (key, value) = line.split_once('=')?;
    key.trim().eq_ignore_ascii_case("hookspath").then(|| value.trim().trim_matches('"').to_owned())
}

/// All texts in a value of JSON.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(values) => {
            let commands = values.iter().filter(|(key, _)| key.as_str() == "command");
            commands.for_each(|(_, value)| strings(value, found));
        }
        _ => {}
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A value of YAML without its quotes.
fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let inner = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.unwrap_or(value)
}

/// The lines of a block of YAML, below a line that is indented so far.
fn block<'t>(lines: &[&'t str], from: usize, outer: usize) -> Vec<&'t str> {
    let lines = lines.iter().skip(from).take_while(|line| line.trim().is_empty() || indent(line) > outer);
    lines.copied().collect()
}

/// The commands of a task and of the tasks that it names: the values of these keys. Without a task, all of them.
fn yaml(text: &str, section: &str, task: &str, keys: &[&str]) -> Vec<String> {
    let all: Vec<&str> = text.lines().collect();
    let header = |lines: &[&str], name: &str| {
        lines.iter().position(|line| line.trim_end().strip_suffix(':').is_some_and(|key| unquoted(key) == name))
    };
    let lines = match header(&all, section) {
        Some(at) => block(&all, at + 1, indent(all.get(at).copied().unwrap_or_default())),
        None => all,
    };
    if task.is_empty() {
        return yaml_values(&lines, keys);
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut wanted = vec![task.to_owned()];
    while let Some(name) = wanted.pop() {
        let Some(at) = header(&lines, &name).filter(|_| seen.len() < MOST && seen.insert(name.clone())) else { continue };
        let lines = block(&lines, at + 1, indent(lines.get(at).copied().unwrap_or_default()));
        found.append(&mut yaml_values(&lines, keys));
        let others = yaml_values(&lines, &["task", "deps"]);
        wanted.extend(others.iter().flat_map(|text| text.split([',', '[', ']', ' '])).map(|name| unquoted(name).to_owned()));
    }
    found
}

/// The values of these keys: in the line, as a list, or as a block of lines.
fn yaml_values(lines: &[&str], keys: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim_start().trim_start_matches("- ");
        let Some((key, value)) = bare.split_once(':') else { continue };
        if !keys.contains(&key.trim()) {
            continue;
        }
        let below = block(lines, at + 1, indent(line));
        match value.trim() {
            "" => {
                for (place, item) in below.iter().enumerate() {
                    let Some(item_text) = item.trim_start().strip_prefix("- ") else { continue };
                    if item_text.trim().starts_with(['|', '>']) {
                        found.push(block(&below, place + 1, indent(item)).join("\n"));
                    } else if !item_text.split_once(": ").is_some_and(|(key, _)| keys.contains(&key) || key == "task") {
                        found.push(unquoted(item_text).to_owned());
                    }
                }
            }
            value if value.starts_with(['|', '>']) => found.push(below.join("\n")),
            value => found.push(unquoted(value).to_owned()),
        }
    }
    found
}

/// The commands of a task in the tables of these names, and of the tasks that it names.
fn toml(text: &str, tables: &[&str], task: &str) -> Vec<String> {
    let mut tasks: Vec<(String, String)> = Vec::new();
    let mut table = None;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            let within = |known: &&&str| name.ends_with(**known) || name.contains(&format!("{known}."));
            table = tables.iter().find(within).map(|known| {
                let own = name.split_once(&format!("{known}.")).map(|(_, own)| own.to_owned());
                own.unwrap_or_default()
            });
            continue;
        }
        let (Some(own), Some((key, value))) = (&table, line.split_once('=')) else { continue };
        let key = key.trim().trim_matches('"');
        let name = if own.is_empty() { key.split('.').next().unwrap_or(key) } else { own };
        let is_help = matches!(key, "help" | "env" | "cwd" | "args");
        if !is_help {
            tasks.extend(quoted(value).map(|command| (name.to_owned(), command.to_owned())));
        }
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut wanted = vec![task.to_owned()];
    while let Some(name) = wanted.pop().filter(|_| seen.len() < MOST) {
        if !seen.insert(name.clone()) {
            continue;
        }
        for (_, command) in tasks.iter().filter(|(of, _)| *of == name) {
            match tasks.iter().any(|(of, _)| of == command) {
                true => wanted.push(command.clone()),
                false => found.push(command.clone()),
            }
        }
    }
    found
}

/// The texts in quotes of a value of TOML; not the names of a table in it.
fn quoted(value: &str) -> impl Iterator<Item = &str> {
    let mut rest = value;
    std::iter::from_fn(move || {
        let at = rest.find(['"', '\''])?;
        let quote = rest.get(at..)?.chars().next()?;
        let (inner, after) = rest.get(at + 1..)?.split_once(quote)?;
        rest = after;
        Some(inner)
    })
}

/// The lines behind these keys.
fn ini(text: &str, keys: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            found.extend(inside.then(|| line.trim().to_owned()));
            continue;
        }
        let value = line.split_once('=').filter(|(key, _)| keys.contains(&key.trim()));
        inside = value.is_some();
        found.extend(value.map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_in_yaml_has_its_commands_and_those_of_the_tasks_that_it_names() {
        let text = "version: 3\ntasks:\n  default:\n    deps: [a]\n    cmds:\n      - echo 1\n      - task: b\n  a:\n    \
                    cmd: echo \"2\"\n  b:\n    cmds:\n      - |\n        echo 3\n        echo 4\n  c:\n    cmds: ['echo 5']\n";
        let mut commands = yaml(text, "tasks", "default", &["cmd", "cmds"]);
        commands.sort();
        assert_eq!(commands, ["        echo 3\n        echo 4", "echo \"2\"", "echo 1"]);
    }

    #[test]
    fn hooks_in_yaml_have_what_they_run() {
        let text = "pre-commit:\n  commands:\n    a:\n      run: x --fix\npre-push:\n  jobs:\n    - run: y\n";
        assert_eq!(yaml(text, "", "pre-push", &["run"]), ["y"]);
        assert_eq!(yaml(text, "", "", &["run"]), ["x --fix", "y"]);
    }

    #[test]
    fn a_task_in_toml_has_its_commands() {
        let text = "[tool.poe.tasks]\na = \"x 1\"\nb = { cmd = 'y', help = \"z\" }\nc = [\"a\"]\n[tool.poe.tasks.d]\nshell = \"w\"\n\
                    help = \"not this\"\n[tool.other]\na = \"no\"\n";
        assert_eq!(toml(text, &["poe.tasks"], "c"), ["x 1"]);
        assert_eq!(toml(text, &["poe.tasks"], "d"), ["w"]);
        assert!(toml(text, &["poe.tasks"], "b").contains(&"y".to_owned()));
    }

    #[test]
    fn the_commands_of_an_ini_file_are_its_indented_lines() {
        let text = "[testenv]\ndeps = a\n  b\ncommands =\n  x\n  y\npassenv = z\n";
        assert_eq!(ini(text, &["commands"]), ["x", "y"]);
    }
}
