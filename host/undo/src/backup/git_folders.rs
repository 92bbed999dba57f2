//! Losses by git commands that affect whole folders: of untracked files, submodules, and linked or sparse work trees.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use guard_facts::losses::GitLoss;
use guard_platform::paths::{from_git, slashed};

use super::git_state::gather;
use super::{add_replaced, add_worktree, path_loss};
use crate::gather::{Gatherer, SkipReason};
use crate::git::Repository;
use crate::index::TrackedFile;
use crate::manifest::GitState;

/// Adds the files that `git clean` deletes: those below its paths, or all if one of the paths may be a pattern.
pub(super) fn clean(
    gatherer: &mut Gatherer,
    loss: &GitLoss,
    repository: &Repository,
    folder: &Path,
) -> Result<(), SkipReason> {
    let what = (loss.with_ignored, loss.is_forced);
    let words: Vec<&str> = match loss.words.as_slice() {
        [] if loss.target.is_empty() => return gatherer.add_untracked(repository, folder, what),
        [] => vec![&loss.target],
        words => words.iter().map(String::as_str).collect(),
    };
    let starts: Vec<PathBuf> = words.iter().map(|word| folder.join(word)).collect();
    let is_plain = |word: &&str| !word.contains([':', '*', '?', '[', '{', '\\', '!', '^']);
    let is_there = |start: &PathBuf| {
        let data = start.symlink_metadata();
        data.is_ok_and(|data| !data.is_symlink())
            && start.canonicalize().is_ok_and(|it| it.starts_with(&repository.root))
    };
    if !words.iter().all(is_plain) || !starts.iter().all(is_there) {
        return gatherer.add_untracked(repository, &repository.root, what);
    }
    for start in starts {
        let start = start.canonicalize().unwrap_or(start);
        let is_within = Repository::find(&start).is_some_and(|other| other == *repository);
        if start.join(".git").is_file() {
            gatherer.report_excluded(format!("{}: a repository whose commits are stored elsewhere", start.display()));
        }
        match start.is_dir() && is_within {
            true => gatherer.add_untracked(repository, &start, what)?,
            false => gatherer.add(&path_loss(&start))?,
        }
    }
    Ok(())
}

/// Returns the submodules in a command, or all of them, with their commits.
fn submodules(
    gatherer: &mut Gatherer,
    loss: &GitLoss,
    repository: &Repository,
    folder: &Path,
) -> Vec<(PathBuf, String)> {
    let Some(index) = gatherer.index(repository) else { return Vec::new() };
    let all = index.entries(index.slots()).filter(TrackedFile::is_folder);
    let all = all.filter_map(|entry| Some((repository.root.join(from_git(entry.path)?), entry.oid())));
    let mut all: Vec<(PathBuf, String)> = all.collect();
    let named: Vec<PathBuf> = loss.words.iter().map(|word| real_link_path(folder.join(word))).collect();
    let is_submodule = |named: &PathBuf| all.iter().any(|(path, _)| path.starts_with(named));
    if let Some(other) = named.iter().find(|named| !is_submodule(named)) {
        // The word may be a pattern, or the value of an option.
        gatherer.report_excluded(format!("{}: no submodule", other.display()));
        return all;
    }
    all.retain(|(path, _)| named.is_empty() || named.iter().any(|named| path.starts_with(named)));
    all
}

/// Adds the losses of checking submodules out at the commits of the index.
pub(super) fn update_submodules(
    gatherer: &mut Gatherer,
    loss: &GitLoss,
    repository: &Repository,
    (folder, env): (&Path, &BTreeMap<String, String>),
) -> Result<Vec<GitState>, SkipReason> {
    let mut states = Vec::new();
    for (path, oid) in submodules(gatherer, loss, repository, folder) {
        // A submodule that was never checked out has nothing to lose.
        let Some(text) = path.to_str().filter(|_| path.join(".git").exists()) else { continue };
        let (folder, operation) = (text.to_owned(), "git.discard".to_owned());
        let discard = GitLoss { folder, operation, is_forced: true, words: vec![oid], ..GitLoss::default() };
        states.extend(gather(gatherer, &discard, env)?);
    }
    Ok(states)
}

/// Adds the losses of emptying submodules' work trees. The same call may check them out again, so their files are
/// treated as replaced.
pub(super) fn deinit(
    gatherer: &mut Gatherer,
    loss: &GitLoss,
    repository: &Repository,
    folder: &Path,
) -> Result<(), SkipReason> {
    for (path, _) in submodules(gatherer, loss, repository, folder) {
        add_replaced(gatherer, &path)?;
        if path.join(".git").is_dir() {
            gatherer.report_excluded(format!("{}: its repository moves", path.display()));
        }
    }
    add_replaced(gatherer, &repository.common_dir.join("config"))
}

/// Adds the losses of removing a work tree. Git also accepts the end of its path as its name.
pub(super) fn remove_worktree(gatherer: &mut Gatherer, path: &Path) -> Result<(), SkipReason> {
    if !path.join(".git").is_file() {
        gatherer.report_excluded(format!("{}: not a git worktree", path.display()));
        return Ok(());
    }
    gatherer.add(&path_loss(path))?;
    add_worktree(gatherer, path)
}

/// Adds the losses of excluding folders from the work tree. In cone mode, git also deletes the ignored files in them.
pub(super) fn exclude_folders(
    gatherer: &mut Gatherer,
    loss: &GitLoss,
    repository: &Repository,
    folder: &Path,
) -> Result<(), SkipReason> {
    let patterns = repository.git_dir.join("info/sparse-checkout");
    add_replaced(gatherer, &patterns)?;
    let Some(index) = gatherer.index(repository).filter(|_| loss.with_ignored) else { return Ok(()) };
    let stay: Vec<PathBuf> = match loss.words.split_first() {
        Some((verb, folders)) if verb == "set" => {
            folders.iter().map(|word| real_link_path(folder.join(word))).collect()
        }
        _ => {
            let text = fs::read_to_string(patterns).unwrap_or_default();
            let lines: BTreeSet<&str> = text.lines().collect();
            // In a folder with `!/x/*/`, only direct children stay.
            let is_whole =
                |line: &&&str| line.ends_with('/') && !line.contains('*') && !lines.contains(&*format!("!{line}*/"));
            lines.iter().filter(is_whole).map(|line| repository.root.join(line.trim_matches('/'))).collect()
        }
    };
    let mut open = vec![repository.root.clone()];
    while let Some(folder) = open.pop() {
        for child in fs::read_dir(&folder).into_iter().flatten().flatten().map(|child| child.path()) {
            let below = child.strip_prefix(&repository.root).map(slashed).unwrap_or_default();
            let is_left = index.tracks_below(&below) && !stay.iter().any(|stay| child.starts_with(stay));
            if is_left && stay.iter().any(|stay| stay.starts_with(&child)) {
                open.push(child);
            } else if is_left {
                gatherer.add_untracked(repository, &child, (true, true))?;
            }
        }
    }
    Ok(())
}

/// Returns the real path of a link itself, not of its target, because git replaces the link.
pub(super) fn real_link_path(target: PathBuf) -> PathBuf {
    let parent = target.parent().and_then(|parent| parent.canonicalize().ok());
    let start = parent.zip(target.file_name()).map(|(parent, name)| parent.join(name));
    start.or_else(|| target.canonicalize().ok()).unwrap_or(target)
}
