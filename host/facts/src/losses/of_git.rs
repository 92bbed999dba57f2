//! Losses by git commands.

use guard_contract::paths::lexical;
use guard_contract::syntax::{Command, Effect};

use super::references::{ALL, GitWords, REMOTES, TAGS, moved_references};
use super::{Fate, GitLoss, Loss, LossView, tag};

/// git's global options that don't select another repository.
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

/// Prefixes of settings (`-c`) that don't change what a command loses.
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

/// Kinds of wrappers that add words to a command.
const FED: [&str; 3] = ["find-exec", "parallel", "xargs"];

/// Returns the folder of a git command, its verb, and the words after it. `None` if the folder isn't known, or if
/// options may select another repository.
pub(crate) fn git_invocation(command: &Command) -> Option<(String, &str, Vec<&str>)> {
    let mut folder = command.cwd.clone();
    let mut words = command.argv.iter().skip(1);
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-C" => folder = lexical(&words.next().filter(|to| !to.dynamic)?.text, &folder, ""),
            "-c" => {
                let setting = words.next()?.text.to_ascii_lowercase();
                let is_harmless = SETTINGS.iter().any(|begin| setting.starts_with(begin));
                (is_harmless || pruned_prefix(&setting).is_some()).then_some(())?;
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

/// Operations that lose commits, stashes or changes that a copy can restore.
const OF_GIT: [&str; 15] = [
    "git.abort",
    "git.branch.delete",
    "git.branch.move",
    "git.clean",
    "git.discard",
    "git.notes.remove",
    "git.rebase",
    "git.ref.delete",
    "git.reflog.expire",
    "git.remote",
    "git.reset.hard",
    "git.stash.drop",
    "git.tag.delete",
    "git.tag.move",
    "git.worktree.remove",
];

pub(super) fn git_fate(effect: &Effect, call: &LossView<'_>) -> Option<Fate> {
    let operation = effect.operation.as_str();
    let command = call.command(effect).filter(|it| is_git(it))?;
    let (folder, verb, rest) = git_invocation(command)?;
    let words = GitWords(&rest);
    let deletes_replacement = verb == "replace" && words.has("d", "delete");
    // A replacement is a reference. Other commands that rewrite history aren't covered by a copy.
    let is_known = OF_GIT.contains(&operation) || operation == "git.history.rewrite" && deletes_replacement;
    // `stash@{1}` is git's syntax. Other braces belong to the shell or another program.
    let is_unknown = effect.target.replace("@{", "").contains(['$', '`', '{'])
        || command.argv.iter().any(|word| word.dynamic)
        || deletes_head(effect, verb, words);
    let of_submodule = if verb == "submodule" { submodule_loss(&folder, words) } else { None };
    let is_other =
        verb == "submodule" && of_submodule.is_none() || rest.iter().any(|word| word.starts_with("--recurse-sub"));
    let refs = moved_references(verb, words);
    // This would also delete the references of the copies.
    let takes_copies = verb == "fetch" && refs.iter().any(|name| name == ALL);
    if !is_known || is_fed(command) || is_unknown || is_other || takes_copies {
        return None;
    }
    let mut loss = GitLoss {
        folder,
        operation: operation.to_owned(),
        target: effect.target.clone(),
        is_forced: tag(effect, "force").is_some(),
        with_ignored: tag(effect, "ignored").is_some(),
        words: words.values().into_iter().map(str::to_owned).collect(),
        refs,
        fetches: false,
    };
    match operation {
        "git.clean" => {
            loss.is_forced = is_forced_twice(&rest);
            loss.with_ignored |= includes_ignored(&rest);
            // This option's value isn't a path.
            if rest.iter().any(|word| word.starts_with("-e") || word.starts_with("--exc")) {
                loss.words = vec![":/".to_owned()];
            }
        }
        "git.discard" if of_submodule.is_some() => loss = of_submodule?,
        // `HEAD` doesn't change.
        "git.discard" if verb == "read-tree" => (loss.is_forced, loss.target) = (false, String::new()),
        "git.discard" => loss.words.retain(|word| !loss.refs.contains(word)),
        // The work tree doesn't change.
        "git.branch.move" if matches!(verb, "fetch" | "update-ref") => "git.ref.move".clone_into(&mut loss.operation),
        "git.remote" if loss.refs.is_empty() => return None,
        "git.branch.delete" | "git.ref.delete" | "git.tag.delete" | "git.branch.move" if loss.refs.is_empty() => {
            loss.refs = vec![loss.target.clone()];
        }
        _ => {}
    }
    Some(Fate::Lost(Loss::Git(loss)))
}

/// Returns whether the command's arguments are only known at run time.
fn is_fed(command: &Command) -> bool {
    command.via.iter().any(|via| FED.contains(&via.kind.as_str()))
}

/// Returns whether the repository's `HEAD` itself is deleted, and not the branch that it points to. Without it, git
/// doesn't recognize the repository, so nothing can be restored.
fn deletes_head(effect: &Effect, verb: &str, words: GitWords<'_>) -> bool {
    let is_itself = verb == "symbolic-ref" || words.has("", "no-deref") || words.has("", "stdin");
    effect.operation == "git.ref.delete" && effect.target == "HEAD" && is_itself
}

/// Returns the loss by `git submodule`, which empties work trees or resets them to the commits in the index.
fn submodule_loss(folder: &str, words: GitWords<'_>) -> Option<GitLoss> {
    // These create commits, or use others than those in the index.
    let is_other = ["merge", "rebase", "remote"].iter().any(|name| words.has("", name));
    let mut named = words.values().into_iter();
    let operation = match named.next()? {
        "deinit" => "git.submodule.deinit",
        "update" if words.has("f", "force") && !is_other => "git.submodule.update",
        _ => return None,
    };
    let (folder, operation) = (folder.to_owned(), operation.to_owned());
    Some(GitLoss { folder, operation, words: named.map(str::to_owned).collect(), ..GitLoss::default() })
}

/// Returns the prefix of the references that git prunes because of a setting, `NAME=VALUE` in lower case.
fn pruned_prefix(setting: &str) -> Option<&'static str> {
    let (name, value) = setting.split_once('=').unwrap_or((setting, "true"));
    let folder = match name.rsplit_once('.')? {
        ("fetch", "prune") => REMOTES,
        ("fetch", "prunetags") => TAGS,
        (section, "prune") if section.starts_with("remote.") => REMOTES,
        (section, "prunetags") if section.starts_with("remote.") => TAGS,
        _ => return None,
    };
    Some(if matches!(value, "false" | "no" | "off" | "0") { "" } else { folder })
}

/// Returns the prefixes of the references that are pruned because of settings on the command line.
fn pruned_prefixes(command: &Command) -> impl Iterator<Item = String> {
    let words = || command.argv.iter().map(|word| word.text.as_str());
    let settings = words().zip(words().skip(1)).filter(|(option, _)| *option == "-c");
    let folders = settings.filter_map(|(_, setting)| pruned_prefix(&setting.to_ascii_lowercase()));
    folders.filter(|folder| !folder.is_empty()).map(str::to_owned)
}

/// Returns whether a pattern of `git clean` includes ignored files again, as with `-e '!*.log'`.
fn includes_ignored(words: &[&str]) -> bool {
    let is_option =
        |word: &str| word.starts_with("--e") && !word.contains('=') || word.starts_with('-') && word.ends_with('e');
    let negates = |word: &str| {
        let value = word.strip_prefix("--").and_then(|long| long.split_once('=')).map(|(_, value)| value);
        let value = value
            .or_else(|| word.strip_prefix('-').and_then(|letters| letters.split_once('e')).map(|(_, value)| value));
        value.is_some_and(|value| value.starts_with('!'))
    };
    words.windows(2).any(|pair| matches!(pair, [option, value] if is_option(option) && value.starts_with('!')))
        || words.iter().any(|word| negates(word))
}

/// Returns whether `-f` is given twice, so that `git clean` also deletes nested repositories.
fn is_forced_twice(words: &[&str]) -> bool {
    let options = words.iter().take_while(|word| **word != "--");
    let forces = options.map(|word| match word.strip_prefix('-') {
        Some(long) if long.starts_with('-') => usize::from(long.len() > 1 && "-force".starts_with(long)),
        Some(letters) => letters.matches('f').count(),
        None => 0,
    });
    forces.sum::<usize>() > 1
}

/// Returns the loss by a git command without an effect: a commit, a reference or the index is no longer reachable, or
/// an ignored file is overwritten.
pub(super) fn silent_loss(command: &Command) -> Option<GitLoss> {
    let is_elsewhere = command.via.iter().any(|via| matches!(via.kind.as_str(), "ssh" | "container"));
    if !is_git(command) || is_elsewhere {
        return None;
    }
    let (folder, verb, rest) = git_invocation(command)?;
    let words = GitWords(&rest);
    if words.has("", "dry-run") {
        return None;
    }
    let mut loss = GitLoss { folder, refs: moved_references(verb, words), ..GitLoss::default() };
    let is_unknown = is_fed(command) || command.argv.iter().any(|word| word.dynamic);
    if !loss.refs.is_empty() && is_unknown {
        loss.refs = vec![ALL.to_owned()];
    }
    let fetches = matches!(verb, "fetch" | "pull") || verb == "remote" && rest.first() == Some(&"update");
    if fetches && !words.has("", "no-prune") {
        loss.refs.extend(pruned_prefixes(command));
        loss.fetches = true;
    }
    let operation = match verb {
        "commit" if words.has("", "amend") => "git.amend",
        "config" if removes_settings(words) => "git.config",
        "reset" if words.has("", "keep") || words.has("", "merge") => "git.switch",
        "reset" if !words.has("", "hard") => "git.reset",
        // The files have their own effects.
        "rm" if !words.has("n", "dry-run") => "git.rm",
        "restore" if words.has("S", "staged") && !words.has("W", "worktree") => "git.index",
        "apply" if words.has("", "cached") || words.has("", "index") => "git.index",
        "update-index" if !words.has("", "refresh") && !words.has("", "really-refresh") => "git.index",
        "read-tree" if words.has("u", "") => "git.discard",
        "read-tree" if !words.has("n", "dry-run") => "git.index",
        "remote" if !loss.refs.is_empty() => "git.remote",
        "remote" if matches!(rest.first(), Some(&("set-branches" | "set-url"))) => "git.config",
        "branch" if sets_upstream(words) => "git.config",
        "submodule" if matches!(words.values().first(), Some(&("set-branch" | "set-url" | "sync"))) => {
            loss.is_forced = true;
            "git.config"
        }
        "submodule" => return submodule_loss(&loss.folder, words),
        "worktree" if rest.first() == Some(&"prune") => "git.worktree.prune",
        "stash" if matches!(rest.first(), Some(&("branch" | "pop"))) => "git.stash.pop",
        "sparse-checkout" if !matches!(rest.first(), None | Some(&("list" | "check-rules"))) => "git.sparse",
        "checkout" | "switch" | "merge" | "cherry-pick" | "revert" | "pull" | "stash" => "git.switch",
        _ => "git.refs",
    };
    if matches!(operation, "git.discard" | "git.stash.pop" | "git.switch") {
        loss.words = commits(verb, words);
        loss.words.retain(|word| !loss.refs.contains(word));
        // The command stashes and restores changes, or discards staged ones.
        let puts_away = words.has("", "autostash") || verb == "pull" && words.has("r", "rebase");
        loss.is_forced = operation == "git.switch" && (puts_away || verb == "reset");
    }
    if operation == "git.sparse" {
        loss.words = words.values().into_iter().map(str::to_owned).collect();
        // With patterns, git doesn't touch ignored files.
        loss.with_ignored = matches!(rest.first(), Some(&("init" | "reapply" | "set"))) && !words.has("", "no-cone");
    }
    operation.clone_into(&mut loss.operation);
    let is_loss = match operation {
        "git.refs" => !loss.refs.is_empty() || loss.fetches,
        "git.switch" => !loss.refs.is_empty() || !loss.words.is_empty() || loss.is_forced,
        _ => true,
    };
    is_loss.then_some(loss)
}

/// Returns whether `git branch` changes the settings of a branch.
fn sets_upstream(words: GitWords<'_>) -> bool {
    words.has("u", "set-upstream-to") || words.has("", "unset-upstream") || words.has("", "edit-description")
}

/// Returns whether `git config` removes or renames settings of the repository.
fn removes_settings(words: GitWords<'_>) -> bool {
    let options = ["remove-section", "rename-section", "unset", "unset-all"];
    let verbs = ["remove-section", "rename-section", "unset"];
    let is_elsewhere =
        words.has("f", "file") || ["global", "system", "worktree"].iter().any(|name| words.has("", name));
    let is_verb = words.values().first().is_some_and(|verb| verbs.contains(verb));
    !is_elsewhere && (is_verb || options.iter().any(|name| words.has("", name)))
}

/// Returns the commits whose files a command writes to the work tree.
fn commits(verb: &str, words: GitWords<'_>) -> Vec<String> {
    let ends = ["abort", "continue", "quit", "skip", "patch"].iter().any(|name| words.has("", name));
    let mut named = words.values();
    named.retain(|word| !word.is_empty());
    let first = named.first().copied();
    match verb {
        _ if ends => Vec::new(),
        "stash" if matches!(first, Some("apply" | "branch" | "pop")) => {
            let stash = named.get(1..).and_then(<[_]>::last).filter(|word| word.contains(['@', '{']));
            vec![stash.map_or_else(|| "refs/stash".to_owned(), |stash| (*stash).to_owned())]
        }
        "stash" => Vec::new(),
        "pull" => match named.as_slice() {
            [remote, branches @ ..] if !branches.is_empty() => {
                branches.iter().map(|branch| format!("{remote}/{}", branch.trim_start_matches('+'))).collect()
            }
            _ => vec!["@{upstream}".to_owned()],
        },
        "revert" => named.into_iter().map(|commit| format!("{commit}^")).collect(),
        _ => {
            // The operand of these options is a new branch.
            let made = [('b', ""), ('B', "orphan"), ('c', "create"), ('C', "force-create")];
            let is_branch = matches!(verb, "checkout" | "switch");
            let made = made.iter().filter(|_| is_branch).flat_map(|(letter, name)| words.option_values(*letter, name));
            let made: Vec<&str> = made.collect();
            let end = |word: &str| word.rsplit("..").next().unwrap_or(word).to_owned();
            named.into_iter().filter(|word| !made.contains(word)).map(end).collect()
        }
    }
}
