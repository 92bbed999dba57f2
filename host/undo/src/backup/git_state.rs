//! The losses by a git command.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::thread;

use guard_facts::losses::GitLoss;
use guard_platform::paths::{from_git, native, slashed};
use guard_sdk::git::UNDER_WAY;

use super::git_folders::{clean, deinit, exclude_folders, real_link_path, remove_worktree, update_submodules};
use super::references::{is_oid, lost_references, mirrored_prefixes, missing_worktrees, pruned_prefixes, stashes};
use super::{add_replaced, add_tree, path_loss};
use crate::gather::{Gatherer, SkipReason};
use crate::git::{Git, PINS, Repository, SYMBOLIC};
use crate::index::Index;
use crate::manifest::{GitState, LossKind};

/// The maximum number of stashes in a backup.
const STASHES: usize = 64;

/// The maximum number of commits of a reflog in a backup.
const REFLOG: usize = 1000;

/// The maximum number of staged files whose objects are protected one by one. With more, git writes the tree of the
/// index.
const STAGED: usize = 32;

/// The id of the empty tree, with which the index is compared before the first commit.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// Operations of common commands that rarely lose anything.
const SILENT: [&str; 6] = ["git.config", "git.index", "git.refs", "git.sparse", "git.stash.pop", "git.switch"];

/// Returns whether nothing shows that the command loses something.
pub(super) fn is_silent(loss: &GitLoss) -> bool {
    SILENT.contains(&loss.operation.as_str())
}

/// The checked-out commit and branch.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// The commit. Empty before the first one.
    pub(super) commit: String,
    tree: String,
    /// The branch. Empty if `HEAD` is detached.
    pub(super) branch: String,
}

impl Head {
    /// Returns the value of `HEAD` as a reference.
    pub(super) fn value(&self) -> String {
        if self.branch.is_empty() { self.commit.clone() } else { format!("{SYMBOLIC}{}", self.branch) }
    }

