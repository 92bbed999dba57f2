//! The losses by a command of git, and the objects that git must not prune until the copy goes.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::thread;

use guard_facts::losses::GitLoss;
use guard_platform::paths::{from_git, native};

use super::{add_tree, path_loss};
use crate::gather::{Gatherer, Stop};
use crate::git::{Git, PINS, Repository};
use crate::index::Index;
use crate::manifest::{GitState, Manifest, Why};

/// The most stashes that are kept.
const STASHES: usize = 64;

/// The most commits of a reflog that are kept.
const REFLOG: usize = 1000;

/// The most staged files whose contents are named one by one. With more, git writes the tree of the index.
const STAGED: usize = 32;

/// The tree without a file: what is staged before the first commit differs from it.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// Files in which git notes a merge, a rebase or the like.
const UNDER_WAY: [&str; 7] =
    ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

/// The checked-out commit and branch.
#[derive(Debug, Default)]
struct Head {
    /// Empty: before the first commit.
    commit: String,
    tree: String,
    /// Empty: none.
    branch: String,
}

impl Head {
    fn read(git: &Git<'_>) -> Self {
        // One process in the place of three.
        let all = git.text(&["rev-parse", "HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD"]);
        let all = all.unwrap_or_default();
        let mut lines = all.lines().map(str::to_owned);
        match (lines.next(), lines.next(), lines.next()) {
            (Some(commit), Some(tree), Some(name)) => {
                let branch = Some(name).filter(|name| name != "HEAD").unwrap_or_default();
                Head { commit, tree, branch }
            }
            _ => Head { branch: git.text(&["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default(), ..Head::default() },
        }
    }
}

/// Gathers the parts of a repository that a command of git loses.
pub(super) fn gather(
    gatherer: &mut Gatherer,
    loss: &GitLoss,
    env: &BTreeMap<String, String>,
) -> Result<Option<GitState>, Stop> {
    let folder = native(&loss.folder);
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.into_owned());
    let Some(repository) = Repository::of(&folder) else { return Ok(None) };
    let Some(root) = repository.root.to_str().map(str::to_owned) else { return Ok(None) };
    gatherer.check_time()?;
    let target = folder.join(&loss.target);
    if loss.operation == "git.clean" {
        let start = if loss.target.is_empty() { folder } else { target };
        match start.is_dir() {
            true => gatherer.add_untracked(&repository, &start, loss.with_ignored)?,
            false => gatherer.add(&path_loss(&start))?,
        }
        return Ok(None);
    }
    let git = Git { root: &repository.root, env };
    let head = Head::read(&git);
    let mut state = GitState { root, operation: loss.operation.clone(), ..GitState::default() };
    state.moves = repository.moves();
    let (is_path, is_whole) = (!loss.target.is_empty() && target.symlink_metadata().is_ok(), target == repository.root);
    match loss.operation.as_str() {
        "git.discard" if is_path && !loss.is_forced => {
            let start = target.canonicalize().unwrap_or(target);
            add_changes(gatherer, &repository, &head, Some(&start), &git)?;
        }
        "git.discard" | "git.reset.hard" | "git.rebase" | "git.abort" => {
            if is_path && target.is_dir() && !is_whole {
                // A submodule whose folder is emptied.
                gatherer.add(&path_loss(&target))?;
            }
            add_changes(gatherer, &repository, &head, None, &git)?;
            state.moves_files = true;
        }
        "git.stash.drop" => state.stashes = stashes(&git),
        "git.reflog.expire" => {
            let logs = repository.common_dir.join("logs");
            add_tree(gatherer, Some(&logs))?;
            let list = git.text(&["log", "-g", "--all", "--format=%H"]).unwrap_or_default();
            let commits: BTreeSet<&str> = list.lines().take(REFLOG).collect();
            state.refs = commits.into_iter().map(|oid| (String::new(), oid.to_owned())).collect();
        }
        "git.branch.delete" | "git.branch.move" | "git.tag.delete" | "git.ref.delete" => {
            state.refs = references(&git, &loss.target);
            if loss.target.is_empty() {
                gatherer.leave_out("references whose names are not known".to_owned());
            }
        }
        // A commit that is replaced, or a branch that goes back: `HEAD` says where it was.
        _ => {}
    }
    if loss.operation == "git.abort" {
        for name in UNDER_WAY {
            add_tree(gatherer, Some(&repository.git_dir.join(name)))?;
        }
    }
    if state.has_index() && gatherer.index(&repository).is_some_and(|index| index.is_tree(&head.tree)) {
        gatherer.staged.insert(state.root.clone(), Vec::new());
    }
    (state.branch, state.head) = (head.branch, head.commit);
    let is_nothing = match state.operation.as_str() {
        "git.stash.drop" => state.stashes.is_empty(),
        "git.branch.delete" | "git.branch.move" | "git.tag.delete" | "git.ref.delete" => state.refs.is_empty(),
        _ => false,
    };
    Ok(Some(state).filter(|_| !is_nothing))
}

fn stashes(git: &Git<'_>) -> Vec<(String, String)> {
    let list = git.text(&["log", "-g", "--format=%H%x09%gs", "refs/stash", "--"]).unwrap_or_default();
    let stash = |line: &str| line.split_once('\t').map(|(oid, text)| (oid.to_owned(), text.to_owned()));
    list.lines().filter_map(stash).take(STASHES).collect()
}

/// The references of this name, or all.
fn references(git: &Git<'_>, name: &str) -> Vec<(String, String)> {
    let format = "--format=%(refname) %(objectname)";
    let prefixes = ["refs/heads/", "refs/remotes/", "refs/tags/", ""].map(|prefix| format!("{prefix}{name}"));
    let patterns: Vec<&str> = prefixes.iter().map(String::as_str).collect();
    let list = git.text(&[&["for-each-ref", format], &patterns[..]].concat()).unwrap_or_default();
    let named = |line: &str| line.split_once(' ').map(|(name, oid)| (name.to_owned(), oid.to_owned()));
    list.lines().filter_map(named).collect()
}

/// Adds the files below `start`, or all, that are not as in the index, and those whose next commit is another than the last
/// one.
fn add_changes(
    gatherer: &mut Gatherer,
    repository: &Repository,
    head: &Head,
    start: Option<&Path>,
    git: &Git<'_>,
) -> Result<(), Stop> {
    let index = gatherer.index(repository);
    let ask = || staged(git, index.as_deref(), head);
    // Git reads the index while the files are looked at.
    let staged = thread::scope(|scope| {
        let asked = thread::Builder::new().spawn_scoped(scope, ask);
        gatherer.add_changed(repository, start)?;
        let answer = match asked {
            Ok(asked) => asked.join().unwrap_or_else(|_| Err(io::Error::other("a thread ended without an answer"))),
            Err(_) => ask(),
        };
        Ok(answer)
    })?;
    let Ok(staged) = staged else {
        gatherer.leave_out(format!("{}: staged files are not known", repository.root.display()));
        return Ok(());
    };
    if staged.len() <= STAGED {
        let oids = staged.iter().map(|(_, oid)| oid.clone()).filter(|oid| is_oid(oid));
        gatherer.staged.insert(repository.root.to_string_lossy().into_owned(), oids.collect());
    }
    for (name, _) in staged {
        let Some(path) = from_git(&name).map(|name| repository.root.join(name)) else { continue };
        let data = path.symlink_metadata().ok().filter(|data| !data.is_dir());
        if let Some(data) = data.filter(|_| start.is_none_or(|start| path.starts_with(start))) {
            gatherer.push(&path, &data, &path.to_string_lossy(), Why::Replaced)?;
        }
    }
    Ok(())
}

/// The files whose next commit is another than the last one, with the objects of the next one. A file with a conflict has
/// one for each side.
fn staged(git: &Git<'_>, index: Option<&Index>, head: &Head) -> io::Result<Vec<(Vec<u8>, String)>> {
    if index.is_some_and(|index| index.is_tree(&head.tree)) {
        return Ok(Vec::new());
    }
    let tree = if head.tree.is_empty() { EMPTY_TREE } else { &head.tree };
    let listed = git.output(&["diff-index", "--cached", "--raw", "--no-renames", "-z", tree])?;
    let mut fields = listed.split(|byte| *byte == 0);
    let mut staged = Vec::new();
    while let (Some(change), Some(name)) = (fields.next(), fields.next()) {
        // Two modes, two objects, and a letter.
        let oid = change.split(|byte| *byte == b' ').nth(3).unwrap_or_default();
        staged.push((name.to_vec(), String::from_utf8_lossy(oid).into_owned()));
    }
    let conflicts = index.into_iter().flat_map(|index| index.entries(index.slots()).filter(|it| !it.is_merged()));
    staged.extend(conflicts.map(|side| (side.path.to_vec(), side.oid())));
    Ok(staged)
}

/// Names what git must not prune.
pub(super) fn pin(
    manifest: &Manifest,
    trees: &BTreeMap<String, String>,
    staged: &BTreeMap<String, Vec<String>>,
    env: &BTreeMap<String, String>,
) -> Result<(), Stop> {
    let mut wanted: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (root, tree) in trees {
        wanted.entry(root).or_default().insert(tree);
    }
    for state in &manifest.git {
        let refs = state.refs.iter().map(|(_, oid)| oid).chain(state.stashes.iter().map(|(oid, _)| oid));
        let staged = staged.get(&state.root).into_iter().flatten();
        let oids = refs.chain(staged).map(String::as_str).chain([state.head.as_str()]).filter(|oid| is_oid(oid));
        wanted.entry(&state.root).or_default().extend(oids);
    }
    for (root, oids) in wanted.into_iter().filter(|(_, oids)| !oids.is_empty()) {
        let order = |(number, oid): (usize, &str)| format!("create {PINS}/{}/{number} {oid}\n", manifest.id);
        let orders: String = oids.into_iter().enumerate().map(order).collect();
        let git = Git { root: Path::new(root), env };
        git.fed(&["update-ref", "--stdin"], orders.into_bytes()).map_err(|error| Stop::Failed(error.to_string()))?;
    }
    Ok(())
}

/// An object id. Git writes zeros where there is no object.
fn is_oid(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) && text.bytes().any(|byte| byte != b'0')
}
