//! The references of git below `refs/guard-host`, which keep the commits that `guard-host undo` brings back.
//!
//! Each repository has its own. A repository may be deleted as before: only a change of the references themselves is found.

use guard_sdk::git;
use guard_sdk::syntax::{Command, Effect};

use crate::call_view::{CallView, is_remote};
use crate::names::{Names, Relation, last_of};
use crate::touch::is_change;

/// The prefix of the references.
const PINS: &str = "refs/guard-host";

/// Their folder in a repository, where it is one of a work tree and where it is any.
const FOLDERS: [&str; 2] = [".git/refs/guard-host/", "refs/guard-host/"];

/// The file in which git packs references.
const PACKED: &str = "packed-refs";

/// Commands of git that change the references that they name.
const CHANGING: [&str; 9] =
    ["branch", "fast-import", "fetch", "pull", "push", "reflog", "replace", "symbolic-ref", "update-ref"];

/// The first of them that the call changes, as it is written.
pub(crate) fn changed(view: &CallView<'_>) -> Option<String> {
    let by_file = || view.analysis.effects.iter().find(|effect| is_of_pins(effect, view));
    let by_git = || view.analysis.commands.iter().find_map(|command| named_by_git(command, view));
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
    let is_packed = |path: &str| last_of(path).eq_ignore_ascii_case(PACKED);
    effect.spellings().any(is_pin) || effect.spellings().any(is_packed) && names_guard(view)
}

/// The call's input has the name that is in all of the references.
fn names_guard(view: &CallView<'_>) -> bool {
    view.input().to_string().contains("guard-host")
}

fn named_by_git(command: &Command, view: &CallView<'_>) -> Option<String> {
    if command.program() != "git" || is_remote(command) {
        return None;
    }
    let (verb, words) = git::subcommand(command.argv.iter().skip(1).map(|word| word.text.as_str()))?;
    if !CHANGING.contains(&verb) {
        return None;
    }
    let mut rest = words.clone();
    let prunes = words.clone().any(|word| word.starts_with("--prune") || word == "-p");
    if prunes && matches!(verb, "fetch" | "pull") && words.clone().any(takes_all) {
        return Some(PINS.to_owned());
    }
    let is_fed = words.clone().any(|word| word == "--stdin") && view.text().contains(PINS);
    rest.find(|word| word.contains(PINS)).map(str::to_owned).or_else(|| is_fed.then(|| PINS.to_owned()))
}

/// A refspec puts the references of another repository in the place of all of this one.
fn takes_all(refspec: &str) -> bool {
    let begin = refspec.split_once(':').and_then(|(_, name)| name.strip_suffix('*'));
    begin.is_some_and(|begin| begin.starts_with("refs/") && PINS.starts_with(begin))
}
