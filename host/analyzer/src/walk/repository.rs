//! Code that a git command runs because of the repository's settings: hooks and aliases.

use std::borrow::Cow;

use guard_sdk::git;
use guard_sdk::serde_json::{self, Value};
use guard_sdk::syntax::{Assignment, Word};

use super::Walker;
use super::content::Content;
use super::readers::reader;
use super::running::interpreter;
use super::started::{Started, values};
use super::task_files::yaml;
use super::tasks::operands;
use super::written::GOAL;
use crate::word::expand::{Values as _, literal};
use crate::wrappers::git_settings::Setting;
use crate::wrappers::layer::quoted;
use crate::wrappers::reads_code;
use crate::wrappers::shells::is_shell;

/// The maximum number of settings with programs in one file.
const MOST: usize = 64;

/// The git commands that run the repository's hooks, and their hooks.
const HOOKS: &[(&[&str], &[&str])] = &[
    (&["commit"], &["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite"]),
    (&["merge", "pull"], &["pre-merge-commit", "post-merge"]),
    (&["push"], &["pre-push"]),
    (&["checkout", "switch", "clone"], &["post-checkout"]),
    (&["cherry-pick", "revert"], &["prepare-commit-msg", "commit-msg", "post-commit"]),
    (&["gc"], &["pre-auto-gc"]),
    (&["submodule", "lfs", "worktree"], &["post-checkout"]),
    (&["rebase"], &["pre-rebase", "post-rewrite"]),
    (&["am"], &["applypatch-msg", "pre-applypatch", "post-applypatch"]),
];

/// Project folders for hooks that a global setting may refer to.
const FOLDERS: &[&str] = &[".githooks", ".husky", ".hooks"];

