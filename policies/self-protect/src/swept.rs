//! Git commands that remove all untracked files of a work tree that contains guard-host's files, as a repository of
//! dotfiles in the home does, and sparse checkouts without the folder of a project's configuration.

use guard_sdk::syntax::{Command, Effect};
use guard_sdk::{Presence, git};

use crate::call_view::{CallView, is_remote};
use crate::guarded::GuardedKind;
use crate::names::Names;

/// The maximum number of folders above the command's folder that are searched for a repository.
const DEPTH: usize = 32;

/// Returns the first command that removes untracked files of guard-host.
pub(crate) fn command<'a>(view: &CallView<'a>) -> Option<&'a Command> {
    view.analysis.commands.iter().find(|command| removes_own_files(command, view))
}

/// Returns the first command that limits the work tree to folders other than the project's `.guard/`.
pub(crate) fn sparse_checkout<'a>(view: &CallView<'a>) -> Option<&'a Command> {
    view.analysis.commands.iter().find(|command| leaves_out_project(command, view))
}

fn leaves_out_project(command: &Command, view: &CallView<'_>) -> bool {
    if command.program() != "git" || is_remote(command) {
        return false;
    }
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let Some(("sparse-checkout", mut rest)) = git::subcommand(words()) else { return false };
    let verb = rest.next();
    let is_kept = |pattern: &str| {
        let name = pattern.trim_matches(['/', '*']);
        (name.is_empty() && !pattern.is_empty() || name == "." || name.starts_with(".guard"))
            && !pattern.starts_with('!')
    };
    let limits = match verb {
        // Without folders, only the files at the root stay.
        Some("init") => !words().any(|word| word == "--no-cone"),
        Some("set") => true,
        _ => false,
    };
    if !limits || rest.any(is_kept) {
        return false;
    }
    let Some(folder) = folder(command).map(|folder| view.call.resolve(&folder).lexical) else { return false };
    let root = root(command, &folder, view);
    root.is_some_and(|root| view.call.resolve(&format!("{root}/.guard")).exists == Presence::Yes)
}

fn removes_own_files(command: &Command, view: &CallView<'_>) -> bool {
    if command.program() != "git" || is_remote(command) {
        return false;
    }
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let Some((verb, rest)) = git::subcommand(words()) else { return false };
    let rest: Vec<&str> = rest.collect();
    let is_option = |long: &str, short: char| {
        let is_short = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains(short);
        let is_long = |word: &str| word.len() > 4 && word.starts_with("--") && long.starts_with(word);
        rest.iter().any(|word| is_short(word) || is_long(word))
    };
    let is_clean = verb == "clean";
    let sweeps = match verb {
        "clean" => is_cleaning(command, view),
        "stash" => {
            let saves =
                !matches!(rest.first(), Some(&("apply" | "branch" | "clear" | "drop" | "list" | "pop" | "show")));
            saves && (is_option("--include-untracked", 'u') || is_option("--all", 'a'))
        }
        _ => false,
    };
    if !sweeps {
        return false;
    }
    let Some(folder) = folder(command).map(|folder| view.call.resolve(&folder).lexical) else { return false };
    let Some(root) = root(command, &folder, view) else { return false };
    let names = rest.iter().skip(usize::from(!is_clean)).filter(|word| !word.starts_with('-') && **word != ".");
    let mut named = names.map(|name| view.call.resolve(&join(&folder, name)).lexical).peekable();
    let scopes: Vec<String> = match named.peek() {
        Some(_) => named.collect(),
        // `git clean` stays in its folder, unless the work tree is elsewhere.
        None if is_clean && Names::new(&root).contains(&Names::new(&folder)) => vec![folder],
        None => vec![root],
    };
    scopes.iter().any(|scope| contains_own_files(scope, view))
}

/// Returns whether `git clean` deletes something.
fn is_cleaning(command: &Command, view: &CallView<'_>) -> bool {
    let is_clean = |effect: &&Effect| effect.operation == "git.clean" && effect.tag("dry-run").is_none();
    view.index().effects(command).iter().any(is_clean)
}

/// Returns the folder in which git runs.
fn folder(command: &Command) -> Option<String> {
    let mut folder = command.cwd.clone();
    let mut words = command.argv.iter().skip(1);
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-C" => folder = join(&folder, &words.next()?.text),
            option if git::VALUE_OPTIONS.contains(&option) => drop(words.next()),
            option if option.starts_with('-') => {}
            _ => break,
        }
    }
    folder.starts_with(['/', '~']).then_some(folder)
}

/// Returns the root of the work tree.
fn root(command: &Command, folder: &str, view: &CallView<'_>) -> Option<String> {
    let words = || command.argv.iter().map(|word| word.text.as_str());
    let named = words().find_map(|word| word.strip_prefix("--work-tree="));
    let set = command.assignments.iter().find(|it| it.name == "GIT_WORK_TREE").map(|it| it.value.text.as_str());
    let next = words().skip_while(|word| *word != "--work-tree").nth(1);
    if let Some(tree) = named.or(next).or(set) {
        return Some(view.call.resolve(&join(folder, tree)).lexical);
    }
    let mut folder = view.call.resolve(folder).canonical;
    for _ in 0..DEPTH {
        if view.call.resolve(&format!("{folder}/.git")).exists == Presence::Yes {
            return Some(folder);
        }
        folder.truncate(folder.rfind('/').filter(|end| *end > 0)?);
    }
    None
}

/// Returns whether guard-host's state or configuration is in the folder.
fn contains_own_files(folder: &str, view: &CallView<'_>) -> bool {
    let (folder, home) = (Names::new(folder), &view.facts().home);
    let mut own = view.guard.all().filter(|guarded| matches!(guarded.what, GuardedKind::Config | GuardedKind::State));
    own.any(|guarded| {
        let entry = guarded.entry.trim_end_matches('/');
        // A project's own configuration is the project's.
        let path = match entry {
            ".guard" => return false,
            _ if entry.starts_with('/') => entry.to_owned(),
            _ => format!("{home}/{entry}"),
        };
        folder.contains(&Names::new(&path)) && view.call.resolve(&path).exists == Presence::Yes
    })
}

fn join(folder: &str, path: &str) -> String {
    if path.starts_with(['/', '~']) { path.to_owned() } else { format!("{}/{path}", folder.trim_end_matches('/')) }
}
