//! Losses by commands of git that have no effect, and the names that its losses have.

use super::*;

/// The losses of a command without effects: operation, words, references.
fn silent(words: &str) -> Option<(String, String, String)> {
    let mut found = last_of(&[command(1, words)], &[]).1.list.into_iter();
    let Loss::Git(loss) = found.next()? else { panic!("{words}") };
    assert_eq!(found.next(), None, "{words}");
    Some((loss.operation, loss.words.join(" "), loss.refs.join(" ")))
}

#[test]
fn commands_of_git_say_which_references_files_and_index_they_replace() {
    for (text, operation, words, refs) in [
        ("git checkout -B feat x", "git.switch", "x", "feat"),
        ("git checkout -Bfeat", "git.switch", "", "feat"),
        ("git switch -C feat", "git.switch", "", "feat"),
        ("git switch --force-create=feat x", "git.switch", "x", "feat"),
        ("git checkout -q -b feat x", "git.switch", "x", ""),
        ("git checkout old", "git.switch", "old", ""),
        ("git switch -", "git.switch", "-", ""),
        ("git merge --no-ff topic", "git.switch", "topic", ""),
        ("git revert abc", "git.switch", "abc^", ""),
        ("git cherry-pick a..b", "git.switch", "b", ""),
        ("git pull", "git.switch", "@{upstream}", ""),
        ("git pull origin topic", "git.switch", "origin/topic", ""),
        ("git pull --rebase", "git.switch", "@{upstream}", ""),
        ("git stash pop", "git.stash.pop", "refs/stash", ""),
        ("git stash apply", "git.switch", "refs/stash", ""),
        ("git reset --keep x", "git.switch", "x", ""),
        ("git reset HEAD~3", "git.reset", "", ""),
        ("git restore --staged a", "git.index", "", ""),
        ("git apply --cached p", "git.index", "", ""),
        ("git update-index --force-remove a", "git.index", "", ""),
        ("git read-tree HEAD", "git.index", "", ""),
        ("git read-tree -m -u HEAD x", "git.discard", "HEAD x", ""),
        ("git fetch --prune", "git.refs", "", "refs/remotes/"),
        ("git fetch -p origin +refs/heads/*:refs/heads/*", "git.refs", "", "refs/heads/ refs/remotes/"),
        ("git -c color.ui=never fetch --prune-tags", "git.refs", "", "refs/remotes/ refs/tags/"),
        ("git fetch origin +x:y", "git.refs", "", "y refs/remotes/"),
        ("git fetch --tags -f", "git.refs", "", "refs/remotes/ refs/tags/"),
        ("git remote prune origin", "git.remote", "", "refs/remotes/"),
        ("git remote update --prune", "git.remote", "", "refs/remotes/"),
        ("git update-ref --stdin", "git.refs", "", "refs/ HEAD"),
        ("git symbolic-ref HEAD refs/heads/x", "git.refs", "", "HEAD"),
        ("git notes append -m x", "git.refs", "", "refs/notes/"),
        ("git tag -f -m x v1", "git.refs", "", "refs/tags/v1"),
        ("git push . :feat", "git.refs", "", "feat"),
        ("git submodule deinit sub", "git.submodule.deinit", "sub", ""),
        ("git worktree prune", "git.worktree.prune", "", ""),
        ("git sparse-checkout set src", "git.sparse", "set src", ""),
        ("git config --unset remote.origin.url", "git.config", "", ""),
        ("git config remove-section remote.origin", "git.config", "", ""),
        ("git remote set-url origin x", "git.config", "", ""),
        ("git remote set-branches origin x", "git.config", "", ""),
        ("git branch -u origin/x", "git.config", "", ""),
        ("git branch --set-upstream-to=x main", "git.config", "", ""),
        ("git branch --unset-upstream", "git.config", "", ""),
        ("git branch --edit-description", "git.config", "", ""),
        ("git branch -m feat topic", "git.refs", "", "feat topic"),
        ("git branch --move topic", "git.refs", "", "topic"),
        ("git branch -c feat topic", "git.refs", "", "feat topic"),
        ("git submodule set-url sub x", "git.config", "", ""),
        ("git submodule set-branch -b x sub", "git.config", "", ""),
        ("git fetch", "git.refs", "", ""),
        ("git remote update", "git.refs", "", ""),
        ("git -c fetch.prune=true fetch", "git.refs", "", "refs/remotes/"),
        ("git -c remote.origin.pruneTags fetch origin", "git.refs", "", "refs/tags/"),
    ] {
        let expected = (operation.to_owned(), words.to_owned(), refs.to_owned());
        assert_eq!(silent(text), Some(expected), "{text}");
    }
}