    fn read(git: &Git<'_>) -> Self {
        // One process instead of three.
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

/// Gathers the parts of a repository that a git command loses.
pub(super) fn gather(
    gatherer: &mut Gatherer,
    loss: &GitLoss,
    env: &BTreeMap<String, String>,
) -> Result<Vec<GitState>, SkipReason> {
    let folder = native(&loss.folder);
    let physical = folder.canonicalize();
    let of_folder = physical.as_ref().ok().and_then(|folder| Repository::find(folder));
    let folder = physical.unwrap_or_else(|_| folder.into_owned());
    let repository = of_folder.filter(|repository| is_understood(repository, &folder, env));
    let root = repository.as_ref().and_then(|repository| repository.root.to_str()).map(str::to_owned);
    let (Some(repository), Some(root)) = (repository, root) else {
        if !is_silent(loss) {
            gatherer.report_excluded(format!("{}: unknown repository", folder.display()));
        }
        return Ok(Vec::new());
    };
    gatherer.check_time()?;
    let done = |()| Vec::new();
    match loss.operation.as_str() {
        "git.clean" => return clean(gatherer, loss, &repository, &folder).map(done),
        "git.worktree.remove" => return remove_worktree(gatherer, &folder.join(&loss.target)).map(done),
        "git.submodule.deinit" => return deinit(gatherer, loss, &repository, &folder).map(done),
        "git.submodule.update" => return update_submodules(gatherer, loss, &repository, (&folder, env)),
        "git.sparse" => return exclude_folders(gatherer, loss, &repository, &folder).map(done),
        "git.config" => {
            if loss.is_forced {
                add_submodule_settings(gatherer, &repository)?;
            }
            return add_replaced(gatherer, &repository.common_dir.join("config")).map(done);
        }
        _ => {}
    }
    if runs_filters(&repository) {
        gatherer.report_excluded(format!("{root}: git runs the programs of its filters"));
    }
    let git = Git { root: &repository.root, env };
    let mut loss = loss.clone();
    if loss.fetches {
        loss.refs.extend(pruned_prefixes(&git, &repository));
        if loss.operation == "git.refs" && loss.refs.is_empty() {
            return Ok(Vec::new());
        }
    }
    if loss.refs.iter().any(|name| name == "refs/remotes/") {
        let mirrored = mirrored_prefixes(&git);
        if mirrored.iter().any(|prefix| PINS.starts_with(prefix.as_str())) {
            gatherer.report_excluded(format!("{root}: a remote prunes all references, even those of undo"));
        }
        loss.refs.extend(mirrored);
    }
    let state = state_before(gatherer, &loss, &repository, (&git, &folder))?;
    Ok(state.into_iter().map(|state| GitState { root: root.clone(), ..state }).collect())
}

/// Returns the state of a repository, and adds the files that the command affects. `None` if nothing is lost.
fn state_before(
    gatherer: &mut Gatherer,
    loss: &GitLoss,
    repository: &Repository,
    (git, folder): (&Git<'_>, &Path),
) -> Result<Option<GitState>, SkipReason> {
    let head = Head::read(git);
    let operation = loss.operation.as_str();
    let mut state = GitState { operation: operation.to_owned(), moves: repository.moves(), ..GitState::default() };
    let files = gatherer.entries.len();
    match operation {
        "git.discard" | "git.reset.hard" | "git.rebase" | "git.abort" => {
            state.moves_files = discard(gatherer, loss, repository, (&head, git, folder))?;
        }
        "git.switch" | "git.stash.pop" => {
            state.moves_files = operation == "git.switch";
            add_sources(gatherer, loss, repository, (&head, git, folder))?;
            if loss.is_forced {
                add_changes(gatherer, repository, &head, None, git)?;
            }
        }
        "git.worktree.prune" => {
            for (admin, head) in missing_worktrees(repository) {
                add_tree(gatherer, Some(&admin))?;
                state.refs.push((String::new(), head));
            }
        }
        "git.remote" => add_replaced(gatherer, &repository.common_dir.join("config"))?,
        "git.branch.delete" | "git.branch.move" | "git.refs" => {
            add_branch_settings(gatherer, loss, repository, &head)?;
        }
        "git.rm" => add_replaced(gatherer, &repository.root.join(".gitmodules"))?,
        "git.reflog.expire" => state.refs = reflogs(gatherer, repository, git)?,
        // The command replaces a commit or moves a branch back. `HEAD` has the previous commit.
        _ => {}
    }
    let is_stash = |name: &String| matches!(name.as_str(), "refs/" | "refs/stash");
    if matches!(operation, "git.stash.drop" | "git.stash.pop") || loss.refs.iter().any(is_stash) {
        state.stashes = stashes(git);
        truncate_reported(gatherer, &mut state.stashes, STASHES, "stashes");
    }
    if !loss.refs.is_empty() && loss.refs != ["refs/stash"] {
        state.refs.extend(lost_references(gatherer, loss, git, &head));
    }
    if matches!(operation, "git.abort" | "git.reset.hard") || loss.is_forced && state.moves_files {
        for name in UNDER_WAY.into_iter().chain(["MERGE_MSG", "MERGE_MODE"]) {
            add_tree(gatherer, Some(&repository.git_dir.join(name)))?;
        }
    }
    if state.has_index() && gatherer.index(repository).is_some_and(|index| index.is_tree(&head.tree)) {
        gatherer.staged.insert(repository.root.to_string_lossy().into_owned(), Vec::new());
    }
    (state.branch, state.head) = (head.branch, head.commit);
    let is_unmoved = state.refs.is_empty() && state.stashes.is_empty();
    let is_nothing = match operation {
        "git.switch" => is_unmoved && !loss.is_forced && gatherer.entries.len() == files,
        _ => is_unmoved && !state.has_index(),
    };
    Ok(Some(state).filter(|_| !is_nothing))
}

/// Returns the commits that only reflogs refer to, and adds the files of the reflogs.
fn reflogs(
    gatherer: &mut Gatherer,
    repository: &Repository,
    git: &Git<'_>,
) -> Result<Vec<(String, String)>, SkipReason> {
    add_tree(gatherer, Some(&repository.common_dir.join("logs")))?;
    let list = git.text(&["log", "-g", "--all", "--format=%H"]).unwrap_or_default();
    let commits: BTreeSet<&str> = list.lines().collect();
    let mut refs = commits.into_iter().map(|oid| (String::new(), oid.to_owned())).collect();
    truncate_reported(gatherer, &mut refs, REFLOG, "commits of a reflog");
    // Its commits are restored under their ids.
    gatherer.report_excluded("the reflog itself".to_owned());
    Ok(refs)
}

/// Returns whether git uses this repository, with the work tree at its usual location.
fn is_understood(repository: &Repository, folder: &Path, env: &BTreeMap<String, String>) -> bool {
    let names = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"];
    let is_elsewhere = names.iter().any(|name| env.contains_key(*name));
    // Git recognizes a bare repository by its content.
    let between = folder.ancestors().take_while(|above| *above != repository.root);
    let is_bare = |above: &Path| above.join("HEAD").exists() && above.join("objects").exists();
    let is_within = folder.starts_with(&repository.git_dir) || between.into_iter().any(is_bare);
    let config = |folder: &Path, name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let configs = config(&repository.common_dir, "config") + &config(&repository.git_dir, "config.worktree");
    // A submodule's repository is elsewhere, and its configuration has the path of the work tree.
    let is_root = |at: &str| repository.git_dir.join(at).canonicalize().is_ok_and(|at| at == repository.root);
    let is_moved = configs.lines().any(|line| {
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let name = name.trim().rsplit([' ', ']']).next().unwrap_or_default().to_ascii_lowercase();
        let value = value.trim().trim_matches('"');
        name == "worktree" && !is_root(value) || name == "bare" && !value.eq_ignore_ascii_case("false")
    });
    !is_elsewhere && !is_within && !is_moved
}

/// Adds the settings if one of the branches has some. With one name, the checked-out branch is renamed.
fn add_branch_settings(
    gatherer: &mut Gatherer,
    loss: &GitLoss,
    repository: &Repository,
    head: &Head,
) -> Result<(), SkipReason> {
    let config = repository.common_dir.join("config");
    let text = fs::read_to_string(&config).unwrap_or_default();
    let is_one = loss.refs.len() == 1 && loss.refs.iter().all(|name| !name.contains("refs/"));
    let own = head.branch.strip_prefix("refs/heads/").filter(|_| is_one);
    let mut names = loss.refs.iter().map(String::as_str).chain(own);
    let has_some = names.any(|name| text.contains(&format!("[branch \"{name}\"]")));
    if has_some { add_replaced(gatherer, &config) } else { Ok(()) }
}

/// Adds the files with the settings of submodules.
fn add_submodule_settings(gatherer: &mut Gatherer, repository: &Repository) -> Result<(), SkipReason> {
    add_replaced(gatherer, &repository.root.join(".gitmodules"))?;
    let mut open = vec![repository.common_dir.join("modules")];
    while let Some(folder) = open.pop() {
        gatherer.check_time()?;
        let config = folder.join("config");
        if config.is_file() {
            add_replaced(gatherer, &config)?;
            open.push(folder.join("modules"));
            continue;
        }
        let children = fs::read_dir(&folder).into_iter().flatten().flatten();
        open.extend(
            children.filter(|child| child.file_type().is_ok_and(|kind| kind.is_dir())).map(|child| child.path()),
        );
    }
    Ok(())
}

/// Returns whether the repository's settings have filters other than those of known programs, which keep all content.
fn runs_filters(repository: &Repository) -> bool {
    let text = fs::read_to_string(repository.common_dir.join("config")).unwrap_or_default();
    let mut is_filter = false;
    text.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            is_filter = line.starts_with("[filter ");
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let is_program = matches!(key.trim().to_ascii_lowercase().as_str(), "clean" | "process" | "smudge");
        let value = value.trim().trim_matches('"').trim_start_matches('\\');
        let is_known = FILTERS.iter().any(|known| value.trim_matches('"').starts_with(known));
        is_filter && is_program && !is_known
    })
}

/// Programs of filters that lose nothing.
const FILTERS: [&str; 4] = ["cat", "git lfs ", "git-crypt ", "git-lfs "];

/// Adds the changes that a command discards. Returns whether files change all over the work tree.
fn discard(
    gatherer: &mut Gatherer,
    loss: &GitLoss,
    repository: &Repository,
    (head, git, folder): (&Head, &Git<'_>, &Path),
) -> Result<bool, SkipReason> {
    let has_submodules = repository.root.join(".gitmodules").exists() || repository.common_dir.join("modules").exists();
    if has_submodules {
        gatherer.report_excluded(format!("{}: submodules", repository.root.display()));
    }
    let target = folder.join(&loss.target);
    let is_path = !loss.target.is_empty() && target.symlink_metadata().is_ok();
    add_sources(gatherer, loss, repository, (head, git, folder))?;
    if loss.operation == "git.discard" && is_path && !loss.is_forced {
        let start = real_link_path(target);
        let is_alone = loss.words.iter().all(|word| *word == loss.target);
        add_changes(gatherer, repository, head, Some(start.as_path()).filter(|_| is_alone), git)?;
        return Ok(false);
    }
    if is_path && target.is_dir() && target != repository.root {
        // A submodule whose folder is emptied.
        gatherer.add(&path_loss(&target))?;
    }
    add_changes(gatherer, repository, head, None, git)?;
    Ok(true)
}

/// Adds the files that git overwrites with files that the given commit has and the index doesn't.
fn add_sources(
    gatherer: &mut Gatherer,
    loss: &GitLoss,
    repository: &Repository,
    (head, git, folder): (&Head, &Git<'_>, &Path),
) -> Result<(), SkipReason> {
    let mut words: BTreeSet<&str> = loss.words.iter().map(String::as_str).collect();
    words.insert(&loss.target);
    for word in words.into_iter().filter(|word| !word.is_empty()) {
        let tree = resolve_tree(word, git);
        let Ok(tree) = tree else {
            // Git rejects such a command, or fetches the commit first.
            if matches!(loss.operation.as_str(), "git.switch" | "git.stash.pop") {
                continue;
            }
            let path = folder.join(word);
            let is_tracked = |index: &Index, path: &Path| {
                let below = path.strip_prefix(&repository.root).map(slashed).unwrap_or_default();
                index.get(&below).is_some() || index.tracks_below(&below)
            };
            let is_path = path.symlink_metadata().is_ok()
                || gatherer.index(repository).is_some_and(|index| is_tracked(&index, &path));
            if !is_path || word.starts_with(':') {
                gatherer.report_excluded(format!("{word}: neither a commit nor a path"));
            }
            continue;
        };
        if tree == head.tree {
            continue;
        }
        let before = if head.tree.is_empty() { EMPTY_TREE } else { &head.tree };
        // If `HEAD` doesn't move, a restore couldn't recover the last commit's files from git.
        let stays = matches!(loss.operation.as_str(), "git.discard" | "git.stash.pop") && !loss.is_forced;
        let filter = if stays { "--diff-filter=ADMT" } else { "--diff-filter=AT" };
        let listed = git.output(&["diff-tree", "-r", "--no-renames", "--name-only", filter, "-z", before, &tree]);
        let Ok(listed) = listed else {
            gatherer.report_excluded(format!("{word}: can't list its files"));
            continue;
        };
        for name in listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            gatherer.check_time()?;
            let Some(path) = from_git(name).map(|name| repository.root.join(name)) else { continue };
            gatherer.add_in_the_way(&path, repository)?;
        }
    }
    Ok(())
}

/// Returns the tree of a commit, or of the remote branch from which git would create a branch with this name.
fn resolve_tree(word: &str, git: &Git<'_>) -> io::Result<String> {
    let commit = if word == "-" { "@{-1}" } else { word };
    let parse =
        |name: &str| git.text(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{tree}}")]);
    parse(commit).or_else(|error| {
        let list = git.text(&["for-each-ref", "--format=%(objectname)", &format!("refs/remotes/*/{word}")])?;
        list.lines().next().map_or(Err(error), parse)
    })
}

/// Keeps only the first elements, and reports the others as not backed up.
fn truncate_reported<T>(gatherer: &mut Gatherer, all: &mut Vec<T>, most: usize, what: &str) {
    if all.len() > most {
        gatherer.report_excluded(format!("more than {most} {what}"));
        all.truncate(most);
    }
}

/// Adds the files below `start`, or all, that differ from the index or whose staged content differs from the last
/// commit.
fn add_changes(
    gatherer: &mut Gatherer,
    repository: &Repository,
    head: &Head,
    start: Option<&Path>,
    git: &Git<'_>,
) -> Result<(), SkipReason> {
    let index = gatherer.index(repository);
    let ask = || staged_files(git, index.as_deref(), head);
    // Git reads the index while the files are examined.
    let staged = thread::scope(|scope| {
        let handle = thread::Builder::new().spawn_scoped(scope, ask);
        gatherer.add_changed(repository, start)?;
        let answer = match handle {
            Ok(handle) => handle.join().unwrap_or_else(|_| Err(io::Error::other("a thread ended without an answer"))),
            Err(_) => ask(),
        };
        Ok(answer)
    })?;
    let Ok(staged) = staged else {
        gatherer.report_excluded(format!("{}: staged files are not known", repository.root.display()));
        return Ok(());
    };
    let staged = pin_staged(gatherer, repository, staged);
    for (name, _) in staged {
        let Some(path) = from_git(&name).map(|name| repository.root.join(name)) else { continue };
        let data = path.symlink_metadata().ok().filter(|data| !data.is_dir());
        if let Some(data) = data.filter(|_| start.is_none_or(|start| path.starts_with(start))) {
            gatherer.push(&path, &data, &path.to_string_lossy(), LossKind::Replaced)?;
        }
    }
    Ok(())
}

/// Has the objects of staged files protected. Returns these files without those that the configuration excludes.
fn pin_staged(
    gatherer: &mut Gatherer,
    repository: &Repository,
    staged: Vec<(Vec<u8>, String)>,
) -> Vec<(Vec<u8>, String)> {
    let path_of = |name: &[u8]| from_git(name).map(|name| repository.root.join(name).to_string_lossy().into_owned());
    let is_out = |(name, _): &(Vec<u8>, String)| path_of(name).is_none_or(|path| gatherer.is_excluded(&path));
    let (out, staged): (Vec<_>, Vec<_>) = match gatherer.excludes() {
        true => staged.into_iter().partition(is_out),
        false => (Vec::new(), staged),
    };
    if !out.is_empty() {
        gatherer.report_excluded("staged files: excluded by the configuration".to_owned());
    }
    if staged.len() <= STAGED || !out.is_empty() {
        let oids = staged.iter().map(|(_, oid)| oid.clone()).filter(|oid| is_oid(oid));
        gatherer.staged.insert(repository.root.to_string_lossy().into_owned(), oids.collect());
    }
    staged
}

/// Returns the staged files that differ from the last commit, with their objects. A file with a conflict has one object
/// for each side.
fn staged_files(git: &Git<'_>, index: Option<&Index>, head: &Head) -> io::Result<Vec<(Vec<u8>, String)>> {
    if index.is_some_and(|index| index.is_tree(&head.tree)) {
        return Ok(Vec::new());
    }
    let tree = if head.tree.is_empty() { EMPTY_TREE } else { &head.tree };
    let listed = git.output(&["diff-index", "--cached", "--raw", "--no-renames", "-z", tree])?;
    let mut fields = listed.split(|byte| *byte == 0);
    let mut staged = Vec::new();
    while let (Some(change), Some(name)) = (fields.next(), fields.next()) {
        // The fields are two modes, two object ids and a letter.
        let oid = change.split(|byte| *byte == b' ').nth(3).unwrap_or_default();
        staged.push((name.to_vec(), String::from_utf8_lossy(oid).into_owned()));
    }
    let conflicts = index.into_iter().flat_map(|index| index.entries(index.slots()).filter(|it| !it.is_merged()));
    staged.extend(conflicts.map(|side| (side.path.to_vec(), side.oid())));
    Ok(staged)
}
