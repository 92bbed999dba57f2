//! The losses by commands of git.

use guard_contract::paths::lexical;
use guard_contract::syntax::{Command, Effect};

use super::{Fate, GitLoss, Loss, LossView, tag};

/// Options of git itself that leave it in the same repository.
const HARMLESS: [&str; 8] = [
    "--glob-pathspecs",
    "--literal-pathspecs",
    "--no-lazy-fetch",
    "--no-optional-locks",
    "--no-pager",
    "--paginate",
    "-P",
    "-p",
];

/// Settings given to one command that change nothing of what it loses, by how their names begin.
const SETTINGS: [&str; 9] = [
    "advice.",
    "clean.requireforce",
    "color.",
    "commit.gpgsign",
    "core.editor",
    "core.pager",
    "gpg.",
    "protocol.",
    "user.",
];

/// Ways in which a command gets words that its text does not have.
const FED: [&str; 3] = ["find-exec", "parallel", "xargs"];

/// The folder in which a command of git runs, its verb, and the words behind that. None if the folder is not known, or if
/// options may name another repository.
pub(super) fn git_invocation(command: &Command) -> Option<(String, &str, Vec<&str>)> {
    let mut folder = command.cwd.clone();
    let mut words = command.argv.iter().skip(1);
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-C" => folder = lexical(&words.next().filter(|to| !to.dynamic)?.text, &folder, ""),
            "-c" => {
                let setting = words.next()?.text.to_ascii_lowercase();
                SETTINGS.iter().find(|begin| setting.starts_with(**begin))?;
            }
            option if HARMLESS.contains(&option) => {}
            option if option.starts_with('-') => return None,
            verb => {
                let rest = words.map(|word| word.text.as_str()).collect();
                return folder.starts_with('/').then_some((folder, verb, rest));
            }
        }
    }
    None
}

pub(super) fn is_git(command: &Command) -> bool {
    command.argv.first().is_some_and(|word| word.text == "git" || word.text.ends_with("/git"))
}

/// Operations after which commits, stashes or changes are gone, and that a copy can bring back.
const OF_GIT: [&str; 12] = [
    "git.abort",
    "git.branch.delete",
    "git.branch.move",
    "git.clean",
    "git.discard",
    "git.rebase",
    "git.ref.delete",
    "git.reflog.expire",
    "git.reset.hard",
    "git.stash.drop",
    "git.tag.delete",
    "git.worktree.remove",
];

pub(super) fn of(effect: &Effect, call: &LossView<'_>) -> Option<Fate> {
    if !OF_GIT.contains(&effect.operation.as_str()) {
        return None;
    }
    let command = call.command(effect).filter(|it| is_git(it))?;
    let (folder, verb, rest) = git_invocation(command)?;
    let is_fed = command.via.iter().any(|via| FED.contains(&via.kind.as_str()));
    let is_unknown = effect.target.contains(['$', '`', '{']) || command.argv.iter().any(|word| word.dynamic);
    let is_other =
        matches!(verb, "submodule" | "read-tree") || rest.iter().any(|word| word.starts_with("--recurse-sub"));
    // An existing branch is moved to another commit.
    let is_discard = effect.operation == "git.discard";
    let moves_branch = is_discard && rest.iter().any(|word| matches!(*word, "-B" | "-C" | "--force-create"));
    if is_fed || is_unknown || is_other || moves_branch {
        return None;
    }
    let is_clean = effect.operation == "git.clean";
    let excludes = is_clean && rest.iter().any(|word| word.starts_with("-e") || word.starts_with("--exc"));
    Some(Fate::Lost(Loss::Git(GitLoss {
        folder,
        operation: effect.operation.clone(),
        target: effect.target.clone(),
        is_forced: if is_clean { is_forced_twice(&rest) } else { tag(effect, "force").is_some() },
        with_ignored: tag(effect, "ignored").is_some(),
        // The value of that option is no path.
        words: if excludes { vec![":/".to_owned()] } else { values(&rest) },
    })))
}

/// Whether `-f` is given twice, so that `git clean` also deletes nested repositories.
fn is_forced_twice(words: &[&str]) -> bool {
    let options = words.iter().take_while(|word| **word != "--");
    let forces = options.map(|word| match word.strip_prefix('-') {
        Some(long) if long.starts_with('-') => usize::from(long.len() > 1 && "-force".starts_with(long)),
        Some(letters) => letters.matches('f').count(),
        None => 0,
    });
    forces.sum::<usize>() > 1
}

/// The words that are no options, and what options have behind an equals sign or a single letter.
fn values(words: &[&str]) -> Vec<String> {
    let mut is_path = false;
    let mut found = Vec::new();
    for word in words {
        if is_path || !word.starts_with('-') || *word == "-" {
            found.push((*word).to_owned());
        } else if *word == "--" {
            is_path = true;
        } else if let Some((_, value)) = word.split_once('=') {
            found.push(value.to_owned());
        } else if let Some(value) = word.strip_prefix("-s").filter(|value| !value.is_empty()) {
            found.push(value.to_owned());
        }
    }
    found
}

/// Commands of git without an effect after which a commit or the index is gone from sight.
pub(super) fn of_silent(command: &Command) -> Option<GitLoss> {
    let is_elsewhere = command.via.iter().any(|via| matches!(via.kind.as_str(), "ssh" | "container"));
    if !is_git(command) || is_elsewhere {
        return None;
    }
    let has = |word: &str| command.argv.iter().any(|other| other.text == word);
    let (folder, verb, _) = git_invocation(command)?;
    let operation = match verb {
        "commit" if has("--amend") && !has("--dry-run") => "git.amend",
        "reset" if !has("--hard") => "git.reset",
        // The files are lost by an effect of their own.
        "rm" if !has("--dry-run") && !has("-n") => "git.rm",
        _ => return None,
    };
    let (operation, target, words) = (operation.to_owned(), String::new(), Vec::new());
    Some(GitLoss { folder, operation, target, is_forced: false, with_ignored: false, words })
}