#[test]
fn commands_of_git_that_lose_nothing_are_no_losses() {
    for text in [
        "git status -sb",
        "git add -A",
        "git stage a src",
        "git commit -m x",
        "git commit -am amend",
        "git commit -qm why a.txt",
        "git commit -F notes.txt",
        "git config user.name x",
        "git config --get user.name",
        "git config --global --unset user.name",
        "git push -u origin x",
        "git fetch --all --dry-run --prune",
        "git checkout -b feat",
        "git switch -c feat",
        "git branch feat",
        "git branch --list",
        "git tag v1",
        "git tag -l v*",
        "git stash",
        "git stash list",
        "git notes show",
        "git replace -l",
        "git remote add o u",
        "git remote -v",
        "git symbolic-ref HEAD",
        "git worktree list",
        "git submodule update --init",
        "git merge --abort",
        "git rebase --continue",
        "git cherry-pick --continue",
        "git log --oneline",
        "git update-index -q --refresh",
    ] {
        assert_eq!(silent(text), None, "{text}");
    }
}

#[test]
fn of_references_whose_names_another_program_writes_all_are_lost() {
    let fed = |words: &str| {
        let via = vec![Via { kind: "xargs".to_owned(), detail: String::new() }];
        let found = last_of(&[Command { via, ..command(1, words) }], &[]).1.list;
        found
            .into_iter()
            .map(|loss| if let Loss::Git(loss) = loss { loss.refs.join(" ") } else { String::new() })
            .collect::<Vec<_>>()
    };
    for words in ["git branch -D {}", "git tag -d {}", "git update-ref -d {}"] {
        assert_eq!(fed(words), ["refs/"], "{words}");
    }
    assert_eq!(fed("git show {}"), [""; 0]);
}

#[test]
fn references_and_the_work_tree_of_a_submodule_are_recoverable() {
    let tag_of =
        |words: &str, operation: &str| last_of(&[command(1, words)], &[by(1, effect("vcs", operation, "x"))]).0;
    for (words, operation) in [
        ("git checkout -f -B main x", "git.discard"),
        ("git read-tree -u --reset x", "git.discard"),
        ("git submodule deinit -f x", "git.discard"),
        ("git submodule update --init --force x", "git.discard"),
        ("git tag -f x", "git.tag.move"),
        ("git notes remove x", "git.notes.remove"),
        ("git remote remove x", "git.remote"),
        ("git replace -d x", "git.history.rewrite"),
        ("git update-ref refs/heads/x y", "git.branch.move"),
    ] {
        assert_eq!(tag_of(words, operation), "recoverable", "{words}");
    }
    for (words, operation) in [
        ("git replace x y", "git.history.rewrite"),
        ("git filter-branch x", "git.history.rewrite"),
        ("git submodule update --force --rebase x", "git.discard"),
        ("git lfs prune", "git.objects.prune"),
    ] {
        assert_eq!(tag_of(words, operation), "not", "{words}");
    }
}

#[test]
fn a_stash_of_a_number_is_known_and_other_braces_are_not() {
    let tag_of = |target: &str| {
        let words = format!("git stash drop {target}");
        last_of(&[command(1, &words)], &[by(1, effect("vcs", "git.stash.drop", target))]).0
    };
    assert_eq!((tag_of("stash@{1}"), tag_of("{}")), ("recoverable".to_owned(), "not".to_owned()));
}

#[test]
fn a_repository_without_its_head_is_not_recoverable() {
    let tag_of =
        |words: &str, target: &str| last_of(&[command(1, words)], &[by(1, effect("vcs", "git.ref.delete", target))]).0;
    for words in ["git update-ref --no-deref -d HEAD", "git update-ref --stdin", "git symbolic-ref -d HEAD"] {
        assert_eq!(tag_of(words, "HEAD"), "not", "{words}");
    }
    assert_eq!(tag_of("git update-ref -d HEAD", "HEAD"), "recoverable");
    assert_eq!(tag_of("git update-ref --no-deref -d refs/heads/x", "refs/heads/x"), "recoverable");
}

#[test]
fn a_negated_pattern_of_git_clean_includes_ignored_files() {
    let with_ignored = |words: &str| {
        let clean = Effect { command_id: 1, ..effect("vcs", "git.clean", "") };
        let found = last_of(&[command(1, words)], &[clean]).1.list;
        matches!(found.as_slice(), [Loss::Git(loss)] if loss.with_ignored)
    };
    for words in [
        "git clean -fd -e !x.log",
        "git clean -fde !x.log",
        "git clean -fd -e!x.log",
        "git clean -fd --exclude=!build/",
        "git clean -fd --exclude !build/",
    ] {
        assert!(with_ignored(words), "{words}");
    }
    for words in ["git clean -fd", "git clean -fd -e x.log", "git clean -fd --exclude=build !x"] {
        assert!(!with_ignored(words), "{words}");
    }
}