/// The format in which a hook manager configures a hook's commands.
#[derive(Clone, Copy)]
enum Manager {
    /// Values of this key in the hook's block.
    Block(&'static str),
    /// Values of this key. All of them run before a commit.
    Commits(&'static str),
    /// A table in the package manifest, by hook name.
    Package,
}

/// Configuration files of hook managers.
const MANAGERS: &[(&str, Manager)] = &[
    ("lefthook.yml", Manager::Block("run")),
    (".lefthook.yml", Manager::Block("run")),
    (".pre-commit-config.yaml", Manager::Commits("entry")),
    (".overcommit.yml", Manager::Commits("command")),
    ("package.json", Manager::Package),
];

/// Returns a hook's commands in a package manifest.
fn packaged(text: &str, hook: &str) -> Vec<String> {
    const TABLES: &[&str] = &["/simple-git-hooks", "/gitHooks", "/husky/hooks", "/pre-commit"];
    let manifest: Value = serde_json::from_str(text).unwrap_or_default();
    let tables = TABLES.iter().filter_map(|table| manifest.pointer(table)?.get(hook)?.as_str());
    tables.map(str::to_owned).collect()
}

/// git commands with effects, which an alias can't replace.
const COMMANDS: &[&str] = &[
    "add",
    "apply",
    "bisect",
    "branch",
    "cherry-pick",
    "clean",
    "clone",
    "config",
    "fetch",
    "format-patch",
    "gc",
    "init",
    "mv",
    "notes",
    "reflog",
    "remote",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "submodule",
    "tag",
    "update-index",
    "worktree",
];

impl Walker {
    /// Returns the repository's hooks that a git command runs.
    pub(super) fn hooks(&mut self, words: &[Word]) -> Vec<Started> {
        let folder = values(words, "-C").into_iter().next();
        let mut operands = operands(words, &git::VALUE_OPTIONS);
        let Some(command) = operands.next() else { return Vec::new() };
        let hooks = HOOKS.iter().find(|(commands, _)| commands.contains(&command)).map(|(_, hooks)| *hooks);
        let set = self.repository_files(command);
        if !set.is_empty() {
            return set;
        }
        let Some(hooks) = hooks else {
            return self.git_alias(command, words, folder.as_ref()).into_iter().collect();
        };
        if words.iter().any(|word| word.text == "--no-verify") {
            return Vec::new();
        }
        let config = self.nearest(folder.as_ref(), &[".git/config"]);
        let Some((root, config)) =
            config.as_ref().and_then(|(path, content)| Some((path.strip_suffix("/.git/config")?, content)))
        else {
            return Vec::new();
        };
        let set = values(words, "-c").into_iter().find_map(|word| hooks_path(&word.text));
        let set = set.or_else(|| config.text.text.lines().find_map(hooks_path));
        let is_set = set.is_some();
        let folder = match set {
            Some(folder) if folder.starts_with('/') => folder,
            Some(folder) => format!("{root}/{folder}"),
            None => format!("{root}/.git/hooks"),
        };
        // husky's own files there start the files in the parent folder.
        let folder = folder.trim_end_matches('/').trim_end_matches("/_");
        let mut found = Vec::new();
        for hook in hooks {
            // Without a setting, a global setting may refer to a folder of the project.
            let own = FOLDERS.iter().filter(|_| !is_set).map(|own| format!("{root}/{own}"));
            let paths: Vec<String> =
                std::iter::once(folder.to_owned()).chain(own).map(|folder| format!("{folder}/{hook}")).collect();
            let Some((path, content)) =
                paths.into_iter().find_map(|path| self.running(&path).map(|content| (path, content)))
            else {
                found.extend(self.managed_hooks(root, hook));
                continue;
            };
            let argv = match interpreter(&content.text.text) {
                Some(name) if !is_shell(name) && reads_code(name) => reader(name),
                _ => Vec::new(),
            };
            let sure = path.starts_with(folder);
            found.push(Started { name: path, argv, content, sure, is_given: false, folder: None });
        }
        found
    }

    /// Returns the commands for this hook in a hook manager's file. Whether the manager is installed isn't checked.
    fn managed_hooks(&mut self, root: &str, hook: &str) -> Vec<Started> {
        let mut found = Vec::new();
        for (file, form) in MANAGERS {
            let path = format!("{root}/{file}");
            let Some(content) = self.running(&path) else { continue };
            let text = content.text.text.as_str();
            let commands = match form {
                Manager::Block(key) if text.contains(hook) => yaml(text, hook, "", &[key]),
                Manager::Commits(key) if hook == "pre-commit" => yaml(text, "", "", &[key]),
                Manager::Block(_) | Manager::Commits(_) => Vec::new(),
                Manager::Package => packaged(text, hook),
            };
            if commands.is_empty() {
                continue;
            }
            let content = Content { text: literal(&commands.join("\n")), is_excerpt: true, ..content };
            let name = format!("{path}{GOAL}{hook}");
            found.push(Started { name, argv: Vec::new(), content, sure: false, is_given: false, folder: None });
        }
        found
    }

    /// Returns the code in the project's files that this git command runs.
    fn repository_files(&mut self, command: &str) -> Vec<Started> {
        let (file, keys): (&str, &[&str]) = match command {
            "submodule" => (".gitmodules", &["update", "url"]),
            "lfs" => (".lfsconfig", &["path"]),
            _ => return Vec::new(),
        };
        let Some((path, content)) = self.nearest(None, &[file]) else { return Vec::new() };
        let command = |line: &str| {
            let (key, value) = line.split_once('=')?;
            let value = value.trim();
            let value = value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(value);
            let runs = value.strip_prefix('!').or_else(|| value.strip_prefix("ext::"));
            keys.contains(&key.trim()).then(|| runs.or((file == ".lfsconfig").then_some(value)))?.map(str::to_owned)
        };
        let commands: Vec<String> = content.text.text.lines().filter_map(command).take(MOST).collect();
        if commands.is_empty() {
            return Vec::new();
        }
        let content = Content { text: literal(&commands.join("\n")), is_excerpt: true, ..content };
        let name = format!("{path}{GOAL}{file}");
        vec![Started { name, argv: Vec::new(), content, sure: false, is_given: false, folder: None }]
    }

    /// Returns an alias from the repository's settings.
    fn git_alias(&mut self, command: &str, words: &[Word], folder: Option<&Word>) -> Option<Started> {
        let is_own = COMMANDS.contains(&command) || git::READING.contains(&command);
        if is_own || !command.chars().all(|char| char.is_ascii_alphanumeric() || char == '-') {
            return None;
        }
        let (path, content) = self.nearest(folder, &[".git/config"])?;
        let value = alias(&content.text.text, command)?;
        let given = words.iter().skip_while(|word| word.text != command).skip(1).map(|word| quoted(&word.text));
        let start = match value.strip_prefix('!') {
            Some(text) => text.to_owned(),
            None => format!("git {value}"),
        };
        let text = literal(&given.fold(start, |text, word| format!("{text} {word}")));
        let content = Content { text, is_excerpt: true, ..content };
        // git runs a shell alias in the root of the work tree.
        let root = path.strip_suffix("/.git/config").filter(|_| value.starts_with('!')).map(str::to_owned);
        let name = format!("{path}{GOAL}{command}");
        Some(Started { name, argv: Vec::new(), content, sure: true, is_given: true, folder: root })
    }
}

/// Variables with a settings file, and variables with a folder that contains one.
const SETTINGS: &[(&str, &str)] = &[
    ("GIT_CONFIG_GLOBAL", ""),
    ("GIT_CONFIG_SYSTEM", ""),
    ("GIT_CONFIG", ""),
    ("XDG_CONFIG_HOME", "/git/config"),
    ("HOME", "/.gitconfig"),
    ("HOME", "/.config/git/config"),
];

impl Walker {
    /// Returns the code that a command runs because of git settings in a file that this text wrote: its alias, and the
    /// programs in the settings.
    pub(super) fn settings_of_git(&mut self, program: &str, words: &[Word], set: &[Assignment]) -> Vec<Started> {
        if program != "git" {
            return Vec::new();
        }
        let command = operands(words, &git::VALUE_OPTIONS).next().unwrap_or_default().to_owned();
        let value = |name: &str| {
            let own = set.iter().rev().find(|own| own.name == name).map(|own| own.value.clone());
            own.or_else(|| self.shell.value(name).map(Cow::into_owned))
        };
        let files = SETTINGS.iter().filter_map(|(name, rest)| Some((value(name)?, *rest, name.starts_with("GIT"))));
        let mut files: Vec<(Word, bool)> = files
            .filter_map(|(value, rest, named)| Some((literal(&format!("{}{rest}", self.shell.plain(&value)?)), named)))
            .collect();
        let included = values(words, "-c").into_iter();
        files.extend(included.filter_map(|word| Some((literal(word.text.strip_prefix("include.path=")?), true))));
        let mut found = Vec::new();
        for (file, is_named) in files {
            // Of the files used by every call, only those that this text wrote are relevant.
            let Some(path) = self.path_of(&file).filter(|path| is_named || self.files.get(path).is_some()) else {
                continue;
            };
            let Some((_, content)) = self.running_file(&literal(&path)) else { continue };
            let aliased = alias(&content.text.text, &command).map(|value| match value.strip_prefix('!') {
                Some(text) => text.to_owned(),
                None => format!("git {value}"),
            });
            let mut texts: Vec<String> = aliased.into_iter().collect();
            texts.extend(programs(&content.text.text));
            if !texts.is_empty() {
                let content = Content { text: literal(&texts.join("\n")), is_excerpt: true, ..content };
                let name = format!("{path}{GOAL}{command}");
                found.push(Started { name, argv: Vec::new(), content, sure: false, is_given: false, folder: None });
            }
        }
        found
    }
}

/// Returns the programs in git settings.
fn programs(config: &str) -> Vec<String> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in config.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = header.replace(" \"", ".").replace('"', "").to_ascii_lowercase();
        } else if let Some((key, value)) = line.split_once('=') {
            let name = format!("{section}.{}", key.trim().to_ascii_lowercase());
            let value = literal(value.trim().trim_matches('"'));
            let setting = Setting { name, value, stays: true };
            let text = setting.command().filter(|_| !setting.is_alias()).map(|text| text.text);
            found.extend(text.filter(|text| text.contains(' ')));
        }
    }
    found.truncate(MOST);
    found
}

/// Returns the value of an alias in git settings.
fn alias(config: &str, name: &str) -> Option<String> {
    let mut inside = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.eq_ignore_ascii_case("[alias]");
        } else if let Some((key, value)) = line.split_once('=').filter(|_| inside)
            && key.trim().eq_ignore_ascii_case(name)
        {
            return Some(value.trim().trim_matches('"').replace("\\\"", "\"").replace("\\\\", "\\"));
        }
    }
    None
}

/// Returns the hooks folder in a line of git settings.
fn hooks_path(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches("core.");
    let (key, value) = line.split_once('=')?;
    key.trim().eq_ignore_ascii_case("hookspath").then(|| value.trim().trim_matches('"').to_owned())
}
