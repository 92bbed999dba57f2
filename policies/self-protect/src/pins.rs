//! The git references below `refs/guard-host`, which keep the commits that `guard-host undo` restores.
//!
//! Each repository has its own references. Deleting a repository is judged as before. Only changes of the references
//! themselves are found.

use guard_sdk::git;
use guard_sdk::syntax::{Command, Effect};

use crate::call_view::{CallView, is_remote};
use crate::names::{Names, Relation, last_component};
use crate::touch::is_change;

/// The prefix of the references.
const PINS: &str = "refs/guard-host";

/// The references' folder, in a work tree's repository and in any repository.
const FOLDERS: [&str; 2] = [".git/refs/guard-host/", "refs/guard-host/"];

/// The file with git's packed references.
const PACKED: &str = "packed-refs";

/// Git commands that change the references that they name.
const CHANGING: [&str; 9] =
    ["branch", "fast-import", "fetch", "pull", "push", "reflog", "replace", "symbolic-ref", "update-ref"];

/// Returns the first reference that the call changes, as written.
pub(crate) fn changed_reference(view: &CallView<'_>) -> Option<String> {
    let by_file = || view.analysis.effects.iter().find(|effect| is_of_pins(effect, view));
    let by_git = || view.analysis.commands.iter().find_map(|command| git_reference(command, view));
    by_file().map(|effect| effect.target.clone()).or_else(by_git)
}

fn is_of_pins(effect: &Effect, view: &CallView<'_>) -> bool {
    if !is_change(effect) {
        return false;
    }
    let is_pin = |path: &str| {
        let names = Names::new(path);
        let found = |entry: &str| names.relation(entry).filter(|found| found.relation != Relation::Above);
        let [of_work_tree, anywhere] = FOLDERS.map(found);
        of_work_tree.is_some() || anywhere.is_some_and(|found| !found.guessed)
    };
    let is_packed = |path: &str| last_component(path).eq_ignore_ascii_case(PACKED);
    effect.spellings().any(is_pin) || effect.spellings().any(is_packed) && mentions_guard(view)
}

/// Returns whether the call's input contains the name that all the references have.
fn mentions_guard(view: &CallView<'_>) -> bool {
    view.input().to_string().contains("guard-host")
}

fn git_reference(command: &Command, view: &CallView<'_>) -> Option<String> {
    if command.program() != "git" || is_remote(command) {
        return None;
    }
    let (verb, words) = git::subcommand(command.argv.iter().skip(1).map(|word| word.text.as_str()))?;
    if !CHANGING.contains(&verb) {
        return None;
    }
    let mut rest = words.clone();
    let prunes = words.clone().any(|word| word.starts_with("--prune") || word == "-p");
    if prunes && matches!(verb, "fetch" | "pull") && words.clone().any(replaces_all) {
        return Some(PINS.to_owned());
    }
    let is_fed = words.clone().any(|word| word == "--stdin") && view.text().contains(PINS);
    rest.find(|word| word.contains(PINS)).map(str::to_owned).or_else(|| is_fed.then(|| PINS.to_owned()))
}

/// Returns whether a refspec replaces all references with those of another repository.
fn replaces_all(refspec: &str) -> bool {
    let begin = refspec.split_once(':').and_then(|(_, name)| name.strip_suffix('*'));
    begin.is_some_and(|begin| begin.starts_with("refs/") && PINS.starts_with(begin))
}
